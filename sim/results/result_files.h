/* result_files.h - the table of the files of a result folder: name, content, when and by which
 * function each is written.  Each is a file of sim/results/files, of these rows:
 *
 *   OWN(identifier, name, meaning, when)  a table with a row struct outcome_<identifier>, which the
 *                                         FIELDs declare.  Rows are added by
 *                                         outcome_add_<identifier>(); OWN_END ends it
 *   TABLE(identifier, name, meaning, when, is_due, array, count)
 *                                         a table of any array of structs; END ends it
 *   WHOLE(name, meaning, ...)             another file; the rest are members of struct result_file
 *
 * `when` is a text, or NULL: always.  In a table each line is a column, in the order of the file,
 * and ROW is the struct of its rows:
 *
 *   FIELD(type, member, unit, meaning)    of OWN: declares the member, and has its name
 *   CHARS(bytes, member, unit, meaning)   the same for a char[]
 *   COLUMN(name, member, unit, meaning)   a member of the row, written as its type says
 *   HEX(name, member, unit, meaning)      an address, key or mask
 *   CHOICE(name, member, names, meaning)  a number written as a name, names[number]
 *   PRINT(name, condition, unit, meaning, format, ...)
 *                                         printf() with values of `row`, `record` or a `text`;
 *                                         empty unless the condition holds
 *   OTHER(name, function, unit, meaning)  written by a function
 *   PART(part, name, member, unit, meaning)
 *                                         a member of the struct that `part` returns for the row
 *   SERIES(times, name, function, unit, meaning)
 *                                         as many columns as `times` says, each with the name and a
 *                                         number, from 0; the function writes them, with commas
 *
 * Functions of a file stand behind #ifdef RESULT_FUNCTIONS; result_files.c compiles them. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/results/result_table.h"
C_LINKAGE_BEGIN

struct result_file {
    const char *name;
    const char *meaning; /* its content; for a table, what a row is */
    const char *when;    /* when it is written, as text; NULL: always */
    /* Whether this run has the file.  NULL: always, or, if `when` is set, when it has rows. */
    bool (*is_due)(const struct record *record);

    /* A table has `column` and, unless `write` makes its rows, `rows`. */
    const struct result_column *column;
    size_t columns;
    struct result_rows (*rows)(const struct record *record);

    /* A file that is not a table, or a table without `rows`, has one of these; `path` is where to
     * create the file.  Neither: the file is written during the run. */
    enum status (*write)(FILE *stream, const struct record *record);
    enum status (*write_path)(const char *path, const struct record *record,
                              struct diagnostic *diagnostic);

    /* Writes the part of the file's reference that is not columns; NULL: none. */
    void (*explain)(FILE *stream);
};

/* The last file marks the folder as complete. */
extern const struct result_file RESULT_FILES[];
extern const size_t RESULT_FILE_COUNT;
#define RESULT_LAST_FILE "summary.json"

/* The file of that name; NULL if there is none. */
const struct result_file *result_file_find(const char *name);

/* Whether the recorder writes the file: manifest.csv lists it.  The others are the manifest itself,
 * and what is written during the run. */
bool result_file_is_recorded(const struct result_file *file);

bool result_file_is_due(const struct result_file *file, const struct record *record);

/* Writes a file that has no write_path.  STATUS_INTERNAL: out of memory. */
enum status result_file_write(const struct result_file *file, FILE *stream,
                              const struct record *record);

/* Writes the reference of a file as Markdown: columns, counters or keys with unit and meaning. */
void result_file_explain(FILE *stream, const struct result_file *file);

C_LINKAGE_END

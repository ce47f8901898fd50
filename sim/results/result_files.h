/* result_files.h - the files of a result folder, stated once: which there are, when each is
 * written, by what, and what stands in it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/results/result_table.h"
C_LINKAGE_BEGIN

struct result_file {
    const char *name;
    const char *meaning; /* what it holds: of a table, what a row is */
    const char *when;    /* it is written; NULL: always */
    /* Whether this run has the file; NULL: always, or, where `when` is there, when it has rows. */
    bool (*is_due)(const struct record *record);

    /* A table has columns and, but for one whose rows lie nowhere, `rows`. */
    const struct result_column *column;
    size_t columns;
    struct result_rows (*rows)(const struct record *record);

    /* What is no table, or a table without `rows`, has one of these; `path` is where the file is
     * made.  Neither: it is written while the run goes on. */
    enum status (*write)(FILE *stream, const struct record *record);
    enum status (*write_path)(const char *path, const struct record *record,
                              struct diagnostic *diagnostic);

    /* Adds to its reference what is not columns; NULL: there is no more. */
    void (*explain)(FILE *stream);
};

/* The last one says that the folder is complete. */
extern const struct result_file RESULT_FILES[];
extern const size_t RESULT_FILE_COUNT;
#define RESULT_LAST_FILE "summary.json"

/* NULL: there is none of that name. */
const struct result_file *result_file_find(const char *name);

bool result_file_is_due(const struct result_file *file, const struct record *record);

/* A file that is not written to a path.  STATUS_INTERNAL: out of memory. */
enum status result_file_write(const struct result_file *file, FILE *stream,
                              const struct record *record);

/* The reference of a file, as Markdown: its columns, counters or keys with unit and meaning. */
void result_file_explain(FILE *stream, const struct result_file *file);

C_LINKAGE_END

/* result_table.h - the tables (CSV) of a result folder.  One list of columns per table serves the
 * header line, writing and reading rows, and the reference printed by `spinnsim columns`. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* ---- columns ---- */

/* Type of a row's member, which decides how it is written. */
enum result_kind {
    RESULT_U8,
    RESULT_U16,
    RESULT_U32,
    RESULT_U64,
    RESULT_I16, /* an empty field when negative */
    RESULT_I32,
    RESULT_HEX32,  /* 0x and eight digits */
    RESULT_REAL,   /* the shortest decimal; an empty field when not finite */
    RESULT_CHARS,  /* char[] */
    RESULT_TEXT,   /* const char * */
    RESULT_CHOICE, /* uint8_t: index into the names of `choice` */
    RESULT_OTHER   /* written by `put` */
};

struct record;

struct result_column {
    const char *name, *unit, *meaning;
    enum result_kind kind;
    size_t offset; /* of the member in the row's struct */
    const char *const *choice;
    void (*put)(FILE *stream, const struct record *record, const void *row);
    /* Returns the struct that has the member; NULL: the row itself. */
    const void *(*part)(const struct record *record, const void *row);
    /* So many columns, which `put` writes: each has the name and its number, from 0.  NULL: one of
     * this name. */
    size_t (*times)(const struct record *record);
};

/* A column for a member of the type ROW, a macro that the list of columns must define. */
#define RESULT_KIND_OF(member)                                                                     \
    _Generic(((ROW *)NULL)->member, uint8_t                                                        \
             : RESULT_U8, uint16_t                                                                 \
             : RESULT_U16, uint32_t                                                                \
             : RESULT_U32, uint64_t                                                                \
             : RESULT_U64, int16_t                                                                 \
             : RESULT_I16, int32_t                                                                 \
             : RESULT_I32, double                                                                  \
             : RESULT_REAL, char *                                                                 \
             : RESULT_CHARS, const char *                                                          \
             : RESULT_TEXT)
#define RESULT_COLUMN(text, member, what, of_unit, means)                                          \
    .name = (text), .unit = (of_unit), .meaning = (means), .kind = (what),                         \
    .offset = offsetof(ROW, member)
#define RESULT_MEMBER(name, member, unit, meaning)                                                 \
    RESULT_COLUMN(name, member, RESULT_KIND_OF(member), unit, meaning)

/* An array of rows. */
struct result_rows {
    const void *first;
    size_t count, bytes; /* of one row */
};

/* ---- writing ---- */

/* Whether a column, or one of a series, has this name. */
bool result_column_is(const struct result_column *column, const char *name);

/* `record` is passed to the functions of columns; NULL if no column has any. */
void result_table_write_head(FILE *stream, const struct result_column *column, size_t columns,
                             const struct record *record);
void result_table_write_row(FILE *stream, const struct result_column *column, size_t columns,
                            const struct record *record, const void *row);

/* ---- reading ---- */

enum { RESULT_TABLE_COLUMNS = 320 };

struct result_table {
    char *path, *text, *rest;
    char *head[RESULT_TABLE_COLUMNS], *field[RESULT_TABLE_COLUMNS];
    unsigned columns;
    int line; /* line number of the current row, or of the header */
    bool bad; /* reading stopped at a line whose number of fields differs from the header's */
};

/* Opens a table; it is empty unless the status is STATUS_OK.  Closing it twice, or closing an empty
 * one, is harmless. */
enum status result_table_open(struct result_table *table, const char *folder, const char *file,
                              struct diagnostic *diagnostic);
/* The same for a table of at most `most` bytes. */
enum status result_table_open_within(struct result_table *table, const char *folder,
                                     const char *file, size_t most, struct diagnostic *diagnostic);
void result_table_close(struct result_table *table);

/* STATUS_CONFIGURATION when the header does not have the column. */
enum status result_table_require(const struct result_table *table, const char *column,
                                 struct diagnostic *diagnostic);

/* Whether the header has exactly these columns, in this order. */
bool result_table_has(const struct result_table *table, const struct result_column *column,
                      size_t columns);

/* Reports that the current line is not a valid row of `what` (NULL: the file); returns
 * STATUS_CONFIGURATION.  hint NULL: that something else than a run wrote it. */
enum status result_table_refuse(const struct result_table *table, const char *what,
                                const char *hint, struct diagnostic *diagnostic);

/* Reads the next row.  False after the last row, or at a row whose number of fields differs from
 * the header's (see `bad`). */
bool result_table_next(struct result_table *table);

/* Closes the table after its rows have been read.  `status`: how that went; if well,
 * STATUS_CONFIGURATION for a row at which reading stopped. */
enum status result_table_end(struct result_table *table, enum status status,
                             struct diagnostic *diagnostic);

/* A field of the current row; "" when there is no such column. */
const char *result_table_text(const struct result_table *table, const char *column);

/* The same as a number; NAN where the field is empty. */
double result_table_number(const struct result_table *table, const char *column);

/* The same of a field that must be a finite number, and nothing else; false: it is not. */
bool result_table_take_real(const struct result_table *table, const char *column, double *value);

/* Fills a row struct from the current row: the inverse of result_table_write_row(), for columns of
 * whole numbers and texts (texts point into the table).  False when a field is not a number of the
 * column's type. */
bool result_table_take(const struct result_table *table, const struct result_column *column,
                       size_t columns, void *row);

C_LINKAGE_END

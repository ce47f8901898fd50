/* result_table.h - tables (CSV) of a result folder.  The columns of a table are stated once: from
 * them come the head, the rows that are written, rows that are read back, and the reference of
 * `spinnsim columns`. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* ---- columns ---- */

/* What the member of a row is, and so how it is written. */
enum result_kind {
    RESULT_U8,
    RESULT_U16,
    RESULT_U32,
    RESULT_U64,
    RESULT_I16, /* nothing when it is negative */
    RESULT_I32,
    RESULT_HEX32,  /* 0x and eight digits */
    RESULT_REAL,   /* the shortest decimal; nothing when it is not finite */
    RESULT_CHARS,  /* char[] */
    RESULT_TEXT,   /* const char * */
    RESULT_CHOICE, /* uint8_t: its name in `choice` */
    RESULT_OTHER   /* `put` writes it */
};

struct record;

struct result_column {
    const char *name, *unit, *meaning;
    enum result_kind kind;
    size_t offset; /* of the member in the row's struct */
    const char *const *choice;
    void (*put)(FILE *stream, const struct record *record, const void *row);
    /* What the member belongs to when that is not the row. */
    const void *(*part)(const struct record *record, const void *row);
    bool (*is_there)(const struct record *record); /* NULL: always */
};

/* A column of the members of the type ROW, which whoever lists columns defines. */
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

/* Rows that lie one behind the other. */
struct result_rows {
    const void *first;
    size_t count, bytes; /* of one row */
};

/* ---- writing ---- */

/* The record is for columns that ask for it; NULL where none does. */
void result_table_write_head(FILE *stream, const struct result_column *column, size_t columns,
                             const struct record *record);
void result_table_write_row(FILE *stream, const struct result_column *column, size_t columns,
                            const struct record *record, const void *row);

/* ---- reading ---- */

enum { RESULT_TABLE_COLUMNS = 32 };

struct result_table {
    char *path, *text, *rest;
    char *head[RESULT_TABLE_COLUMNS], *field[RESULT_TABLE_COLUMNS];
    unsigned columns;
    int line; /* of the row, or of the head */
    bool bad; /* the rows ended at a line that has not as many fields as the head */
};

/* The table is empty unless it is STATUS_OK; closing it twice, or one that is empty, is harmless.
 */
enum status result_table_open(struct result_table *table, const char *folder, const char *file,
                              struct diagnostic *diagnostic);
void result_table_close(struct result_table *table);

/* STATUS_CONFIGURATION when the head does not have the column. */
enum status result_table_require(const struct result_table *table, const char *column,
                                 struct diagnostic *diagnostic);

/* Whether the head is these columns, in this order. */
bool result_table_has(const struct result_table *table, const struct result_column *column,
                      size_t columns);

/* STATUS_CONFIGURATION for the line of the row: it is no line of `what`. */
enum status result_table_refuse(const struct result_table *table, const char *what,
                                const char *hint, struct diagnostic *diagnostic);

/* False behind the last row, and from a row on that has not as many fields as the head. */
bool result_table_next(struct result_table *table);

/* A field of the row; "" when there is no such column. */
const char *result_table_text(const struct result_table *table, const char *column);

/* The same as a number; NAN where the field is empty. */
double result_table_number(const struct result_table *table, const char *column);

/* The row as it was before result_table_write_row(), for columns of whole numbers and texts (which
 * point into the table); false when a field is no such number. */
bool result_table_take(const struct result_table *table, const struct result_column *column,
                       size_t columns, void *row);

C_LINKAGE_END

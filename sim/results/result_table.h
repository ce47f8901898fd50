/* result_table.h - a table (CSV) of a result folder, row by row, fields by the names of their
 * columns. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum { RESULT_TABLE_COLUMNS = 16 };

struct result_table {
    char *path, *text, *rest;
    char *head[RESULT_TABLE_COLUMNS], *field[RESULT_TABLE_COLUMNS];
    unsigned columns;
};

enum status result_table_open(struct result_table *table, const char *folder, const char *file,
                              struct diagnostic *diagnostic);
void result_table_close(struct result_table *table);

/* STATUS_CONFIGURATION when the head does not have the column. */
enum status result_table_require(const struct result_table *table, const char *column,
                                 struct diagnostic *diagnostic);

/* False behind the last row, and from a row on that has not as many fields as the head. */
bool result_table_next(struct result_table *table);

/* A field of the row; "" when there is no such column. */
const char *result_table_text(const struct result_table *table, const char *column);

/* The same as a number; NAN where the field is empty. */
double result_table_number(const struct result_table *table, const char *column);

C_LINKAGE_END

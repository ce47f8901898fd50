/* print_rows.h - a table of differences as text, for lines of 100 columns. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/compare/difference.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* How rows are called: by their item, with its unit, or by title and unit of the quantity. */
enum print_label { PRINT_LABEL_ITEM, PRINT_LABEL_UNIT, PRINT_LABEL_QUANTITY };

/* At most `most` of the ranked rows, below the title and a row for `total` (NULL: none). */
void print_rows(FILE *stream, const char *title, enum print_label label,
                const struct difference_table *table, const struct difference *total, size_t most);

C_LINKAGE_END

/* run_values.h - names for the values of several runs whose result folders lie in one folder:
 *
 *     RUN:KEY
 *         a key of its summary.json or config.yaml; for a range its default
 *     RUN:COMPONENT.COUNTER[X,Y,PART]
 *         a counter of one core or link; 0 without a row in counters.csv, if the machine has the
 *         counter and the chip
 *     TABLE[ROW]:COLUMN
 *         a cell of TABLE.csv in the folder; its first row is 1
 *     sum(RUN:console, c2 / c5)
 *         a sum over the lines of console.txt; c1 is the first word of a line */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/expression.h"
C_LINKAGE_BEGIN

/* The scope for expressions over the runs in `folder`, which must outlive it. */
struct expression_scope run_values(const char *folder);

/* Copies the text of RUN:KEY, as written in the result file, to `text`; false if there is none. */
bool run_values_text(const char *folder, const char *name, char *text, size_t size);

C_LINKAGE_END

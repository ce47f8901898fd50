/* run_values.h - numbers and texts of several runs by name, whose result folders lie in one folder:
 *     RUN:KEY                              of its summary.json or config.yaml; of a range the
 * middle RUN:COMPONENT.COUNTER[X,Y,PART]      a counter of one core or link sum(RUN:console, c2 /
 * c5)            over the lines of console.txt; c1 is the first word */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/expression.h"
C_LINKAGE_BEGIN

/* The folder is the caller's. */
struct expression_scope run_values(const char *folder);

/* The text of RUN:KEY, as it stands there, in `text`; false: there is none. */
bool run_values_text(const char *folder, const char *name, char *text, size_t size);

C_LINKAGE_END

/* golden_compare.h - which counts of a run differ from its golden's, and whether that can be held
 * against the run. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/compare/difference.h"
#include "sim/results/golden.h"
C_LINKAGE_BEGIN

struct golden_comparison {
    struct difference_table counts; /* A: the golden's, B: the run's; a missing count is 0 */
    bool other_programs;
    bool other_compiler; /* and with it other programs: the counts say nothing about each other */
    char programs[1024]; /* which programs have changed, and how; "": none */
};

/* `tolerant`: differences inside the golden's tolerances are none. */
void golden_compare(struct golden_comparison *comparison, const struct golden *golden,
                    const struct golden *now, bool tolerant);
void golden_comparison_deinit(struct golden_comparison *comparison);

C_LINKAGE_END

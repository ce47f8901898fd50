/* golden_compare.h - which counts of a run differ from its golden's, and whether that can be held
 * against the run. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/golden.h"
C_LINKAGE_BEGIN

/* A count that differs from the golden's; a missing count is 0. */
struct golden_change {
    char name[GOLDEN_NAME_CHARS];
    unsigned long long golden, now;
    double share; /* of the difference in what that counter counts in the whole run */
};

struct golden_comparison {
    struct golden_change *change; /* owned; the largest share first */
    size_t changes, counts;
    bool other_programs;
    bool other_compiler; /* and with it other programs: the counts say nothing about each other */
    char programs[1024]; /* which programs have changed, and how; "": none */
};

/* `tolerant`: differences inside the golden's tolerances are none.  STATUS_INTERNAL when out of
 * memory. */
enum status golden_compare(struct golden_comparison *comparison, const struct golden *golden,
                           const struct golden *now, bool tolerant, struct diagnostic *diagnostic);
void golden_comparison_deinit(struct golden_comparison *comparison);

C_LINKAGE_END

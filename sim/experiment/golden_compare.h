/* golden_compare.h - which counts and answers of a run differ from its golden's, which functions
 * explain it, and whether it can be held against the run. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/compare/difference.h"
#include "sim/results/golden.h"
C_LINKAGE_BEGIN

/* An answer that differs. */
struct golden_answer {
    const char *kind; /* "console", "predictions", "scores", "weights", "memory", "stages",
                         "others" */
    char what[160];   /* "console line 3", "prediction of image 17" */
    char golden[GOLDEN_VALUE_CHARS], now[GOLDEN_VALUE_CHARS]; /* "": there is none; both: digests */
};

struct golden_comparison {
    struct difference_table counts; /* A: the golden's, B: the run's; a missing count is 0.  Ranked:
                                       time_ps comes first */
    struct difference_table functions; /* the same of instructions and cycles of functions: an
                                          explanation only, sampled in long programs */
    struct golden_answer *answer;      /* those that differ, in the order of a golden; owned */
    size_t answer_count, answer_room;
    size_t answers; /* how many rows of the run are answers */
    bool unheld;    /* the golden is from before there were answers in goldens */
    bool other_programs;
    bool other_compiler; /* and with it other programs: the counts say nothing about each other */
    char programs[1024]; /* which programs have changed, and how; "": none */
};

/* `tolerant`: differences inside the golden's tolerances are none. */
void golden_compare(struct golden_comparison *comparison, const struct golden *golden,
                    const struct golden *now, bool tolerant);
void golden_comparison_deinit(struct golden_comparison *comparison);

C_LINKAGE_END

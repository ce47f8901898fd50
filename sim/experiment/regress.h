/* regress.h - runs the experiments of goldens and compares their counts and answers, or records
 * them. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/golden_compare.h"
#include "sim/experiment/golden_list.h"
C_LINKAGE_BEGIN

enum regress_verdict {
    REGRESS_SAME,
    REGRESS_DIFFERS,
    REGRESS_FAILED,  /* the run has failed, or is outside `accept` */
    REGRESS_SKIPPED, /* its programs are of another compiler */
    REGRESS_BLESSED, /* differed, and has been recorded anew */
    REGRESS_ADDED,
    REGRESS_VERDICTS
};

struct regress_case {
    const char *name, *file; /* of the golden */
    enum regress_verdict verdict;
    struct golden_comparison comparison;
    char failure[DIAGNOSTIC_PATH_CHARS + DIAGNOSTIC_TEXT_CHARS + 2]; /* REGRESS_FAILED: why */
};

struct regress_result {
    struct golden_list goldens;
    struct regress_case *of; /* owned; of each golden */
    size_t count;
    size_t verdicts[REGRESS_VERDICTS]; /* how many goldens have it */
};

struct regress_request {
    const char *which; /* see golden_list_read() */
    const char *golden_folder;
    const struct golden_wish *wish; /* a golden to be added; NULL: none */
    /* Of every golden, with the golden's file: overrides show which counts they change. */
    struct experiment_request run;
    bool bless; /* write the measured counts into the goldens */
    /* Called when a golden's verdict is known; may be NULL. */
    void (*tell)(void *context, const struct regress_case *of);
    void *tell_context;
};

/* STATUS_CONFIGURATION when there are no goldens, one cannot be read, or its experiment cannot be
 * run. */
enum status regress_run(const struct regress_request *request, struct regress_result *result,
                        struct diagnostic *diagnostic);
void regress_result_deinit(struct regress_result *result);

C_LINKAGE_END

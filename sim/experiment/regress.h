/* regress.h - runs the experiments of all goldens and compares their counts, exactly. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/common/tier.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

struct regress_request {
    const char *golden_folder; /* all its *.csv are run, in order of name */
    const char *configs_folder;
    enum tier tier;
    const char *workloads_folder;
    const char *const *sets; /* overrides applied to every experiment, to see which counts change */
    size_t set_count;
    const char *only; /* the name of one golden; NULL: all */
    bool bless;       /* write the measured counts into the goldens */
};

enum regress_verdict { REGRESS_PASSED, REGRESS_FAILED, REGRESS_SKIPPED, REGRESS_BLESSED };

/* A count that differs from the golden; a missing count is 0. */
struct regress_change {
    char name[128];
    unsigned long long golden, now;
};

struct regress_case {
    char name[64];
    enum regress_verdict verdict;
    char reason[1536]; /* why it was skipped, or failed for another reason than counts */
    struct regress_change *change;
    size_t change_count;
    size_t counts; /* number of counts compared */
};

struct regress_result {
    struct regress_case *of; /* owned */
    size_t count, failed, skipped;
};

/* STATUS_CONFIGURATION when there are no goldens, or one cannot be read. */
enum status regress_run(const struct regress_request *request, struct regress_result *result,
                        struct diagnostic *diagnostic);
void regress_result_deinit(struct regress_result *result);

C_LINKAGE_END

/* remarks.h - what somebody who reads a run's numbers should know of them: for standard error and
 * summary.json. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

enum { REMARKS_MAX = 8 };

struct remarks {
    struct diagnostic of[REMARKS_MAX]; /* each with key, text and hint */
    size_t count;
};

/* Clocks outside the range that the energy coefficients are from. */
void remarks_of_energy(struct remarks *remarks, const struct sim_config *config);

/* All of a run: these, stacks that ran below their ends, cores that run no program although the
 * configuration names them, fallbacks of a backend, and keys that were changed of parts that the
 * run has not used. */
void remarks_of_run(struct remarks *remarks, const struct record *record);

C_LINKAGE_END

/* host_run.h - a training of the modelled machine, done by the host instead: the same bits, without
 * time and joules.  Implemented in sim/host_backend. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* The training after an update. */
struct host_update {
    uint64_t update;        /* from 1 */
    const void *parameters; /* a parameter block */
    const int32_t *state;   /* nn_rule_state_words() for each place of the block */
};

/* Called after every update; a failure ends the training with that status. */
struct host_watcher {
    enum status (*updated)(void *context, const struct host_update *update,
                           struct diagnostic *diagnostic);
    void *context;
};

/* Trains and tests as the job says, and fills the outcome's fields of networks and of learning. */
enum status host_run(const struct job *job, const struct host_watcher *watcher,
                     struct outcome *outcome, struct diagnostic *diagnostic);

C_LINKAGE_END

/* host_run.h - what the host does in place of the modelled machine, or to judge it: a training with
 * the same bits, without time and joules; a test in double precision.  Implemented in
 * sim/host_backend. */
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
    const double *work;     /* [image]: of its batch, in the order of the positions: products that
                               depend on the image's errors */
    uint32_t images;
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

/* Numeric events of updates. */
struct host_numerics {
    uint64_t weight_saturations;
    uint32_t largest_sum;
};

/* Update 0, 1, ... of a job in int16, by the sums of a batch's gradients: of a block's places, as
 * the state (nn_rule_state_words() for each) and the parameters.  Adds to `met`.
 * STATUS_CONFIGURATION when a sum is too large (learning_has_room()). */
enum status host_update(const struct job *job, const struct learning *learning, uint64_t number,
                        int32_t *gradients, int32_t *state, int16_t *parameters,
                        struct host_numerics *met, struct diagnostic *diagnostic);

/* The accuracy, 0 to 1, of the job's weights in double precision on the job's own test images; NAN
 * when the weights have no values in double precision.  For jobs that do not train. */
enum status host_reference_accuracy(const struct job *job, double *accuracy,
                                    struct diagnostic *diagnostic);

C_LINKAGE_END

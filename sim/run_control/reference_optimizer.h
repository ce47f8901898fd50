/* reference_optimizer.h - a training on the modelled machine whose updates the host makes: for each
 * update the machine is loaded with the parameters (feed), trains a batch and leaves its sums of
 * gradients (fetch), of which the host makes the next parameters.  The weights are those of a
 * training with the optimizer on the cores, at a far higher cost of machine time: run.without:
 * optimizer.
 *
 * The programs of the cores are those of `train.optimizer: momentum`, with numbers that make the
 * velocity the sum of the gradients: momentum 0 and a rate of 2^-s that shifts by nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* In place of a backend's run().  learning.csv gets the rows of tests only; hooks hear nothing. */
enum status reference_optimizer_run(const struct job *job, struct outcome *outcome,
                                    struct diagnostic *diagnostic);

C_LINKAGE_END

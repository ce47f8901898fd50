/* sampling.h - a training of which the modelled machine executes a sample of updates only
 * (run.sample).  The host trains, which makes the same bits; at some places of the training its
 * parameters and optimizer state go to the machine, which executes the next updates and must end
 * with the host's parameters.  Time, joules and counts of an epoch are estimated from these
 * updates; accuracy is the host's. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Whether the job's training can be sampled.  STATUS_CONFIGURATION with the reason. */
enum status sampling_check(const struct job *job, struct diagnostic *diagnostic);

/* Trains, and fills the outcome: counters, joules and times of stages are those of the updates that
 * were executed; epochs and outcome->sample are estimates. */
enum status sampling_run(const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic);

C_LINKAGE_END

/* host_training.h - a job of mode: train on the host: from its configuration to trained weights and
 * rows of learning. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/operations.h"
#include "sim/run_control/host_run.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Trains in the job's number format.  Fills the outcome's learning fields, but not its results: the
 * caller tests the trained weights.  watcher: NULL, or of a training in a format of the machine.
 * The log is added to. */
enum status host_training_run(const struct job *job, const struct host_watcher *watcher,
                              struct operations_log *log, struct outcome *outcome,
                              struct diagnostic *diagnostic);

C_LINKAGE_END

/* host_training.h - a job of mode: train on the host: from its configuration to trained weights and
 * rows of learning. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/integer_train.h"
#include "sim/run_control/host_run.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Trains in the job's number format.  Fills the outcome's learning fields, but not its results: the
 * caller tests the trained weights.  watcher: NULL, or of a training in integers. */
enum status host_training_run(const struct job *job, const struct host_watcher *watcher,
                              struct outcome *outcome, struct diagnostic *diagnostic);

/* First part of host_training_run(): the malloc'ed parameter block with which an integer training
 * begins: the configuration's weights, or drawn ones. */
enum status host_training_initial(const struct job *job, void **initial,
                                  struct diagnostic *diagnostic);

/* Descriptions of the job's training, without callbacks.  `learning` and `initial` must outlive the
 * training. */
struct integer_training
host_training_integers(const struct job *job, const struct learning *learning, const void *initial);
struct reference_training host_training_doubles(const struct job *job);

C_LINKAGE_END

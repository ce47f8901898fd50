/* follower.h - a training on the host beside that of a run, update by update, and how far the run's
 * parameters are from it: the rows of parameters.csv.
 *
 * A run on the modelled machine is followed in the same integers: its distance is 0, or something
 * is wrong, and the first row that is not says in which update and layer.  A run on the host, whose
 * integers those are, is followed in double precision from the same weights, with the same images
 * in the same order: its distance is what the integers' rounding does. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct follower;

/* STATUS_CONFIGURATION when the host cannot do the job's training.  The job must last. */
enum status follower_open(const struct job *job, struct follower **follower,
                          struct diagnostic *diagnostic);

/* The host's next updates, up to number `update` of the run (from 1; at least one more than
 * before). parameters: the run's after that update, as job->table lays them out: adds a row for
 * each layer that has some to the outcome.  NULL: adds none. */
enum status follower_update(struct follower *follower, uint64_t update, const void *parameters,
                            struct outcome *outcome, struct diagnostic *diagnostic);

void follower_close(struct follower *follower);

/* The distance of two vectors, and the length of the first: a row's numbers. */
struct outcome_parameters follower_distance(const double *run, const double *host, size_t count);

C_LINKAGE_END

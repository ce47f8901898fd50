/* follower.h - repeats a run's training on the host, update by update, and measures the distance
 * between both sets of parameters: the rows of parameters.csv.
 *
 * A run on the modelled machine is compared with the same integer training on the host: the
 * distance must be 0, and the first other row names the update and layer of an error.  An integer
 * run on the host is compared with double precision from the same weights, with the same images in
 * the same order: the distance shows the effect of rounding. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct follower;

/* STATUS_CONFIGURATION when the host cannot do the job's training.  The job must outlive the
 * follower. */
enum status follower_open(const struct job *job, struct follower **follower,
                          struct diagnostic *diagnostic);

/* Performs the host's next updates, up to number `update` of the run (from 1; at least one more
 * than before). parameters: the run's parameters after that update, laid out by job->table; a row
 * for each layer with parameters is added to the outcome.  NULL: no rows are added. */
enum status follower_update(struct follower *follower, uint64_t update, const void *parameters,
                            struct outcome *outcome, struct diagnostic *diagnostic);

void follower_close(struct follower *follower);

/* The length of `run` and its distance from `host`: the numbers of a row. */
struct outcome_parameters follower_distance(const double *run, const double *host, size_t count);

C_LINKAGE_END

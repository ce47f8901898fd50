/* follower.h - a training on the host beside that of a run, update by update, and how far the run's
 * parameters are from it: the rows of parameters.csv.
 *
 * A run on the modelled machine is followed in the same integers: its distance is 0, or something
 * is wrong, and the first row that is not says in which update and layer.  A run on the host, whose
 * integers those are, is followed in double precision from the same weights, with the same images
 * in the same order: its distance is what the integers' rounding does. */
#ifndef SIM_RUN_CONTROL_FOLLOWER_H
#define SIM_RUN_CONTROL_FOLLOWER_H
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
#ifdef __cplusplus
extern "C" {
#endif

struct follower;

/* STATUS_CONFIGURATION when the host cannot do the job's training.  The job must last. */
enum status follower_open(const struct job *job, struct follower **follower,
                          struct diagnostic *diagnostic);

/* To be called after each update of the run, from the first on: the host does the same one.  Every
 * record.parameter_norms updates it adds a row for each layer with parameters to the outcome.
 * parameters: the run's, as job->table lays them out; NULL is right when follower_looks() was
 * false. */
enum status follower_update(struct follower *follower, const int16_t *parameters,
                            struct outcome *outcome, struct diagnostic *diagnostic);

/* Whether the next follower_update() adds rows. */
bool follower_looks(const struct follower *follower);

void follower_close(struct follower *follower);

/* The distance of two vectors, and the length of the first: a row's numbers. */
struct outcome_parameters follower_distance(const double *run, const double *host, size_t count);

#ifdef __cplusplus
}
#endif
#endif

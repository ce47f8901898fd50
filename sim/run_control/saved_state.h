/* saved_state.h - what a saved run is of, and whether a job can go on from it (--restore, sweep
 * --from).
 *
 * A job goes on from a state of the same program spinnsim, the same guest programs and data, and
 * the same configuration but for keys that the state does not depend on: hardware parameters that
 * are free (models/machine/free_parameters.def), what the host decides (free_keys.def), records,
 * energy, names and bounds.  A job with other such keys is a fork: its results belong to no run
 * from the beginning, and its sim_hash says so. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/state/state_file.h"
C_LINKAGE_BEGIN

/* A key of the simulated system whose value is another than in the state. */
struct saved_change {
    char *key, *was, *now; /* owned */
};

/* What makes a run a fork. */
struct saved_fork {
    char origin[SHA256_HEX_CHARS]; /* sim_hash of the run that it goes on from */
    uint64_t time_ps;              /* when that was saved */
    struct saved_change *change;   /* owned */
    size_t changes;                /* 0: it is no fork, but the same run */
};

struct saved_state {
    struct state_file file;
    uint64_t time_ps;
    bool same_energy;       /* the coefficients are those of the run that saved it */
    struct saved_fork fork; /* of this run, or else of the one that saved it */
};

/* Part of job_prepare(), behind job_identify(): opens the state that job->options.restore names,
 * and fills job->restored and the hash of a fork.  STATUS_CONFIGURATION: naming the file; or the
 * key, with both values and why the state depends on it. */
enum status saved_state_open(struct job *job, struct diagnostic *diagnostic);
void saved_state_close(struct saved_state *state);

/* Whether the results belong to no run from the beginning. */
bool saved_state_is_fork(const struct job *job);

/* Adds the sections that saved_state_open() reads.  False: out of memory, or the program's own file
 * cannot be read. */
bool saved_state_describe(const struct job *job, uint64_t time_ps, struct state_writer *writer);

/* SHA-256 of this program's own file is added: another build may lay out its state in another way.
 * False: it cannot be read. */
bool saved_state_add_program(struct sha256 *hash);

C_LINKAGE_END

/* sweep.h - many runs of one experiment: every combination of the values of its axes.
 *
 * A point is a run with a result folder of its own, OUT/NAME-HASH, named after what is simulated
 * (sim_hash): a point that has run is not run again, whoever has asked for it.  Points that differ
 * in energy.* alone share a folder; their joules are computed from its counters.  Each point runs
 * in a process of its own, so that its end, however it comes, leaves the others alone. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/experiment.h"
#include "sim/sweep/axes.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { SWEEP_JOBS_MAX = 256 };

struct sweep_request {
    struct experiment_request run; /* file, overrides, options of the job */
    const char *const *axes;       /* KEY=A,B,C */
    size_t axis_count;
    const char *out;            /* NULL: out */
    unsigned jobs;              /* processes at the same time: 1 to SWEEP_JOBS_MAX */
    const char *scripts_folder; /* of figures */
    void (*progress)(void *context, const struct job_progress *now);
    void *context;
};

enum point_state {
    POINT_OPEN,    /* not run yet */
    POINT_DONE,    /* has results; their status says more */
    POINT_REFUSED, /* its configuration is no run: see message */
    POINT_FAILED,  /* ended without results: see message */
};

struct point {
    enum point_state state;
    char *folder; /* NULL: refused */
    char *message;
    size_t runs_for; /* the first point with the same folder: itself, or an earlier one */
    bool kept;       /* its results were there before */
    char energy_hash[SHA256_HEX_CHARS]; /* of its coefficients; a shared folder may have others */
    int process;                        /* while it runs; 0: none */
};

struct sweep {
    const struct sweep_request *request;
    struct sim_config config; /* of the file */
    struct axes axes;
    struct point *point;
    char *name; /* of the experiment */
    const char *out;
};

/* Reads the file and its axes.  Runs nothing.  sweep_deinit() after success. */
enum status sweep_begin(struct sweep *sweep, const struct sweep_request *request,
                        struct diagnostic *diagnostic);
void sweep_deinit(struct sweep *sweep);

/* Checks every point, and finds those that have run. */
enum status sweep_plan(struct sweep *sweep, struct diagnostic *diagnostic);

/* A line for each point: the command that runs it, quoted for a shell. */
enum status sweep_list(struct sweep *sweep, FILE *stream, struct diagnostic *diagnostic);

/* Points, those that have run, and what the others will take by what those took. */
void sweep_estimate(const struct sweep *sweep, FILE *stream);

/* Runs the points that have not run, and writes OUT/NAME-sweep.csv and the figure under `plot`.
 * STATUS_OK though points were refused, failed, or are outside `accept`: the table says so. */
enum status sweep_run(struct sweep *sweep, struct diagnostic *diagnostic);

/* The table of results, one row for each point; the same bytes however the points came to run. */
enum status sweep_write_table(const struct sweep *sweep, const char *path,
                              struct diagnostic *diagnostic);

/* The overrides of a point, in the order of the command line: those of the request, then its own.
 * Free with point_sets_free().  NULL: out of memory. */
struct point_sets {
    const char **set;
    size_t count;
    char *text;
};
bool point_sets_make(const struct sweep *sweep, size_t point, struct point_sets *sets);
void point_sets_free(struct point_sets *sets);

/* Prepares the point's experiment. */
enum status point_prepare(const struct sweep *sweep, size_t point, struct experiment *experiment,
                          struct diagnostic *diagnostic);

C_LINKAGE_END

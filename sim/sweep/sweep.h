/* sweep.h - many runs of one experiment: every combination of the values of its axes.
 *
 * A point is a run with a result folder of its own, OUT/NAME-HASH, named after what is simulated
 * (sim_hash): a point that has run is not run again, whoever has asked for it.  Points that differ
 * in energy.* alone share a folder; their joules are computed from its counters.  Each point runs
 * in a process of its own, so that its end, however it comes, leaves the others alone. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/experiment.h"
#include "sim/reports/plot.h"
#include "sim/results/results.h"
#include "sim/sweep/axes.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { SWEEP_JOBS_MAX = 256 };

struct sweep_request {
    struct experiment_request run; /* file, overrides, options of the job */
    const char *const *axes;       /* KEY=A,B,C */
    size_t axis_count;
    const char *out;                /* NULL: out */
    unsigned jobs;                  /* processes at the same time: 1 to SWEEP_JOBS_MAX */
    const char *scripts_folder;     /* of figures */
    const char *const *run_options; /* of the points, as of `spinnsim run`: option, value, ... */
    size_t run_option_count;
    void (*progress)(void *context, const struct job_progress *now);
    /* Older results that are not those that their run wrote: they are run again. */
    void (*warn)(void *context, const struct diagnostic *why);
    void *context;
};

enum point_state {
    POINT_OPEN,    /* not run yet */
    POINT_DONE,    /* has results */
    POINT_OUTSIDE, /* has results, one of them outside `accept` */
    POINT_LIMIT,   /* has results up to a limit: see message */
    POINT_GUEST,   /* has results up to the failure of a guest: see message */
    POINT_REFUSED, /* its configuration is no run: see message */
    POINT_FAILED,  /* ended without results: see message */
    POINT_STATES
};

struct point {
    enum point_state state;
    char *folder; /* NULL: refused */
    char *message;
    size_t runs_for; /* the first point with the same folder: itself, or an earlier one */
    bool kept;       /* its results were there before */
    bool distrusted; /* there were results that do not match their manifest */
    char energy_hash[SHA256_HEX_CHARS]; /* of its coefficients; a shared folder may have others */
    int process;                        /* while it runs; 0: none */
};

/* What came of the figure under `plot`; all 0 without one. */
struct sweep_figure {
    size_t runs; /* with results, each once: drawn or left out */
    struct plot_left_out left_out;
};

struct sweep {
    const struct sweep_request *request;
    struct sim_config config; /* of the file */
    struct axes axes;
    struct job_store *store; /* of all points */
    struct point *point;
    void *by_folder; /* tsearch(): the first point of each folder */
    char *name;      /* of the experiment */
    const char *out;
    struct sweep_figure figure;
};

/* Reads the file and its axes, and checks the keys of its figure.  Runs nothing.  sweep_deinit()
 * after success. */
enum status sweep_begin(struct sweep *sweep, const struct sweep_request *request,
                        struct diagnostic *diagnostic);
void sweep_deinit(struct sweep *sweep);

/* Checks every point, and finds those that have run. */
enum status sweep_plan(struct sweep *sweep, struct diagnostic *diagnostic);

/* A line for each point of a plan: the command that runs it, quoted for a shell. */
enum status sweep_list(const struct sweep *sweep, FILE *stream, struct diagnostic *diagnostic);

/* Points, those that have run, and what the others will take by what those took. */
void sweep_estimate(const struct sweep *sweep, FILE *stream);

/* Runs the points that have not run, and writes OUT/NAME-sweep.csv and the figure under `plot`.
 * STATUS_OK though points were refused, failed, or are outside `accept`: the table says so. */
enum status sweep_run(struct sweep *sweep, struct diagnostic *diagnostic);

/* How many points are in each state. */
struct sweep_counts {
    size_t of[POINT_STATES];
};
struct sweep_counts sweep_count(const struct sweep *sweep);

/* The status of a sweep that has run, with a message about the first point that has it.  STATUS_OK
 * if any point has worked (POINT_DONE, POINT_OUTSIDE) or, with `strict`, if all are POINT_DONE.
 * Otherwise the first of these that a point has: STATUS_INTERNAL (POINT_FAILED), STATUS_GUEST,
 * STATUS_LIMIT, STATUS_REJECTED (POINT_OUTSIDE), STATUS_CONFIGURATION (POINT_REFUSED). */
enum status sweep_verdict(const struct sweep *sweep, bool strict, struct diagnostic *diagnostic);

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

/* Takes the point's end if its folder has complete results of the simulation with this hash, as
 * their run wrote them; warns of others (sweep_request).  STATUS_INTERNAL when out of memory. */
enum status point_find_results(const struct sweep *sweep, struct point *point, const char *sim_hash,
                               struct diagnostic *diagnostic);

/* Prepares the point's experiment. */
enum status point_prepare(const struct sweep *sweep, size_t point, struct experiment *experiment,
                          struct diagnostic *diagnostic);

/* ---- parts of the above ---- */

/* Tells the request's progress that `done` of `total` points have come through a stage. */
void sweep_tell(const struct sweep *sweep, const char *stage, size_t done, size_t total);

bool point_has_results(const struct point *point);

/* Takes state and message of a point from its results; a status that no run has leaves the point as
 * it is.  STATUS_INTERNAL when out of memory. */
enum status point_take_end(struct point *point, const struct results *results,
                           struct diagnostic *diagnostic);

/* Checks that results or configuration can have the keys under `plot`.  STATUS_CONFIGURATION at the
 * key's place. */
enum status sweep_check_figure(const struct sweep *sweep, struct diagnostic *diagnostic);

/* Draws the figure under `plot` of all runs that have its values, if any has; fills
 * sweep->figure. */
enum status sweep_draw(struct sweep *sweep, struct diagnostic *diagnostic);

C_LINKAGE_END

/* handle.h - an experiment of the library, and the coroutine that runs it.  Private to sim/library.
 */
#pragma once
#include "sim/experiment/experiment.h"
#include "sim/library/spinnsim.h"

#include <pthread.h>

enum handle_state {
    HANDLE_READY,   /* nothing has run */
    HANDLE_RUNNING, /* the runner's turn */
    HANDLE_STANDS,  /* within the run; the caller's turn */
    HANDLE_ENDED
};

/* The run is a thread of its own, which and the caller take turns: one waits while the other works,
 * so that nothing needs a lock.  It stops where the caller wants: in the machine's clock
 * (job_options.run_until), or at an event (job_options.hook). */
struct spinnsim {
    struct experiment experiment;
    char *configs, *workloads, *data; /* owned */
    char **set;                       /* owned */
    size_t set_count;

    pthread_t runner;
    pthread_mutex_t mutex; /* of `state` */
    pthread_cond_t turn;
    enum handle_state state;

    /* What the caller wants */
    uint64_t pause_ps; /* TIME_NEVER: none */
    uint32_t events;
    bool stops, stops_epoch, closing;

    /* What the runner shows */
    struct machine *machine; /* NULL: none now */
    struct job_live live;    /* as last heard; its job NULL: nothing has been */
    struct job_event event;
    bool at_event;
    enum status status;
    struct diagnostic diagnostic;
    char *summary; /* owned */
};

/* Lets the run go on until it stands or has ended. */
enum status runner_go_on(struct spinnsim *handle, struct diagnostic *diagnostic);

/* Gives up a run that stands. */
void runner_end(struct spinnsim *handle);

/* For experiment_request. */
void runner_follow(struct spinnsim *handle, struct job_options *options);

/* STATUS_OK; fills *error for others, unless it is NULL. */
enum spinnsim_status handle_status(enum status status, const struct diagnostic *diagnostic,
                                   struct spinnsim_error *error);

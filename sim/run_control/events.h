/* events.h - a run as a hook sees it (job_options.hook): at the events of events.def, in that
 * order.
 *
 * A hook changes no result: counts, times and bits are those of a run without it.  On the machine
 * an epoch's updates are one command; the hook hears of each when the machine stops next, at most 4
 * us of its time later; `time_ps` is when it happened. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct job;
struct load_plan;
struct machine;

enum job_event_kind {
#define EVENT(NAME, name, help) JOB_##NAME,
#include "sim/run_control/events.def"
    JOB_EVENTS
};

/* "before_run"; what it means. */
const char *job_event_name(enum job_event_kind kind);
const char *job_event_help(enum job_event_kind kind);

/* A run that stands: what can be read of it. */
struct job_live {
    const struct job *job;
    struct machine *machine;      /* NULL: on the host */
    const struct load_plan *plan; /* NULL: on the host, or programs other than networks */
    const void *parameters;       /* on the host: the current ones; NULL: the job's */
};

struct job_event {
    enum job_event_kind kind;
    uint64_t epoch;        /* from 1; 0: none has begun */
    uint64_t update;       /* from 1, over the whole run; of BEFORE_STEP the next; 0: none */
    uint64_t time_ps;      /* machine time; 0 on the host */
    double loss, accuracy; /* AFTER_STEP of the host: of the update; from AFTER_TEST_SET on: of the
                              last test; NAN: not known */
    const struct job_live *live;
};

/* Tells the hook of an event that it wants; false: it wants the run to end, which it may at the
 * checks. */
bool job_tell(const struct job *job, const struct job_event *event);
bool job_hears(const struct job *job, enum job_event_kind kind);

/* Reads all parameters as real numbers, layer by layer, weights before biases
 * (weights_place()): network_parameters() of them.  On the machine they are those of the last
 * completed command (an epoch), in mode infer those in its memory.  STATUS_CONFIGURATION: programs
 * without a network have none. */
enum status job_live_parameters(const struct job_live *live, double *parameters,
                                struct diagnostic *diagnostic);

C_LINKAGE_END

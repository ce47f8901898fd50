/* core_watch.h - a run that is repeated to see the last that one core has done: its instructions,
 * the packets that it has sent and received.  Private to sim/run_control.
 *
 * The core is stopped before each instruction of the last cycles only, and packets are recorded on
 * the way; neither changes a count. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/crash/last_instructions.h"
C_LINKAGE_BEGIN

enum { WATCH_PACKETS = 8 };

/* The last packets of one kind. */
struct watch_packets {
    struct machine_event of[WATCH_PACKETS];
    uint64_t count; /* noted so far; number n is of[n % WATCH_PACKETS] */
};

struct core_watch {
    struct machine_core core;
    uint64_t until_active_cycles; /* of the core at the end */
    bool ends_at_fault;           /* the run is over with the first fault */
    bool sees_each;               /* instruction, from now on */
    uint64_t last_ps;             /* when the last of them began; 0: none has been seen */
    uint64_t taken_ps;            /* when packets were last taken */
    struct trace_view before;
    struct last_instructions instructions;
    struct watch_packets sent, received;
};

/* Begins, in a machine that is loaded and has an observer of samples. */
void core_watch_begin(struct core_watch *watch, struct machine *machine);

/* For machine_observer.sample. */
void core_watch_sample(struct core_watch *watch, struct machine *machine, struct machine_core core);

/* When the machine must next stop for core_watch_take(), which takes packets. */
uint64_t core_watch_stop_ps(const struct core_watch *watch);
void core_watch_take(struct core_watch *watch, struct machine *machine);

/* The core has come to its end. */
void core_watch_end(struct core_watch *watch, struct machine *machine);

C_LINKAGE_END

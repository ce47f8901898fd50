/* machine_state.h - the state of a machine.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/chip.h"
#include "models/machine/machine.h"
#include <pthread.h>
C_LINKAGE_BEGIN

struct team;
struct devices;

/* The schedule of the chips.  In a synchronisation window, a span of machine time, no chip can
 * affect another one, so the chips with events may run in any order, or in parallel on several host
 * threads. */
struct schedule {
    uint64_t lookahead_ps; /* the least time from an event of a chip to its earliest effect on a
                              neighbour */
    uint64_t *next_ps;     /* of each chip: the time of its next event, ... */
    uint64_t *reach_ps; /* ... and the earliest time at which that event can affect another chip */
    unsigned *active;   /* the chips with events in this window */
    unsigned active_count;
    uint64_t window_ps; /* end of the window */
    uint64_t until_ps;  /* end of the run */
    struct team *team;  /* NULL: the caller's thread alone */
    pthread_mutex_t observing;
};

struct machine {
    struct machine_config config;
    struct topology topology;
    struct chip *chip; /* in the topology's order: by x, then y */
    unsigned chip_count;
    struct arm968_translator *translator; /* NULL: code is only interpreted */
    struct arm968_code_library *library;  /* shared by all cores: equal programs are decoded once */
    struct schedule schedule;
    uint64_t time_ps;
    struct purposes purposes;
    struct devices *devices; /* at the ends of links; NULL: there has never been any device */
};

/* NULL when there is no such core. */
struct core *machine_find_core(const struct machine *machine, struct machine_core core);

/* STATUS_INTERNAL when out of memory. */
enum status schedule_init(struct machine *machine);
void schedule_deinit(struct machine *machine);

/* Devices have been attached: computes the lookahead again. */
void schedule_look(struct machine *machine);

C_LINKAGE_END

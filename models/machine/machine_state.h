/* machine_state.h - what a machine is made of.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/chip.h"
#include "models/machine/machine.h"
#include <pthread.h>
C_LINKAGE_BEGIN

struct team;

/* Which chips run when: synchronisation windows, spans of machine time within which no
 * chip can reach another one, so that the chips that have something to do may do it in any order,
 * or at once on several host threads. */
struct schedule {
    uint64_t lookahead_ps; /* the least time from a chip's event to what a neighbour can notice */
    uint64_t *next_ps;     /* of each chip: when it will next do something, ... */
    uint64_t *reach_ps;    /* ... and when that can first begin to leave it */
    unsigned *active;      /* the chips that have something to do in this window */
    unsigned active_count;
    uint64_t window_ps; /* its end */
    uint64_t until_ps;  /* the end of the run */
    struct team *team;  /* NULL: the caller's thread alone */
    pthread_mutex_t observing;
};

struct machine {
    struct machine_config config;
    struct topology topology;
    struct chip *chip; /* in the topology's order: by x, then y */
    unsigned chip_count;
    struct arm968_translator *translator; /* NULL: cores are interpreted */
    struct arm968_code_library *library;  /* of all cores: equal programs are decoded once */
    struct schedule schedule;
    uint64_t time_ps;
    struct purposes purposes;
};

/* NULL when there is no such core. */
struct core *machine_find_core(const struct machine *machine, struct machine_core core);

/* STATUS_INTERNAL when out of memory. */
enum status schedule_init(struct machine *machine);
void schedule_deinit(struct machine *machine);

C_LINKAGE_END

/* schedule.h - which chips run when: synchronisation windows, spans of machine time within which no
 * chip can reach another one, so that the chips that have something to do may do it in any order,
 * or at once on several host threads.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"

#include <pthread.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct machine;
struct team;

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

/* STATUS_INTERNAL when out of memory. */
enum status schedule_init(struct machine *machine);
void schedule_deinit(struct machine *machine);

C_LINKAGE_END

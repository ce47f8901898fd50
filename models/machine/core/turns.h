/* turns.h - the order of the events of a chip's cores: by (time, core number).  Private to
 * models/machine.
 *
 * A core's turn is the time of its next event.  The cores are divided into groups, and each group
 * keeps its earliest turn: after a change, the turns of that group are compared, then the
 * groups. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum { TURNS_GROUPS = 4, TURNS_GROUP = 5, TURNS_CORES = 18, TURNS_CORE_BITS = 5 };

/* The latest time that can be represented exactly: 160 hours.  Later times compare equal. */
#define TURNS_LAST_PS (UINT64_MAX >> TURNS_CORE_BITS)

/* A turn holds a time and, in its low bits, the core number. */
struct turns {
    uint64_t time_ps[TURNS_CORES];            /* the time set for each core */
    uint64_t turn[TURNS_GROUP][TURNS_GROUPS]; /* of core p: the p-th element; a group is a column */
    uint64_t group[TURNS_GROUPS];             /* the earliest turn of each group */
    uint64_t first;                           /* the earliest turn of all cores */
};

static inline uint64_t turns_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline unsigned turns_core(uint64_t turn)
{
    return turn & ((1u << TURNS_CORE_BITS) - 1);
}

/* Sets the time of a core's next event. */
static inline void turns_set(struct turns *turns, unsigned core, uint64_t time_ps)
{
    if (turns->time_ps[core] == time_ps) {
        return;
    }
    turns->time_ps[core] = time_ps;
    const unsigned group = core % TURNS_GROUPS;
    const uint64_t turn = turns_earlier(time_ps, TURNS_LAST_PS) << TURNS_CORE_BITS | core;
    turns->turn[core / TURNS_GROUPS][group] = turn;
    uint64_t earliest = turns->turn[0][group];
    for (unsigned i = 1; i < TURNS_GROUP; i++) {
        earliest = turns_earlier(earliest, turns->turn[i][group]);
    }
    turns->group[group] = earliest;
    turns->first = turns->group[0];
    for (unsigned i = 1; i < TURNS_GROUPS; i++) {
        turns->first = turns_earlier(turns->first, turns->group[i]);
    }
}

/* The core with the earliest event. */
static inline unsigned turns_first(const struct turns *turns)
{
    return turns_core(turns->first);
}

/* The time of the earliest event. */
static inline uint64_t turns_first_ps(const struct turns *turns)
{
    return turns->time_ps[turns_first(turns)];
}

/* The core with the second earliest event. */
static inline unsigned turns_second(const struct turns *turns)
{
    const unsigned group = turns_first(turns) % TURNS_GROUPS;
    const uint64_t behind = turns->first + 1; /* makes the first core's turn the farthest */
    uint64_t second = turns->turn[0][group] - behind;
    for (unsigned i = 1; i < TURNS_GROUP; i++) {
        second = turns_earlier(second, turns->turn[i][group] - behind);
    }
    for (unsigned i = 1; i < TURNS_GROUPS; i++) {
        second = turns_earlier(second, turns->group[group ^ i] - behind);
    }
    return turns_core(second + behind);
}

/* No core has an event. */
static inline void turns_init(struct turns *turns)
{
    for (unsigned place = 0; place < TURNS_GROUP * TURNS_GROUPS; place++) {
        turns->turn[place / TURNS_GROUPS][place % TURNS_GROUPS] = UINT64_MAX;
    }
    for (unsigned group = 0; group < TURNS_GROUPS; group++) {
        turns->group[group] = UINT64_MAX;
    }
    for (unsigned core = 0; core < TURNS_CORES; core++) {
        turns->time_ps[core] = 0; /* a time other than the new one */
        turns_set(turns, core, UINT64_MAX);
    }
}

C_LINKAGE_END

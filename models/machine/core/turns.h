/* turns.h - in which order the cores of a chip have their events: by (time, number).  Private to
 * models/machine.
 *
 * The cores stand in groups, and each group keeps the earliest turn of its own: where a turn
 * changes, those of its group are compared, and then the groups. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum { TURNS_GROUPS = 4, TURNS_GROUP = 5, TURNS_CORES = 18, TURNS_CORE_BITS = 5 };

/* The last time that is told from later ones: after 160 hours. */
#define TURNS_LAST_PS (UINT64_MAX >> TURNS_CORE_BITS)

/* A turn is a time and, in its low bits, the number of the core. */
struct turns {
    uint64_t time_ps[TURNS_CORES];            /* as it has been set, of each core */
    uint64_t turn[TURNS_GROUP][TURNS_GROUPS]; /* core p's is the p-th: a group is a column */
    uint64_t group[TURNS_GROUPS];             /* the earliest of each */
    uint64_t first;                           /* of all */
};

static inline uint64_t turns_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline unsigned turns_core(uint64_t turn)
{
    return turn & ((1u << TURNS_CORE_BITS) - 1);
}

/* A core's turn comes at a time. */
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

/* The core whose turn comes first. */
static inline unsigned turns_first(const struct turns *turns)
{
    return turns_core(turns->first);
}

/* When that is. */
static inline uint64_t turns_first_ps(const struct turns *turns)
{
    return turns->time_ps[turns_first(turns)];
}

/* The core whose turn comes next after the first one's. */
static inline unsigned turns_second(const struct turns *turns)
{
    const unsigned group = turns_first(turns) % TURNS_GROUPS;
    const uint64_t behind = turns->first + 1; /* from there the first one's turn is the farthest */
    uint64_t second = turns->turn[0][group] - behind;
    for (unsigned i = 1; i < TURNS_GROUP; i++) {
        second = turns_earlier(second, turns->turn[i][group] - behind);
    }
    for (unsigned i = 1; i < TURNS_GROUPS; i++) {
        second = turns_earlier(second, turns->group[group ^ i] - behind);
    }
    return turns_core(second + behind);
}

/* Nobody's turn comes. */
static inline void turns_init(struct turns *turns)
{
    for (unsigned place = 0; place < TURNS_GROUP * TURNS_GROUPS; place++) {
        turns->turn[place / TURNS_GROUPS][place % TURNS_GROUPS] = UINT64_MAX;
    }
    for (unsigned group = 0; group < TURNS_GROUPS; group++) {
        turns->group[group] = UINT64_MAX;
    }
    for (unsigned core = 0; core < TURNS_CORES; core++) {
        turns->time_ps[core] = 0; /* any but the next */
        turns_set(turns, core, UINT64_MAX);
    }
}

C_LINKAGE_END

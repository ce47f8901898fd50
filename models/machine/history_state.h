/* history_state.h - what a history (history.h) has.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/history.h"
#include "models/machine/kept_state.h"
C_LINKAGE_BEGIN

enum { HISTORY_STATES = 64 }; /* at most */

/* A place in the order in which things happen: at equal times by the core's number in the machine.
 * A time at which no core has stopped is before all cores. */
struct history_place {
    uint64_t time_ps;
    int64_t core; /* -1: before all cores */
};

struct history_breakpoint {
    struct machine_core core;
    uint32_t address;
};

/* What has been reported of a core, so that it is not reported again. */
struct history_told {
    uint64_t mark_cycle; /* the next mark to report is at this cycle or later */
    uint64_t sample_cycle;
};

struct machine_history {
    struct machine *machine;
    struct machine_observer observer; /* the owner's */
    uint64_t interval_ps;
    size_t budget_bytes, held_bytes;
    struct kept_state *state[HISTORY_STATES]; /* by time */
    unsigned states;
    struct kept_state *last; /* the one that the machine was last kept as, or restored to */
    struct history_breakpoint *breaks;
    size_t break_count, break_room;
    struct history_told *told; /* of each core of each chip */
    struct history_place told_frame,
        told_fault;          /* the last ones; a frame's core is its chip's number */
    bool fault_ends;         /* the observer's last answer */
    struct history_place at; /* where the machine stands */
    struct history_place
        passed; /* hits up to here have been told, though the machine stands before */

    /* The current run. */
    bool stops; /* ends at the first hit; otherwise the last one is searched */
    bool quiet; /* hits do not count */
    bool found; /* a hit has been noted: */
    struct history_hit hit;
    struct history_place least, most; /* hits count behind `least` and before `most` */

    /* Stores to watched bytes at the time of the last hit: where the machine stands they have been
     * made, so running on does not find them. */
    struct history_hit *tied;
    size_t tied_count, tied_room;
};

/* ---- history_reports.c ---- */

static inline bool history_is_before(struct history_place a, struct history_place b)
{
    return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.core < b.core;
}

struct history_place history_place_of(const struct machine_history *history,
                                      const struct history_hit *hit);

/* Puts the history between the machine and its observer. */
void history_observe(struct machine_history *history);

/* What has been told of the future that is given up will be told anew. */
void history_forget_future(struct machine_history *history);

/* ---- history_points.c ---- */

bool history_has_break(const struct machine_history *history, struct machine_core core,
                       uint32_t address);

C_LINKAGE_END

/* kept_state.h - states of a machine in the host's memory, which share what has not changed from
 * one to the next.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine_state.h"
C_LINKAGE_BEGIN

struct kept_state;

/* The state of a machine between runs.  `before`: the state that the machine was last kept as or
 * restored to, NULL for none: unchanged pages are shared with it.  *held_bytes counts the host's
 * memory that all states hold which were given the same counter.  NULL: out of memory. */
struct kept_state *kept_state_take(struct machine *machine, const struct kept_state *before,
                                   size_t *held_bytes);

/* The machine has this state again; code is decoded anew where it is executed. */
void kept_state_restore(const struct kept_state *state, struct machine *machine);

/* Frees what no other state shares; NULL is permitted. */
void kept_state_drop(struct kept_state *state);

uint64_t kept_state_time_ps(const struct kept_state *state);

C_LINKAGE_END

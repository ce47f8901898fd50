/* ahead.h - a core that is ahead of itself.  Private to models/machine.
 *
 * Behind its lookahead an interrupt can come that nobody knows of yet.  The core goes on all the
 * same, in what is its own alone: registers, TCMs, timers, VIC and communications controller.
 * Before that it saves all of them: a checkpoint.  The core does not do what others could see, or
 * what cannot be rolled back: it stops there until it is its turn.  When something becomes known
 * that reaches the core at a time that it has passed awake, the core is rolled back to the
 * checkpoint and runs again, up to that time.  Nobody has seen what the core did meanwhile, so
 * nobody else is ever rolled back. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core/core.h"
C_LINKAGE_BEGIN

/* From now_ps on, the core's own time, it is ahead, for the span that is due. */
void core_ahead_begin(struct core *core, uint64_t now_ps);

/* It has stopped: where it has not moved it is not ahead. */
void core_ahead_stopped(struct core *core);

/* It is the core's turn at now_ps, or something reaches it: nothing earlier can come any more, and
 * the core has not been awake later. */
void core_ahead_end(struct core *core, uint64_t now_ps);
static inline void core_ahead_settle(struct core *core, uint64_t now_ps)
{
    if (core->ahead.on) {
        core_ahead_end(core, now_ps);
    }
}

/* Up to when what the core has done is settled. */
uint64_t core_settled_ps(const struct core *core);

/* The run ends here: what the core has done ahead of that is rolled back. */
void core_ahead_drop(struct core *core);

/* Something is now known to reach the core at event_ps by some of the sources.  If the core has
 * passed that time awake it is rolled back. */
void core_foresee(struct core *core, uint32_t sources, uint64_t event_ps);

/* The VIC's enables have changed: the core notices more sources than before. */
static inline void core_ahead_lets_in(struct core *core)
{
    core->ahead.let_in |= core->d.vic.enable;
}

void core_ahead_deinit(struct core *core);

C_LINKAGE_END

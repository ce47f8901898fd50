/* ahead.h - a core that runs beyond its lookahead ("ahead").  Private to models/machine.
 *
 * Beyond the lookahead an interrupt that is not yet known may reach the core.  The core runs on
 * speculatively, touching only what belongs to it alone: registers, TCMs, timers, VIC and
 * communications controller.  All of them are saved before that: a checkpoint.  At an event that
 * others could see, or that cannot be rolled back, the core stops until that event is next in
 * order.  If it becomes known that something reaches the core at a time that it has already passed
 * awake, the core is rolled back to the checkpoint and runs again up to that time.  Nobody has seen
 * the speculative work, so a rollback never spreads to other cores. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core/core.h"
C_LINKAGE_BEGIN

/* The core runs ahead from now_ps, its own time, for the span that is due. */
void core_ahead_begin(struct core *core, uint64_t now_ps);

/* The core has stopped.  If it has not advanced, it is not ahead. */
void core_ahead_stopped(struct core *core);

/* To be called when the core is next in order at now_ps, or when something reaches it: nothing
 * earlier can reach it any more, and it has not been awake later than now_ps. */
void core_ahead_end(struct core *core, uint64_t now_ps);
static inline void core_ahead_settle(struct core *core, uint64_t now_ps)
{
    if (core->ahead.on) {
        core_ahead_end(core, now_ps);
    }
}

/* Time up to which the core's work is settled: it can no longer be rolled back. */
uint64_t core_settled_ps(const struct core *core);

/* The run ends at this time.  Rolls back what the core did beyond it. */
void core_ahead_drop(struct core *core);

/* Something is now known to reach the core at event_ps through some of the sources.  Rolls the core
 * back if it has passed that time awake. */
void core_foresee(struct core *core, uint32_t sources, uint64_t event_ps);

/* The VIC's enables have changed: more sources can now interrupt the core. */
static inline void core_ahead_lets_in(struct core *core)
{
    core->ahead.let_in |= core->d.vic.enable;
}

void core_ahead_deinit(struct core *core);

C_LINKAGE_END

/* core_run.h - a core that runs by itself: how far it may, and how far it did.  Private to
 * models/machine.
 *
 * Three times bound a run.  Up to the first, hard_ps, everything that will happen to the core is
 * known, whatever its VIC lets in.  The second is its promise: before it nobody can interrupt it.
 * Behind the promise, up to the first, it may only be ahead of itself (core_ahead.h).  Before the
 * third, comms_ps, nobody changes what its communications controller shows. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core.h"
C_LINKAGE_BEGIN

/* Sources that others than the core itself raise, of those that it lets in.  Its own masks in CPSR
 * do not count: the next instruction can take them away. */
static inline uint32_t core_foreign_sources(const struct core *core)
{
    return core->d.vic.enable & ~VIC_OWN_SOURCES;
}

/* The act of running: up to the promise, to where the core needs others, or further. */
void core_run(struct core *core, const struct core_outlook *outlook);

C_LINKAGE_END

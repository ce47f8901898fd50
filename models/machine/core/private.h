/* private.h - a core's timers and VIC, which the core accesses without involving others.  Private
 * to models/machine; core_update_interrupts() is in core.h. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core/core.h"
C_LINKAGE_BEGIN

/* Determines the next cycle at which the timers or the VIC change by themselves: private_cycle. */
void core_private_plan(struct core *core);

/* Performs all changes due by `cycle`, each at its own cycle. */
void core_private_catch_up(struct core *core, uint64_t cycle);

static inline void core_private_advance(struct core *core, uint64_t cycle)
{
    if (core->private_cycle <= cycle) {
        core_private_catch_up(core, cycle);
    }
}

/* Performs an access at a cycle; a store to a buffered alias takes effect later. */
enum arm968_reply core_private_access(struct core *core, struct arm968_access *access,
                                      struct memory_place place, uint64_t cycle);

/* Sources that this store to the VIC would enable and that are not enabled now. */
uint32_t core_private_lets_in(const struct core *core, const struct arm968_access *access,
                              struct memory_place place);

/* Whether the access reads the VIC's raw status, which shows sources that the lookahead ignores. */
bool core_private_raw(const struct arm968_access *access, struct memory_place place);

/* Whether the access is one word of an existing register and has no effect outside the core. */
bool core_private_known(const struct arm968_access *access, struct memory_place place);

/* Whether the access reads what others can change: the VIC's status or vector. */
bool core_private_shared(const struct arm968_access *access, struct memory_place place);

C_LINKAGE_END

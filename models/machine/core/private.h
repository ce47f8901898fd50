/* private.h - a core's timers and VIC as the core itself reaches them, without asking anybody.
 * Private to models/machine; core_update_interrupts() is in core.h. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core/core.h"
C_LINKAGE_BEGIN

/* Finds out when the private domain will next change by itself: private_cycle. */
void core_private_plan(struct core *core);

/* Lets what is due by `cycle` happen, each thing at its own cycle. */
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

/* The sources that a word stored to the VIC lets in and that are not let in now. */
uint32_t core_private_lets_in(const struct core *core, const struct arm968_access *access,
                              struct memory_place place);

/* Does it look at the VIC's raw status, which shows what the lookahead does not cover? */
bool core_private_raw(const struct arm968_access *access, struct memory_place place);

/* Is it one word of a register that there is, with no effect outside the core's own? */
bool core_private_known(const struct arm968_access *access, struct memory_place place);

/* Is it a look at what others can change: the VIC's status or vector? */
bool core_private_shared(const struct arm968_access *access, struct memory_place place);

C_LINKAGE_END

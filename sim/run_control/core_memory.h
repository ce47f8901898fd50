/* core_memory.h - a core's memory for those who read code and stacks (sim/profile, sim/symbols).
 * Private to sim/run_control. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

struct core_memory {
    const struct machine *machine;
    struct machine_core core;
};

/* Reads as the core sees it; the context is a struct core_memory.  False: a part of the range is no
 * memory. */
bool core_memory_read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count);

C_LINKAGE_END

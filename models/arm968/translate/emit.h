/* emit.h - generates C for a region.  Private to models/arm968.
 *
 * Each guest function becomes one C function whose locals are the guest's registers and flags.
 * Every edge subtracts its cycles from the budget, adds its counts, and leaves the function if the
 * next block cannot be run in full.  The function also leaves, before any effect, at an access
 * outside the core's own memories and at an instruction that is not translated. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/arm968/translate/region.h"
#include "models/arm968/translate/text.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* The memory that generated code accesses directly; cores that run the code must have this
 * memory. */
struct emit_memory {
    uint32_t base, size;
    bool flat; /* stores below the core's store window are left to the interpreter */
};

void emit_region(struct text *text, const struct region *region, const struct emit_memory *memory);

C_LINKAGE_END

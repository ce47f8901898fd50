/* emit_leave.h - ways out of a generated function that are hardly ever taken.  Private to
 * models/arm968.
 *
 * They come together behind the function's blocks by the registers that have changed: only these
 * are put into the core, so the others need not be kept for it. */
#pragma once
#include "models/arm968/translate/emit_flags.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Sets of registers that functions leave with; when there are more, the last set is of all. */
enum { EMIT_LEAVE_SETS = 24 };

struct emit_leave {
    unsigned count;
    uint16_t registers[EMIT_LEAVE_SETS];
};

/* Leaves with `where`, with these registers changed. */
void emit_leave(struct text *text, struct emit_leave *leave, const struct emit_flags *flags,
                uint16_t registers, uint64_t where);

/* The label of a set; flags are handed on there in locals, or stand in the core already. */
void emit_leave_label(struct text *text, unsigned set, bool flags_stored);

C_LINKAGE_END

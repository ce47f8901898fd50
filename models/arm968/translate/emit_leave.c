/* emit_leave.c - see emit_leave.h. */
#include "models/arm968/translate/emit_leave.h"

#include "models/arm968/translate/op_registers.h"

#include <inttypes.h>

static unsigned set_of(struct emit_leave *leave, uint16_t registers)
{
    for (unsigned i = 0; i < leave->count; i++) {
        if (leave->registers[i] == registers) {
            return i;
        }
    }
    if (leave->count == EMIT_LEAVE_SETS) {
        leave->registers[EMIT_LEAVE_SETS - 1] = OP_REGISTERS_ALL;
        return EMIT_LEAVE_SETS - 1;
    }
    leave->registers[leave->count] = registers;
    return leave->count++;
}

void emit_leave(struct text *text, struct emit_leave *leave, const struct emit_flags *flags,
                uint16_t registers, uint64_t where)
{
    const bool stored = flags->kind == EMIT_FLAGS_STORED;
    if (stored) {
        emit_flags_store(text, flags);
    } else {
        emit_flags_assign(text, flags);
    }
    text_add(text, "where=0x%" PRIx64 "ull;goto %s%u;", where, stored ? "kept" : "out",
             set_of(leave, registers));
}

void emit_leave_label(struct text *text, unsigned set, bool flags_stored)
{
    text_add(text, "%s%u:", flags_stored ? "kept" : "out", set);
}

/* emit_op.h - one operation as C.  Private to models/arm968. */
#pragma once
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/emit_access.h"
#include "models/arm968/translate/emit_flags.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct emit_op {
    struct text *text;
    const struct emit_memory *memory;
    uint32_t code_base;
    struct emit_flags *flags;
    unsigned *temporaries; /* how many there are in the function: t1, t2 ... */
    uint64_t leave_at;     /* `where` to leave with before the operation's instruction, ... */
    const char *catch_up;  /* ... what is to be done then ... */
    uint16_t dirty;        /* ... and the registers that have changed in the core's function */
    struct emit_leave *leave;
    struct emit_access *access;   /* how the operation is checked */
    const struct emit_port *port; /* the instruction is one word of the ports; NULL: not known */
};

/* Of an instruction that accesses the ports: where its cycles begin and up to where the budget is
 * too small for the rest of the block, both with what is owed; and `where` to leave behind it. */
struct emit_port {
    int64_t begins_cycles, too_small;
    uint64_t leave_behind;
};

/* Everything of ops.def up to STM and LDR_LITERAL that region_can_translate() lets pass. */
void emit_op(const struct emit_op *emit, const struct op *op, enum op_code code);

/* Whether an operation does nothing but set its register rd. */
bool emit_op_is_pure(enum op_code code);

/* Whether all that an operation does is to set registers and flags, whatever these were. */
bool emit_op_only_computes(enum op_code code);

/* Whether an operation sets all flags, whatever they were. */
bool emit_op_sets_all_flags(enum op_code code);

C_LINKAGE_END

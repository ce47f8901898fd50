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
    unsigned *temporaries; /* number of temporaries in the function: t1, t2 ... */
    uint64_t leave_at;     /* `where` of an exit before the operation's instruction, ... */
    const char *catch_up;  /* ... the statements to execute at that exit ... */
    uint16_t dirty;        /* ... and the registers that have changed in the function */
    struct emit_leave *leave;
    struct emit_access *access; /* how the operation's access is checked */
    const struct emit_port
        *port; /* the instruction accesses one word through the ports; NULL: not known */
};

/* For an instruction that accesses the ports: the budget at its start, the budget below which the
 * rest of the block cannot run, both including owed cycles; and `where` of an exit after it. */
struct emit_port {
    int64_t begins_cycles, too_small;
    uint64_t leave_behind;
};

/* Generates all operations of ops.def up to STM and LDR_LITERAL that region_can_translate()
 * accepts. */
void emit_op(const struct emit_op *emit, const struct op *op, enum op_code code);

/* Whether an operation only sets its register rd. */
bool emit_op_is_pure(enum op_code code);

/* Whether an operation only sets registers and flags, independent of the old flags. */
bool emit_op_only_computes(enum op_code code);

/* Whether an operation sets all flags unconditionally. */
bool emit_op_sets_all_flags(enum op_code code);

C_LINKAGE_END

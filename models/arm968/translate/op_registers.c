/* op_registers.c - see op_registers.h. */
#include "models/arm968/translate/op_registers.h"

static uint16_t one(unsigned reg)
{
    return (uint16_t)(reg <= REGISTER_LR ? 1u << reg : 0);
}

/* The same with the scratch registers.  The fields of some operations hold other numbers: the rd of
 * a block transfer is the place of its first word. */
static uint32_t any(unsigned field)
{
    return field < ENGINE_REGISTERS ? 1u << field : 0;
}

bool op_is_store(enum op_code code)
{
    return code >= OP_STR_OFF_IMM && code <= OP_STRH_POST_REG;
}

bool op_is_load(enum op_code code)
{
    return code >= OP_LDR_OFF_IMM && code <= OP_LDRSH_POST_REG;
}

enum op_form op_form_of(enum op_code code)
{
    return (code - (op_is_load(code) ? OP_LDR_OFF_IMM : OP_STR_OFF_IMM)) % OP_FORMS;
}

/* In the order of ops.def. */
static const struct single {
    const char *type;
    unsigned bytes;
} LOADS[] = {{"u32", 4}, {"u8", 1}, {"u16", 2}, {"s8", 1}, {"s16", 2}},
  STORES[] = {{"u32", 4}, {"u8", 1}, {"u16", 2}};

static const struct single *single_of(enum op_code code)
{
    return op_is_load(code) ? &LOADS[(code - OP_LDR_OFF_IMM) / OP_FORMS]
                            : &STORES[(code - OP_STR_OFF_IMM) / OP_FORMS];
}

const char *op_type_of(enum op_code code)
{
    return single_of(code)->type;
}

unsigned op_bytes_of(enum op_code code)
{
    return single_of(code)->bytes;
}

static bool writes_base(enum op_code code)
{
    return op_form_of(code) >= OP_FORM_PRE_IMM;
}

uint16_t op_registers_used(const struct op *op, enum op_code code)
{
    uint32_t uses = 0;
    if (code >= OP_SKIP_EQ || code == OP_UNPREDICTABLE || code == OP_USER_ACCESS) {
        uses = one(op->rm);
    } else if (code == OP_LDM || code == OP_STM) {
        uses = (op->imm & 0x7fffu) | one(op->rn);
    } else {
        uses = one(op->rd) | one(op->rn) | one(op->rm) | one(op->rs);
        uses |= code == OP_LDRD || code == OP_STRD ? one(op->rd + 1u) : 0;
    }
    return (uint16_t)uses;
}

uint32_t op_registers_set(const struct op *op, enum op_code code)
{
    const uint32_t rd = any(op->rd);
    const uint32_t rn = any(op->rn);
    if (op_is_load(code) || op_is_store(code)) {
        return (op_is_load(code) ? rd : 0) | (writes_base(code) ? rn : 0);
    }
    if (code == OP_LDM || code == OP_STM) {
        const uint32_t list = code == OP_LDM ? op->imm & OP_REGISTERS_ALL : 0;
        const bool target = code == OP_LDM && (op->imm & BLOCK_LIST) != list;
        return list | ((op->rm & BLOCK_WRITEBACK) != 0 ? rn : 0) |
               (target ? 1u << REGISTER_TARGET : 0);
    }
    if (code >= OP_SKIP_EQ || code == OP_STRD || code == OP_NOTE_STACK ||
        (code >= OP_TST_IMM && code <= OP_TEST_NZ_LONG)) {
        return 0;
    }
    if (code == OP_LDRD) {
        return rd | rd << 1;
    }
    const bool wide =
        (code >= OP_UMULL && code <= OP_SMLAL) || (code >= OP_SMLALBB && code <= OP_SMLALTT);
    return rd | (wide ? rn : 0);
}

uint16_t op_registers_written(const struct op *op, enum op_code code)
{
    return (uint16_t)(op_registers_set(op, code) & OP_REGISTERS_ALL);
}

/* insn.c - shared by both decoders: matching a word, and extracting its registers by the
 * pattern. */
#include "models/arm968/insn.h"

#include "models/common/bits.h"

#include <assert.h>
#include <string.h>

const struct isa_pattern *insn_match(const struct isa_pattern *patterns, unsigned count,
                                     uint32_t word)
{
    for (unsigned i = 0; i < count; i++) {
        if ((word & patterns[i].mask) == patterns[i].value &&
            !(patterns[i].conditional && (word >> 28) == CONDITION_NEVER)) {
            return &patterns[i];
        }
    }
    return NULL;
}

static unsigned field_value(const struct isa_field *field, uint32_t word)
{
    if (field->width == 0) {
        return field->number;
    }
    const uint32_t low = bits_get(word >> field->shift, field->width - 1u, 0);
    if (field->high_width == 0) {
        return low;
    }
    const uint32_t high = bits_get(word >> field->high_shift, field->high_width - 1u, 0);
    return (high << field->width) | low;
}

/* The registers of one role as a mask, without pc, which never waits and is never waited for. */
static uint16_t role_mask(const struct isa_pattern *pattern, enum isa_role role, uint32_t word)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < pattern->role_count[role]; i++) {
        mask |= 1u << field_value(&pattern->role[role][i], word);
    }
    return (uint16_t)(mask & 0x7fffu);
}

void insn_begin(struct insn *insn, const struct isa_pattern *pattern, uint32_t word)
{
    memset(insn, 0, sizeof *insn);
    insn->condition = CONDITION_ALWAYS;
    insn->class = CLASS_SOFTWARE_INTERRUPT;
    if (pattern == NULL) {
        return;
    }
    if (pattern->conditional) {
        insn->condition = (uint8_t)(word >> 28);
    }
    insn->class = pattern->class;
    insn->execute = role_mask(pattern, ROLE_EXECUTE, word);
    insn->store = role_mask(pattern, ROLE_STORE, word);
    insn->accumulate = role_mask(pattern, ROLE_ACCUMULATE, word);
    insn->result = role_mask(pattern, ROLE_RESULT, word);
    insn->ready = role_mask(pattern, ROLE_READY, word);
}

struct insn_op *insn_add(struct insn *insn, enum op_code code)
{
    assert(insn->op_count < INSN_OPS && "an instruction has too many operations");
    struct insn_op *op = &insn->op[insn->op_count++];
    op->code = (uint16_t)code;
    return op;
}

static bool reads_pc_operand(const struct insn_op *op)
{
    if (op->rn == REGISTER_PC_OPERAND || op->rm == REGISTER_PC_OPERAND ||
        op->rs == REGISTER_PC_OPERAND) {
        return true;
    }
    switch ((unsigned)op->code) {
    case OP_UMLAL:
    case OP_SMLAL:
    case OP_SMLALBB:
    case OP_SMLALBT:
    case OP_SMLALTB:
    case OP_SMLALTT:
    case OP_CP15_WRITE:
        return op->rd == REGISTER_PC_OPERAND;
    case OP_STRD: /* rd and the next */
        return op->rd + 1u == REGISTER_PC_OPERAND;
    default:
        return false;
    }
}

void insn_set_pc_operand(struct insn *insn, uint32_t value)
{
    for (unsigned i = 0; i < insn->op_count; i++) {
        if (reads_pc_operand(&insn->op[i])) {
            (void)insn_add(insn, OP_MOV_IMM);
            memmove(&insn->op[1], &insn->op[0], (insn->op_count - 1u) * sizeof insn->op[0]);
            insn->op[0] =
                (struct insn_op){.code = OP_MOV_IMM, .rd = REGISTER_PC_OPERAND, .imm = value};
            return;
        }
        if (insn->op[i].rd == REGISTER_PC_OPERAND) {
            return;
        }
    }
}

void insn_add_undefined(struct insn *insn)
{
    (void)insn_add(insn, OP_UNDEFINED);
    insn->flow = FLOW_LEAVE;
}

struct insn_op *insn_put(struct insn *insn, unsigned code, unsigned rd, unsigned rn, unsigned rm,
                         uint32_t imm)
{
    struct insn_op *op = insn_add(insn, (enum op_code)code);
    op->rd = (uint8_t)rd;
    op->rn = (uint8_t)rn;
    op->rm = (uint8_t)rm;
    op->imm = imm;
    return op;
}

void insn_add_constant(struct insn *insn, unsigned rd, uint32_t value)
{
    (void)insn_put(insn, OP_MOV_IMM, rd, 0, 0, value);
}

void insn_add_shift(struct insn *insn, unsigned rd, unsigned rm, enum shift_type type,
                    unsigned amount, bool carry)
{
    static const uint16_t PLAIN[] = {OP_LSL_IMM, OP_LSR_IMM, OP_ASR_IMM, OP_ROR_IMM};
    static const uint16_t CARRY[] = {OP_LSL_IMM_C, OP_LSR_IMM_C, OP_ASR_IMM_C, OP_ROR_IMM_C};
    enum op_code code = carry ? CARRY[type] : PLAIN[type];
    if (amount == 0 && type == SHIFT_ROR) {
        code = carry ? OP_RRX_C : OP_RRX;
    } else if (amount == 0) {
        amount = 32;
    }
    (void)insn_put(insn, code, rd, 0, rm, amount);
}

void insn_add_jump(struct insn *insn, enum op_code code, unsigned rm)
{
    insn_add(insn, code)->rm = (uint8_t)rm;
    insn->flow = FLOW_INDIRECT;
}

void insn_branch_to(struct insn *insn, uint32_t target, bool thumb)
{
    insn->flow = FLOW_BRANCH;
    insn->target = target;
    insn->target_thumb = thumb;
}

/* exec_data.h - data operations: registers and flags only (ARM DDI 0100I A3.4, A5.1).
 * Each function is one operation of ops.def; the interpreter inlines them. */
#ifndef MODELS_ARM968_EXEC_DATA_H
#define MODELS_ARM968_EXEC_DATA_H
#include "models/arm968/arm968_state.h"

#define OPERATION(name) ALWAYS_INLINE void exec_##name(struct arm968 *cpu, const struct op *op)

ALWAYS_INLINE void set_nz(struct arm968 *cpu, uint32_t result)
{
    cpu->flag_n = result;
    cpu->flag_z = result;
}

/* ---- shifter, constant amounts 1..32 ---- */

OPERATION(lsl_imm)
{
    cpu->r[op->rd] = (uint32_t)((uint64_t)cpu->r[op->rm] << op->imm);
}

OPERATION(lsr_imm)
{
    cpu->r[op->rd] = (uint32_t)((uint64_t)cpu->r[op->rm] >> op->imm);
}

OPERATION(asr_imm)
{
    cpu->r[op->rd] = (uint32_t)((int64_t)(int32_t)cpu->r[op->rm] >> op->imm);
}

OPERATION(ror_imm)
{
    cpu->r[op->rd] = bits_rotate_right(cpu->r[op->rm], op->imm);
}

OPERATION(rrx)
{
    cpu->r[op->rd] = (cpu->flag_c << 31) | (cpu->r[op->rm] >> 1);
}

OPERATION(lsl_imm_c)
{
    const uint32_t value = cpu->r[op->rm];
    cpu->r[op->rd] = (uint32_t)((uint64_t)value << op->imm);
    cpu->flag_c = (value >> (32 - op->imm)) & 1;
}

OPERATION(lsr_imm_c)
{
    const uint32_t value = cpu->r[op->rm];
    cpu->r[op->rd] = (uint32_t)((uint64_t)value >> op->imm);
    cpu->flag_c = (value >> (op->imm - 1)) & 1;
}

OPERATION(asr_imm_c)
{
    const int64_t value = (int32_t)cpu->r[op->rm];
    cpu->r[op->rd] = (uint32_t)(value >> op->imm);
    cpu->flag_c = (uint32_t)(value >> (op->imm - 1)) & 1;
}

OPERATION(ror_imm_c)
{
    const uint32_t result = bits_rotate_right(cpu->r[op->rm], op->imm);
    cpu->r[op->rd] = result;
    cpu->flag_c = result >> 31;
}

OPERATION(rrx_c)
{
    const uint32_t value = cpu->r[op->rm];
    cpu->r[op->rd] = (cpu->flag_c << 31) | (value >> 1);
    cpu->flag_c = value & 1;
}

/* ---- shifter, amount in the low byte of rs: amounts of 32 and more are defined ---- */

ALWAYS_INLINE uint32_t shift_amount(const struct arm968 *cpu, const struct op *op)
{
    const uint32_t amount = cpu->r[op->rs] & 0xff;
    return amount > 33 ? 33 : amount; /* all amounts above 32 do the same */
}

OPERATION(lsl_reg)
{
    cpu->r[op->rd] = (uint32_t)((uint64_t)cpu->r[op->rm] << shift_amount(cpu, op));
}

OPERATION(lsr_reg)
{
    cpu->r[op->rd] = (uint32_t)((uint64_t)cpu->r[op->rm] >> shift_amount(cpu, op));
}

OPERATION(asr_reg)
{
    cpu->r[op->rd] = (uint32_t)((int64_t)(int32_t)cpu->r[op->rm] >> shift_amount(cpu, op));
}

OPERATION(ror_reg)
{
    cpu->r[op->rd] = bits_rotate_right(cpu->r[op->rm], cpu->r[op->rs] & 0xff);
}

OPERATION(lsl_reg_c)
{
    const uint32_t amount = shift_amount(cpu, op);
    const uint64_t result = (uint64_t)cpu->r[op->rm] << amount;
    if (amount != 0) {
        cpu->flag_c = (uint32_t)(result >> 32) & 1;
    }
    cpu->r[op->rd] = (uint32_t)result;
}

OPERATION(lsr_reg_c)
{
    const uint32_t amount = shift_amount(cpu, op);
    const uint64_t value = cpu->r[op->rm];
    if (amount != 0) {
        cpu->flag_c = (uint32_t)(value >> (amount - 1)) & 1;
    }
    cpu->r[op->rd] = (uint32_t)(value >> amount);
}

OPERATION(asr_reg_c)
{
    const uint32_t amount = shift_amount(cpu, op);
    const int64_t value = (int32_t)cpu->r[op->rm];
    if (amount != 0) {
        cpu->flag_c = (uint32_t)(value >> (amount - 1)) & 1;
    }
    cpu->r[op->rd] = (uint32_t)(value >> amount);
}

OPERATION(ror_reg_c)
{
    const uint32_t amount = cpu->r[op->rs] & 0xff;
    const uint32_t result = bits_rotate_right(cpu->r[op->rm], amount);
    if (amount != 0) {
        cpu->flag_c = result >> 31;
    }
    cpu->r[op->rd] = result;
}

OPERATION(set_carry)
{
    cpu->flag_c = op->imm;
}

/* ---- arithmetic with flags: a + b + carry; a subtraction adds the inverse ---- */

ALWAYS_INLINE uint32_t add_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint32_t result = a + b;
    set_nz(cpu, result);
    cpu->flag_c = result < a;
    cpu->flag_v = (a ^ result) & (b ^ result);
    return result;
}

ALWAYS_INLINE uint32_t sub_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint32_t result = a - b;
    set_nz(cpu, result);
    cpu->flag_c = a >= b;
    cpu->flag_v = (a ^ b) & (a ^ result);
    return result;
}

ALWAYS_INLINE uint32_t add_carry_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint64_t sum = (uint64_t)a + b + cpu->flag_c;
    const uint32_t result = (uint32_t)sum;
    set_nz(cpu, result);
    cpu->flag_c = (uint32_t)(sum >> 32);
    cpu->flag_v = (a ^ result) & (b ^ result);
    return result;
}

/* ---- data operations: one rule each, for both operand forms ---- */

/* DATA_OPERATION(name, expression of a and b): rd = expression */
#define DATA_OPERATION(name, expression)                                                           \
    OPERATION(name##_imm)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = op->imm;                                                                \
        cpu->r[op->rd] = (expression);                                                             \
    }                                                                                              \
    OPERATION(name##_reg)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = cpu->r[op->rm];                                                         \
        cpu->r[op->rd] = (expression);                                                             \
    }

/* The same for logical operations that also set N and Z. */
#define LOGICAL_FLAGS(name, expression)                                                            \
    OPERATION(name##_imm)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = op->imm;                                                                \
        set_nz(cpu, cpu->r[op->rd] = (expression));                                                \
    }                                                                                              \
    OPERATION(name##_reg)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = cpu->r[op->rm];                                                         \
        set_nz(cpu, cpu->r[op->rd] = (expression));                                                \
    }

/* COMPARISON(name, statement): flags only */
#define COMPARISON(name, statement)                                                                \
    OPERATION(name##_imm)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = op->imm;                                                                \
        (void)(statement);                                                                         \
    }                                                                                              \
    OPERATION(name##_reg)                                                                          \
    {                                                                                              \
        const uint32_t a = cpu->r[op->rn];                                                         \
        const uint32_t b = cpu->r[op->rm];                                                         \
        (void)(statement);                                                                         \
    }

DATA_OPERATION(and, a &b)
DATA_OPERATION(eor, a ^ b)
DATA_OPERATION(orr, a | b)
DATA_OPERATION(add, a + b)
DATA_OPERATION(adc, a + b + cpu->flag_c)
DATA_OPERATION(sub, a - b)
DATA_OPERATION(sbc, a - b - 1 + cpu->flag_c)
DATA_OPERATION(rsb, b - a)
DATA_OPERATION(rsc, b - a - 1 + cpu->flag_c)
LOGICAL_FLAGS(ands, a &b)
LOGICAL_FLAGS(eors, a ^ b)
LOGICAL_FLAGS(orrs, a | b)
DATA_OPERATION(adds, add_with_flags(cpu, a, b))
DATA_OPERATION(adcs, add_carry_with_flags(cpu, a, b))
DATA_OPERATION(subs, sub_with_flags(cpu, a, b))
DATA_OPERATION(sbcs, add_carry_with_flags(cpu, a, ~b))
DATA_OPERATION(rsbs, sub_with_flags(cpu, b, a))
DATA_OPERATION(rscs, add_carry_with_flags(cpu, b, ~a))
COMPARISON(tst, (set_nz(cpu, a &b), 0))
COMPARISON(teq, (set_nz(cpu, a ^ b), 0))
COMPARISON(cmp, sub_with_flags(cpu, a, b))
COMPARISON(cmn, add_with_flags(cpu, a, b))

OPERATION(bic_reg)
{
    cpu->r[op->rd] = cpu->r[op->rn] & ~cpu->r[op->rm];
}

OPERATION(bics_reg)
{
    set_nz(cpu, cpu->r[op->rd] = cpu->r[op->rn] & ~cpu->r[op->rm]);
}

OPERATION(mov_imm)
{
    cpu->r[op->rd] = op->imm;
}

OPERATION(mov_reg)
{
    cpu->r[op->rd] = cpu->r[op->rm];
}

OPERATION(movs_imm)
{
    set_nz(cpu, cpu->r[op->rd] = op->imm);
}

OPERATION(movs_reg)
{
    set_nz(cpu, cpu->r[op->rd] = cpu->r[op->rm]);
}

OPERATION(mvn_reg)
{
    cpu->r[op->rd] = ~cpu->r[op->rm];
}

OPERATION(mvns_reg)
{
    set_nz(cpu, cpu->r[op->rd] = ~cpu->r[op->rm]);
}

OPERATION(test_nz)
{
    set_nz(cpu, cpu->r[op->rn]);
}

OPERATION(test_nz_long)
{
    cpu->flag_n = cpu->r[op->rn];
    cpu->flag_z = cpu->r[op->rn] | cpu->r[op->rm];
}

OPERATION(clz)
{
    cpu->r[op->rd] = bits_leading_zeros(cpu->r[op->rm]);
}

#endif

/* exec_data.h - the operations of alu.def as the interpreter inlines them: exec_<name>(cpu, op). */
#pragma once
#include "models/arm968/alu.h"
#include "models/arm968/arm968_state.h"

#define OPERATION(name) ALWAYS_INLINE void exec_##name(struct arm968 *cpu, const struct op *op)

/* ---- arithmetic with flags ---- */

ALWAYS_INLINE void set_nz(struct arm968 *cpu, uint32_t result)
{
    cpu->flag_n = result;
    cpu->flag_z = result;
}

ALWAYS_INLINE uint32_t add_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint32_t result = a + b;
    set_nz(cpu, result);
    cpu->flag_c = result < a;
    cpu->flag_v = sum_overflow(a, b, result);
    return result;
}

ALWAYS_INLINE uint32_t sub_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint32_t result = a - b;
    set_nz(cpu, result);
    cpu->flag_c = a >= b;
    cpu->flag_v = difference_overflow(a, b, result);
    return result;
}

ALWAYS_INLINE uint32_t add_carry_with_flags(struct arm968 *cpu, uint32_t a, uint32_t b)
{
    const uint64_t sum = (uint64_t)a + b + cpu->flag_c;
    const uint32_t result = (uint32_t)sum;
    set_nz(cpu, result);
    cpu->flag_c = (uint32_t)(sum >> 32);
    cpu->flag_v = sum_overflow(a, b, result);
    return result;
}

/* ---- use of a rule's x and y, by its kind ---- */

#define KIND(kind, statement)                                                                      \
    ALWAYS_INLINE void finish_##kind(struct arm968 *cpu, const struct op *op, uint64_t x,          \
                                     uint64_t y)                                                   \
    {                                                                                              \
        (void)op;                                                                                  \
        (void)y;                                                                                   \
        statement;                                                                                 \
    }

KIND(set, cpu->r[op->rd] = (uint32_t)x)
KIND(set_q, cpu->r[op->rd] = (uint32_t)x)
KIND(set_long, cpu->r[op->rn] = (uint32_t)x; cpu->r[op->rd] = (uint32_t)(x >> 32))
KIND(set_nz, set_nz(cpu, cpu->r[op->rd] = (uint32_t)x))
KIND(set_c, cpu->r[op->rd] = (uint32_t)x; cpu->flag_c = (uint32_t)y)
KIND(set_carry, cpu->flag_c = (uint32_t)x)
KIND(add, cpu->r[op->rd] = add_with_flags(cpu, (uint32_t)x, (uint32_t)y))
KIND(add_carry, cpu->r[op->rd] = add_carry_with_flags(cpu, (uint32_t)x, (uint32_t)y))
KIND(subtract, cpu->r[op->rd] = sub_with_flags(cpu, (uint32_t)x, (uint32_t)y))
KIND(compare, (void)sub_with_flags(cpu, (uint32_t)x, (uint32_t)y))
KIND(compare_sum, (void)add_with_flags(cpu, (uint32_t)x, (uint32_t)y))
KIND(test, set_nz(cpu, (uint32_t)x))
KIND(test_long, cpu->flag_n = (uint32_t)x; cpu->flag_z = (uint32_t)y)

/* ---- the operations ---- */

#define RULE(kind, code, name, second_operand, x, y)                                               \
    OPERATION(name)                                                                                \
    {                                                                                              \
        const uint32_t rd = cpu->r[op->rd];                                                        \
        const uint32_t rn = cpu->r[op->rn];                                                        \
        const uint32_t rm = cpu->r[op->rm];                                                        \
        const uint32_t rs = cpu->r[op->rs];                                                        \
        const uint32_t imm = op->imm;                                                              \
        const uint32_t carry = cpu->flag_c;                                                        \
        uint32_t *const q = &cpu->flag_q;                                                          \
        const uint32_t second = (second_operand);                                                  \
        (void)rd, (void)rn, (void)rm, (void)rs, (void)imm, (void)carry, (void)q, (void)second;     \
        finish_##kind(cpu, op, (uint64_t)(x), (uint64_t)(y));                                      \
    }
#include "models/arm968/alu.def"
#undef RULE

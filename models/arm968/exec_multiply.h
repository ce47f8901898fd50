/* exec_multiply.h - multiplies and saturating arithmetic (ARM DDI 0100I A3.5, A10).
 * Operands: rd result or high word, rn accumulator or low word, rm and rs factors. */
#ifndef MODELS_ARM968_EXEC_MULTIPLY_H
#define MODELS_ARM968_EXEC_MULTIPLY_H
#include "models/arm968/exec_data.h"

OPERATION(mul)
{
    cpu->r[op->rd] = cpu->r[op->rm] * cpu->r[op->rs];
}

OPERATION(mla)
{
    cpu->r[op->rd] = cpu->r[op->rm] * cpu->r[op->rs] + cpu->r[op->rn];
}

/* When both destinations are one register the high word wins. */
ALWAYS_INLINE void set_long(struct arm968 *cpu, const struct op *op, uint64_t value)
{
    cpu->r[op->rn] = (uint32_t)value;
    cpu->r[op->rd] = (uint32_t)(value >> 32);
}

ALWAYS_INLINE uint64_t get_long(const struct arm968 *cpu, const struct op *op)
{
    return ((uint64_t)cpu->r[op->rd] << 32) | cpu->r[op->rn];
}

ALWAYS_INLINE uint64_t signed_product(const struct arm968 *cpu, const struct op *op)
{
    return (uint64_t)((int64_t)(int32_t)cpu->r[op->rm] * (int32_t)cpu->r[op->rs]);
}

OPERATION(umull)
{
    set_long(cpu, op, (uint64_t)cpu->r[op->rm] * cpu->r[op->rs]);
}

OPERATION(umlal)
{
    set_long(cpu, op, (uint64_t)cpu->r[op->rm] * cpu->r[op->rs] + get_long(cpu, op));
}

OPERATION(smull)
{
    set_long(cpu, op, signed_product(cpu, op));
}

OPERATION(smlal)
{
    set_long(cpu, op, signed_product(cpu, op) + get_long(cpu, op));
}

/* ---- 16-bit factors: bottom or top half ---- */

ALWAYS_INLINE int32_t bottom(uint32_t value)
{
    return (int16_t)value;
}

ALWAYS_INLINE int32_t top(uint32_t value)
{
    return (int32_t)value >> 16;
}

/* Adds; the sum wraps and an overflow sets the sticky Q flag. */
ALWAYS_INLINE uint32_t accumulate(struct arm968 *cpu, int32_t product, uint32_t accumulator)
{
    int32_t sum;
    cpu->flag_q |= ADD_OVERFLOWS(product, (int32_t)accumulator, &sum);
    return (uint32_t)sum;
}

#define HALF_MULTIPLIES(x_suffix, y_suffix, x, y)                                                  \
    OPERATION(smul##x_suffix##y_suffix)                                                            \
    {                                                                                              \
        cpu->r[op->rd] = (uint32_t)(x(cpu->r[op->rm]) * y(cpu->r[op->rs]));                        \
    }                                                                                              \
    OPERATION(smla##x_suffix##y_suffix)                                                            \
    {                                                                                              \
        cpu->r[op->rd] = accumulate(cpu, x(cpu->r[op->rm]) * y(cpu->r[op->rs]), cpu->r[op->rn]);   \
    }                                                                                              \
    OPERATION(smlal##x_suffix##y_suffix)                                                           \
    {                                                                                              \
        const int64_t product = (int64_t)x(cpu->r[op->rm]) * y(cpu->r[op->rs]);                    \
        set_long(cpu, op, get_long(cpu, op) + (uint64_t)product);                                  \
    }

HALF_MULTIPLIES(b, b, bottom, bottom)
HALF_MULTIPLIES(b, t, bottom, top)
HALF_MULTIPLIES(t, b, top, bottom)
HALF_MULTIPLIES(t, t, top, top)

/* The top 32 of the 48 bits of rm x half. */
ALWAYS_INLINE int32_t wide_product(uint32_t value, int32_t half)
{
    return (int32_t)(((int64_t)(int32_t)value * half) >> 16);
}

OPERATION(smulwb)
{
    cpu->r[op->rd] = (uint32_t)wide_product(cpu->r[op->rm], bottom(cpu->r[op->rs]));
}

OPERATION(smulwt)
{
    cpu->r[op->rd] = (uint32_t)wide_product(cpu->r[op->rm], top(cpu->r[op->rs]));
}

OPERATION(smlawb)
{
    cpu->r[op->rd] =
        accumulate(cpu, wide_product(cpu->r[op->rm], bottom(cpu->r[op->rs])), cpu->r[op->rn]);
}

OPERATION(smlawt)
{
    cpu->r[op->rd] =
        accumulate(cpu, wide_product(cpu->r[op->rm], top(cpu->r[op->rs])), cpu->r[op->rn]);
}

/* ---- saturating: rd = rm op rn, or rm op 2 x rn ---- */

ALWAYS_INLINE int32_t saturated(int32_t sign_source)
{
    return sign_source < 0 ? INT32_MIN : INT32_MAX;
}

ALWAYS_INLINE int32_t saturating_add(struct arm968 *cpu, int32_t a, int32_t b)
{
    int32_t sum;
    if (ADD_OVERFLOWS(a, b, &sum)) {
        cpu->flag_q = 1;
        return saturated(a);
    }
    return sum;
}

ALWAYS_INLINE int32_t saturating_sub(struct arm968 *cpu, int32_t a, int32_t b)
{
    int32_t difference;
    if (SUB_OVERFLOWS(a, b, &difference)) {
        cpu->flag_q = 1;
        return saturated(a);
    }
    return difference;
}

OPERATION(qadd)
{
    cpu->r[op->rd] =
        (uint32_t)saturating_add(cpu, (int32_t)cpu->r[op->rm], (int32_t)cpu->r[op->rn]);
}

OPERATION(qsub)
{
    cpu->r[op->rd] =
        (uint32_t)saturating_sub(cpu, (int32_t)cpu->r[op->rm], (int32_t)cpu->r[op->rn]);
}

OPERATION(qdadd)
{
    const int32_t doubled = saturating_add(cpu, (int32_t)cpu->r[op->rn], (int32_t)cpu->r[op->rn]);
    cpu->r[op->rd] = (uint32_t)saturating_add(cpu, (int32_t)cpu->r[op->rm], doubled);
}

OPERATION(qdsub)
{
    const int32_t doubled = saturating_add(cpu, (int32_t)cpu->r[op->rn], (int32_t)cpu->r[op->rn]);
    cpu->r[op->rd] = (uint32_t)saturating_sub(cpu, (int32_t)cpu->r[op->rm], doubled);
}

#endif

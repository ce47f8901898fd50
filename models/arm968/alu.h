/* alu.h - the functions used by the rules of alu.def.  The interpreter calls them, and so does
 * generated code, which begins with this file's text (translate/prelude.h). */
#pragma once
#include "models/common/bits.h"
#include "models/common/compiler.h"
#include <stdint.h>

/* Shifts by a register use its low byte; all amounts from 33 on have the same effect. */
ALWAYS_INLINE uint32_t shift_amount(uint32_t rs)
{
    const uint32_t amount = rs & 0xff;
    return amount > 33 ? 33 : amount;
}

/* ---- overflow of sums and differences: the V flag, in bit 31 ---- */

ALWAYS_INLINE uint32_t sum_overflow(uint32_t a, uint32_t b, uint32_t sum)
{
    return (a ^ sum) & (b ^ sum);
}

ALWAYS_INLINE uint32_t difference_overflow(uint32_t a, uint32_t b, uint32_t difference)
{
    return (a ^ b) & (a ^ difference);
}

/* ---- multiplies ---- */

ALWAYS_INLINE uint64_t join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

ALWAYS_INLINE uint64_t signed_product(int32_t a, int32_t b)
{
    return (uint64_t)((int64_t)a * b);
}

/* The 16-bit factors: the halves of a register. */
ALWAYS_INLINE int32_t bottom(uint32_t value)
{
    return (int16_t)value;
}

ALWAYS_INLINE int32_t top(uint32_t value)
{
    return (int32_t)value >> 16;
}

/* The top 32 of the 48 bits of value x half. */
ALWAYS_INLINE int32_t wide_product(uint32_t value, int32_t half)
{
    return (int32_t)((int64_t)(int32_t)value * half >> 16);
}

/* Adds; the sum wraps and an overflow sets the sticky Q flag. */
ALWAYS_INLINE uint32_t accumulate(int32_t product, uint32_t accumulator, uint32_t *q)
{
    int32_t sum;
    if (UNLIKELY(ADD_OVERFLOWS(product, (int32_t)accumulator, &sum))) {
        *q = 1;
    }
    return (uint32_t)sum;
}

/* ---- saturation: an overflow gives the nearest number and sets the sticky Q flag ---- */

ALWAYS_INLINE uint32_t nearest(uint32_t a)
{
    return (int32_t)a < 0 ? 0x80000000u : 0x7fffffffu;
}

ALWAYS_INLINE uint32_t saturating_add(uint32_t a, uint32_t b, uint32_t *q)
{
    int32_t sum;
    if (ADD_OVERFLOWS((int32_t)a, (int32_t)b, &sum)) {
        *q = 1;
        return nearest(a);
    }
    return (uint32_t)sum;
}

ALWAYS_INLINE uint32_t saturating_subtract(uint32_t a, uint32_t b, uint32_t *q)
{
    int32_t difference;
    if (SUB_OVERFLOWS((int32_t)a, (int32_t)b, &difference)) {
        *q = 1;
        return nearest(a);
    }
    return (uint32_t)difference;
}

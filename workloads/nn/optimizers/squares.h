/* squares.h - what rules with squares of sums share: their format, roots and quotients.
 *
 * A square, or a sum of them, is kept as a word: 26 bits and an exponent, so its relative error is
 * 2^-27, whatever its size.  A quotient of it is cut beyond +-8, which it never reaches. */
#pragma once
#include "rule.h"

enum {
    MANTISSA_BITS = 26,
    SUM_BITS = 30,    /* a gradient is cut there */
    SQUARES_BITS = 62 /* a sum of squares is cut there */
};

#if NN_INTEGERS

enum {
    RATIO_FRACTION = 20, /* of a / (sqrt(u) + epsilon) */
    RATIO_BITS = 30      /* it is cut to this size */
};

RULE_PART uint32_t leading_zeros(uint64_t value)
{
    return value == 0 ? 64 : (uint32_t)__builtin_clzll(value);
}

/* The integer part of the root, bit by bit. */
RULE_PART uint32_t root(uint64_t value)
{
    uint64_t result = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
        if (value >= result + bit) {
            value -= result + bit;
            result = (result >> 1) + bit;
        } else {
            result >>= 1;
        }
    }
    return (uint32_t)result;
}

/* u as one word: a mantissa and, above it, its exponent. */
RULE_PART uint64_t unpacked(uint32_t word)
{
    return (uint64_t)(word & ((1u << MANTISSA_BITS) - 1)) << (word >> MANTISSA_BITS);
}

RULE_PART uint32_t packed(uint64_t value)
{
    const uint32_t bits = 64 - leading_zeros(value);
    if (bits <= MANTISSA_BITS) {
        return (uint32_t)value;
    }
    uint32_t exponent = bits - MANTISSA_BITS;
    uint64_t mantissa = (uint64_t)shifted((int64_t)value, (int32_t)exponent);
    if (mantissa >> MANTISSA_BITS != 0) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent << MANTISSA_BITS | (uint32_t)mantissa;
}

/* u + (to - u) share, rounded; share with `fraction` bits, at most 1; u and `to` at most 2^62 */
RULE_PART uint64_t moved_mean(uint64_t u, uint64_t to, uint32_t share, uint32_t fraction)
{
    const int64_t gap = (int64_t)(to - u);
    const int64_t upper = gap >> fraction;
    const int64_t lower = gap & ((1 << fraction) - 1);
    return u + (uint64_t)(upper * share + shifted(lower * share, (int32_t)fraction));
}

/* u + g^2, which goes into *word; u is at most 2^SQUARES_BITS */
RULE_PART uint64_t squares_with(const struct step *step, uint64_t u, int32_t g, int32_t *word)
{
    const uint64_t most = UINT64_C(1) << SQUARES_BITS;
    u += (uint64_t)((int64_t)g * g);
    if (u > most) {
        u = most;
        step->note->state_saturations++;
    }
    *word = (int32_t)packed(u);
    return u;
}

/* a / (sqrt(u) + epsilon), rounded to nearest */
RULE_PART int64_t ratio_of(int32_t a, uint64_t u, uint32_t epsilon)
{
    enum { ROOM = 10, MOST_SHIFT = 31 };
    const uint32_t size = a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
    if (size == 0) {
        return 0;
    }
    uint32_t shift = leading_zeros(u) / 2; /* the root gets so many fractional bits */
    const uint32_t most = (uint32_t)__builtin_clz(size) + ROOM;
    shift = shift < most ? shift : most;
    shift = shift < MOST_SHIFT ? shift : MOST_SHIFT;
    const uint64_t below = root(u << 2 * shift) + ((uint64_t)epsilon << shift);
    const uint64_t ratio = (((uint64_t)size << (shift + RATIO_FRACTION)) + below / 2) / below;
    const int64_t limited = (int64_t)(ratio >> RATIO_BITS == 0 ? ratio : UINT64_C(1) << RATIO_BITS);
    return a < 0 ? -limited : limited;
}

/* Weights' and biases' sums in one format. */
RULE_PART inline int32_t aligned_sum(const struct step *step, int32_t gradient)
{
    const struct nn_rule *rule = step->rule;
    const uint32_t align = rule->error_fraction + rule->activation_fraction - step->fraction;
    return cut((int64_t)gradient * (INT64_C(1) << align), (INT64_C(1) << SUM_BITS) - 1,
               &step->note->state_saturations);
}

#elif NN_DOUBLES

/* Whether a word of state is of squares that are at most 2^bits: mantissa and exponent, with the
 * mantissa's highest bit set if the exponent is not 0. */
RULE_PART bool are_squares(int32_t word, uint32_t bits)
{
    const uint64_t mantissa = (uint32_t)word & ((1u << MANTISSA_BITS) - 1);
    const uint32_t exponent = (uint32_t)word >> MANTISSA_BITS;
    return exponent == 0 ||
           (mantissa >> (MANTISSA_BITS - 1) != 0 && exponent <= bits - MANTISSA_BITS + 1 &&
            mantissa << exponent <= UINT64_C(1) << bits);
}

#endif

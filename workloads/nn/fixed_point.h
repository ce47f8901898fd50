/* fixed_point.h - arithmetic that all formats share, with the same bits on every machine. Sums are
 * 32 bits and wrap; a wrap is detected (nn_sum_overflow) and means that the number formats are
 * wrong.  Rounding is to nearest, ties upwards: add half, shift.  Formats: see README.md. */
#pragma once
#include "number.h"

#include <stdbool.h>

/* For kernels that are compiled once for each usual size. */
#define NN_INLINE static inline __attribute__((always_inline))

/* Code memory is 32 KiB: optimize for size what runs once for many products, or for unusual sizes
 * only. */
#define NN_SMALL __attribute__((cold, noinline))
#define NN_RARE  static NN_SMALL

enum { NN_GAIN_FRACTION = 8 /* of dropout_gain of a layer */ };

/* Numeric events in the execution of a network. */
struct nn_numerics {
    uint32_t saturations; /* activations cut to 16 bits */
    uint32_t overflows;   /* layers in which a 32-bit sum has wrapped */
    uint32_t
        wrapped; /* nonzero: a sum of this layer has wrapped; the ARM968 has its Q flag instead */
    uint32_t error_saturations; /* errors of the backward pass cut to 16 bits */
};

/* nn_sum_begin() clears the record of wraps; nn_sum_overflow() tells whether a sum has wrapped
 * since. */
#if defined(__ARM_FEATURE_DSP)
static inline void nn_sum_begin(struct nn_numerics *numerics)
{
    (void)numerics;
    __asm__ volatile("msr cpsr_f, #0" ::: "cc");
}

static inline uint32_t nn_sum_overflow(const struct nn_numerics *numerics)
{
    uint32_t cpsr;
    (void)numerics;
    __asm__ volatile("mrs %0, cpsr" : "=r"(cpsr));
    return (cpsr >> 27) & 1u;
}
#else
static inline void nn_sum_begin(struct nn_numerics *numerics)
{
    numerics->wrapped = 0;
}

static inline uint32_t nn_sum_overflow(const struct nn_numerics *numerics)
{
    return numerics->wrapped;
}
#endif

/* a + b and sum + a b, without detection of wraps. */
static inline int32_t nn_wrapping_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t nn_wrapping_mac(int32_t sum, int16_t a, int16_t b)
{
    return nn_wrapping_add(sum, (int32_t)a * b);
}

/* value / 2^shift, rounded to nearest, ties upwards; shift > 0.  The half is added after all but
 * one bit are gone, so that it cannot wrap. */
static inline int32_t nn_round_shift(int32_t value, uint32_t shift)
{
    return ((value >> (shift - 1)) + 1) >> 1;
}

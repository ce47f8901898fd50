/* fixed_point.h - the integer arithmetic of all kernels, the same bits on every machine.
 * Sums are 32 bits and wrap; a wrap is noticed (nn_sum_overflow) and is a fault of the number
 * formats.  Rounding is to nearest, ties upwards: add half, shift.  Formats: see README.md. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#if defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* For kernels that are compiled once for each usual size. */
#define NN_INLINE static inline __attribute__((always_inline))

/* Code memory is 32 KiB: small rather than fast, for what is run once for many products, and for
 * unusual sizes. */
#define NN_SMALL __attribute__((cold, noinline))
#define NN_RARE  static NN_SMALL

/* The same address, of which the compiler no longer knows what it was made from.  So it keeps one
 * moving pointer in a register, and not one for each offset on the stack. */
static inline const int16_t *nn_opaque(const int16_t *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* What an execution of a network has met. */
struct nn_numerics {
    uint32_t saturations;       /* activations cut to 16 bits */
    uint32_t overflows;         /* layers in which a 32-bit sum has wrapped */
    uint32_t wrapped;           /* of this layer, up to now; the ARM968 has its Q flag instead */
    uint32_t error_saturations; /* errors on their way back cut to 16 bits */
};

/* A sum in the making: 32 bits, and whether it has wrapped.  The ARM968 multiplies and adds in one
 * instruction, which remembers a wrap in its Q flag.  The instruction is asked for by name: from
 * additions the compiler makes sums of its own order, and a plain ADD does not set Q. */
#if defined(__ARM_FEATURE_DSP)
struct nn_sum {
    int32_t value;
};

/* A sum that begins with a value. */
static inline struct nn_sum nn_sum_from(int32_t value)
{
    return (struct nn_sum){value};
}

/* sum + w x, wrapping. */
static inline struct nn_sum nn_mac(struct nn_sum sum, int16_t w, int16_t x)
{
    return (struct nn_sum){__smlabb(w, x, sum.value)};
}

/* The same of the lower (l) or upper (u) halves of two words: first of w, then of x. */
static inline struct nn_sum nn_mac_ll(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return (struct nn_sum){__smlabb((int32_t)w, (int32_t)x, sum.value)};
}

static inline struct nn_sum nn_mac_lu(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return (struct nn_sum){__smlabt((int32_t)w, (int32_t)x, sum.value)};
}

static inline struct nn_sum nn_mac_ul(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return (struct nn_sum){__smlatb((int32_t)w, (int32_t)x, sum.value)};
}

static inline struct nn_sum nn_mac_uu(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return (struct nn_sum){__smlatt((int32_t)w, (int32_t)x, sum.value)};
}

/* Forgets earlier wraps. */
static inline void nn_sum_begin(struct nn_numerics *numerics)
{
    (void)numerics;
    __asm__ volatile("msr cpsr_f, #0" ::: "cc");
}

/* A sum is complete. */
static inline int32_t nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    (void)numerics;
    return sum.value;
}

/* Whether one has wrapped since nn_sum_begin(). */
static inline uint32_t nn_sum_overflow(const struct nn_numerics *numerics)
{
    uint32_t cpsr;
    (void)numerics;
    __asm__ volatile("mrs %0, cpsr" : "=r"(cpsr));
    return (cpsr >> 27) & 1u;
}
#else
struct nn_sum {
    int32_t value;
    uint32_t wrapped;
};

static inline struct nn_sum nn_sum_from(int32_t value)
{
    return (struct nn_sum){value, 0};
}

static inline struct nn_sum nn_mac(struct nn_sum sum, int16_t w, int16_t x)
{
    sum.wrapped |= __builtin_add_overflow(sum.value, (int32_t)w * x, &sum.value);
    return sum;
}

static inline struct nn_sum nn_mac_ll(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)w, (int16_t)x);
}

static inline struct nn_sum nn_mac_lu(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)w, (int16_t)(x >> 16));
}

static inline struct nn_sum nn_mac_ul(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)(w >> 16), (int16_t)x);
}

static inline struct nn_sum nn_mac_uu(struct nn_sum sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)(w >> 16), (int16_t)(x >> 16));
}

static inline void nn_sum_begin(struct nn_numerics *numerics)
{
    numerics->wrapped = 0;
}

static inline int32_t nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    numerics->wrapped |= sum.wrapped;
    return sum.value;
}

static inline uint32_t nn_sum_overflow(const struct nn_numerics *numerics)
{
    return numerics->wrapped;
}
#endif

/* Two neighbouring numbers that stand on a word.  The copy is a load in a freestanding program,
 * too, and not a call. */
static inline uint32_t nn_pair(const int16_t *at)
{
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(at, 4), sizeof word);
    return word;
}

/* a + b and sum + a b, of which nobody asks whether they have wrapped. */
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

/* A bias in the format of the sum that it starts. */
static inline int32_t nn_align(int16_t bias, uint32_t shift)
{
    return (int32_t)((uint32_t)(int32_t)bias << shift);
}

/* Cut to 16 bits, counted. */
static inline int16_t nn_saturate(int32_t value, struct nn_numerics *numerics)
{
    if (value == (int16_t)value) {
        return (int16_t)value;
    }
    numerics->saturations++;
    return value < 0 ? INT16_MIN : INT16_MAX;
}

#ifdef __cplusplus
}
#endif

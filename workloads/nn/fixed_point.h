/* fixed_point.h - the integer arithmetic of all kernels, the same bits on every machine.
 * Sums are 32 bits and wrap; a wrap is noticed (nn_sum_overflow) and is a fault of the number
 * formats.  Rounding is to nearest, ties upwards: add half, shift.  Formats: see README.md. */
#ifndef WORKLOADS_NN_FIXED_POINT_H
#define WORKLOADS_NN_FIXED_POINT_H
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

/* The same address, of which the compiler no longer knows what it was made from.  So it keeps one
 * moving pointer in a register, and not one for each offset on the stack. */
static inline const int16_t *nn_opaque(const int16_t *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* What an execution of a network has met. */
struct nn_numerics {
    uint32_t saturations; /* activations cut to 16 bits */
    uint32_t overflows;   /* layers in which a 32-bit sum has wrapped */
};

/* sum + w x, wrapping.  The ARM968 does it in one instruction, which remembers a wrap in its Q
 * flag; elsewhere a variable does.  The instruction is asked for by name: from additions the
 * compiler makes sums of its own order, and a plain ADD does not set Q. */
#if defined(__ARM_FEATURE_DSP)
static inline int32_t nn_mac(int32_t sum, int16_t w, int16_t x)
{
    return __smlabb(w, x, sum);
}

/* The same of the lower (l) or upper (u) halves of two words: first of w, then of x. */
static inline int32_t nn_mac_ll(int32_t sum, uint32_t w, uint32_t x)
{
    return __smlabb((int32_t)w, (int32_t)x, sum);
}

static inline int32_t nn_mac_lu(int32_t sum, uint32_t w, uint32_t x)
{
    return __smlabt((int32_t)w, (int32_t)x, sum);
}

static inline int32_t nn_mac_ul(int32_t sum, uint32_t w, uint32_t x)
{
    return __smlatb((int32_t)w, (int32_t)x, sum);
}

static inline int32_t nn_mac_uu(int32_t sum, uint32_t w, uint32_t x)
{
    return __smlatt((int32_t)w, (int32_t)x, sum);
}

/* Forgets earlier wraps. */
static inline void nn_sum_begin(void)
{
    __asm__ volatile("msr cpsr_f, #0" ::: "cc");
}

static inline uint32_t nn_sum_overflow(void)
{
    uint32_t cpsr;
    __asm__ volatile("mrs %0, cpsr" : "=r"(cpsr));
    return (cpsr >> 27) & 1u;
}
#else
extern __thread uint32_t nn_sum_wrapped; /* not _Thread_local: C++ tests include this, too */

static inline int32_t nn_mac(int32_t sum, int16_t w, int16_t x)
{
    int32_t result;
    nn_sum_wrapped |= __builtin_add_overflow(sum, (int32_t)w * x, &result);
    return result;
}

static inline void nn_sum_begin(void)
{
    nn_sum_wrapped = 0;
}

static inline uint32_t nn_sum_overflow(void)
{
    return nn_sum_wrapped;
}

static inline int32_t nn_mac_ll(int32_t sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)w, (int16_t)x);
}

static inline int32_t nn_mac_lu(int32_t sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)w, (int16_t)(x >> 16));
}

static inline int32_t nn_mac_ul(int32_t sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)(w >> 16), (int16_t)x);
}

static inline int32_t nn_mac_uu(int32_t sum, uint32_t w, uint32_t x)
{
    return nn_mac(sum, (int16_t)(w >> 16), (int16_t)(x >> 16));
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

/* value / 2^shift, rounded to nearest, ties upwards; shift > 1.  The half is added after all but
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
#endif

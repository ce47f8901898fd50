/* sums_int16.h - sums of products of 16-bit values: of int16, and of int8, which is widened. */
#pragma once
#include "integers.h"
#if defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif

/* A sum in the making: 32 bits, and whether it has wrapped.  nn_mac() is sum + w x, wrapping;
 * nn_mac_lu() and so on the same of the lower (l) or upper (u) halves of two words: first of w,
 * then of x.  The ARM968 multiplies and adds in one instruction, which remembers a wrap in its Q
 * flag. The instruction is asked for by name: from additions the compiler makes sums of its own
 * order, and a plain ADD does not set Q. */
#if defined(__ARM_FEATURE_DSP)
struct nn_sum {
    int32_t value;
};

/* A sum that begins with a value. */
static inline struct nn_sum nn_sum_from(int32_t value)
{
    return (struct nn_sum){value};
}

static inline struct nn_sum nn_mac(struct nn_sum sum, int16_t w, int16_t x)
{
    return (struct nn_sum){__smlabb(w, x, sum.value)};
}

#define NN_MAC(halves, instruction, of_w, of_x)                                                    \
    static inline struct nn_sum nn_mac_##halves(struct nn_sum sum, uint32_t w, uint32_t x)         \
    {                                                                                              \
        return (struct nn_sum){instruction((int32_t)w, (int32_t)x, sum.value)};                    \
    }

/* A sum is complete. */
static inline int32_t nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    (void)numerics;
    return sum.value;
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

#define NN_MAC(halves, instruction, of_w, of_x)                                                    \
    static inline struct nn_sum nn_mac_##halves(struct nn_sum sum, uint32_t w, uint32_t x)         \
    {                                                                                              \
        return nn_mac(sum, (int16_t)(w >> (of_w)), (int16_t)(x >> (of_x)));                        \
    }

static inline int32_t nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    numerics->wrapped |= sum.wrapped;
    return sum.value;
}
#endif
NN_MAC(ll, __smlabb, 0, 0)
NN_MAC(lu, __smlabt, 0, 16)
NN_MAC(ul, __smlatb, 16, 0)
NN_MAC(uu, __smlatt, 16, 16)
#undef NN_MAC

/* A bias in the format of the sum that it starts. */
static inline int32_t nn_align(int16_t bias, uint32_t shift)
{
    return (int32_t)((uint32_t)(int32_t)bias << shift);
}

/* Two neighbouring numbers that stand on a word.  The copy is a load in a freestanding program,
 * too, and not a call. */
static inline uint32_t nn_pair(const int16_t *at)
{
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(at, 4), sizeof word);
    return word;
}

/* The same address, of which the compiler no longer knows what it was made from.  So it keeps one
 * moving pointer in a register, and not one for each offset on the stack. */
static inline const int16_t *nn_opaque(const int16_t *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* format_float32.h - the arithmetic of IEEE 754 singles: additions, multiplications and one
 * division a class, each rounded to nearest, ties to even, in the order that the source says.  The
 * ARM968 has no unit for them: the compiler's library does them in integers (libgcc, subnormal
 * numbers included), the host in hardware, and the bits are the same.
 *
 * Sums that one core makes are floats in a fixed order.  Gradients are added up by many, in any
 * order: so each product of an error and a value becomes a word of NN_ERROR_FRACTION
 * fractional bits, and these are added as integers, as in the other formats. */
#pragma once
#include "fixed_point.h"
#include "layer_table.h"

#include <float.h>

#define NN_FLOATS 1 /* their exponential needs no table */

#ifndef __cplusplus
_Static_assert(FLT_EVAL_METHOD == 0, "floats are computed as floats");
#endif

enum { NN_FLOAT_BITS = 23, NN_FLOAT_BIAS = 127, NN_FLOAT_EXPONENTS = 255 };

/* The copies are moves between registers, in a freestanding program, too. */
static inline uint32_t nn_float_bits(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float nn_float_of(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^exponent, -126 to 127. */
static inline float nn_float_power(int32_t exponent)
{
    return nn_float_of((uint32_t)(exponent + NN_FLOAT_BIAS) << NN_FLOAT_BITS);
}

/* value x 2^fraction as an integer: to nearest, ties away from 0; what is too large becomes the
 * largest or its negative, what is no number the largest. */
static inline int32_t nn_float_word(float value, uint32_t fraction)
{
    const uint32_t bits = nn_float_bits(value);
    const uint32_t mantissa = (bits & ((1u << NN_FLOAT_BITS) - 1)) | 1u << NN_FLOAT_BITS;
    const int32_t left = (int32_t)(bits >> NN_FLOAT_BITS & NN_FLOAT_EXPONENTS) + (int32_t)fraction -
                         (NN_FLOAT_BIAS + NN_FLOAT_BITS);
    uint32_t size = 0;
    if (left >= 31 - NN_FLOAT_BITS) {
        if (value != value) {
            return INT32_MAX;
        }
        size = INT32_MAX;
    } else if (left >= 0) {
        size = mantissa << left;
    } else if (left >= -NN_FLOAT_BITS - 1) {
        size = ((mantissa >> (-left - 1)) + 1) >> 1;
    }
    return bits >> 31 != 0 ? -(int32_t)size : (int32_t)size;
}

static inline float nn_product(float a, float b)
{
    return a * b;
}

static inline float nn_add(float a, float b)
{
    return a + b;
}

/* A sum in the making, in the order of its products. */
struct nn_sum {
    float value;
};

static inline struct nn_sum nn_sum_from(float value)
{
    return (struct nn_sum){value};
}

static inline struct nn_sum nn_mac(struct nn_sum sum, float w, float x)
{
    return nn_sum_from(nn_add(sum.value, nn_product(w, x)));
}

static inline float nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    (void)numerics;
    return sum.value;
}

static inline float nn_value_of(float total, uint32_t *cuts)
{
    (void)cuts;
    return total;
}

/* What an error adds to the gradient of a bias, times a value to that of a weight. */
static inline int32_t nn_gradient(float error)
{
    return nn_float_word(error, NN_ERROR_FRACTION);
}

static inline int32_t nn_gradient_product(float error, float value)
{
    return nn_float_word(error * value, NN_ERROR_FRACTION);
}

/* As a result has it. */
static inline int32_t nn_logit_word(float logit)
{
    return nn_float_word(logit, NN_ERROR_FRACTION);
}

/* A pixel p as p / 2^shift: put together from its bits, cheaper than a conversion. */
static inline float nn_pixel(uint32_t pixel, uint32_t shift)
{
    if (pixel == 0) {
        return 0;
    }
    const uint32_t top = 31 - (uint32_t)__builtin_clz(pixel);
    const uint32_t mantissa = pixel << (NN_FLOAT_BITS - top);
    return nn_float_of((mantissa & ((1u << NN_FLOAT_BITS) - 1)) | (top + NN_FLOAT_BIAS - shift)
                                                                      << NN_FLOAT_BITS);
}

static inline void nn_load_pixels(const uint8_t *pixels, uint32_t count, uint32_t shift,
                                  float *values)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = nn_pixel(pixels[i], shift);
    }
}

/* value + value gain / 256 (dropout.h) */
static inline float nn_enlarged(float value, uint32_t gain, uint32_t *cuts)
{
    (void)cuts;
    return value + value * (float)gain / (1 << NN_GAIN_FRACTION);
}

/* e^value of a value that is not positive, within 3 units of its last place; 0 below -87. */
float nn_float_exp(float value) NN_SYMBOL(nn_float_exp);

/* exponential[c] = e^(logits[c] - the largest); returns the largest's class, the first of equals,
 * and the sum. */
uint32_t nn_float_exponentials(const float *logits, uint32_t classes, float *exponential,
                               float *sum) NN_SYMBOL(nn_float_exponentials);

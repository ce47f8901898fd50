/* format_s1615.h - the arithmetic of int32 values with 15 fractional bits.
 *
 * The same bits on every mapping of a network, as every sum that cores make in parts is one of
 * plain 32-bit additions:
 * - dense layers, and sums that go back: each product is rounded to s16.15 and added; logits are
 *   such sums, with 15 fractional bits;
 * - a convolution's output, which one core makes: products in 64 bits, one rounding;
 * - gradients: a weight's sum over one image in 64 bits, rounded once to s16.15 and added to the
 * sum over images, which has 32 bits; biases add the errors as they are. Rounding is to nearest,
 * ties upwards.  Additions of 32 bits wrap without notice. */
#pragma once
#include "integers.h"
#include "layer_table.h"

/* The lower 32 bits of a product or sum with 30 fractional bits, rounded to 15. */
static inline int32_t nn_whole_word(int64_t exact)
{
    const int64_t half = INT64_C(1) << (NN_FRACTION - 1);
    return (int32_t)(uint32_t)((uint64_t)(exact + half) >> NN_FRACTION);
}

static inline nn_total nn_product(nn_value a, nn_value b)
{
    return nn_whole_word((int64_t)a * b);
}

static inline nn_total nn_add(nn_total a, nn_total b)
{
    return nn_wrapping_add(a, b);
}

/* A sum that may be made in parts. */
struct nn_sum {
    nn_total value;
};

static inline struct nn_sum nn_sum_from(nn_total value)
{
    return (struct nn_sum){value};
}

static inline struct nn_sum nn_mac(struct nn_sum sum, nn_value w, nn_value x)
{
    return nn_sum_from(nn_add(sum.value, nn_product(w, x)));
}

static inline nn_total nn_sum_end(struct nn_sum sum, struct nn_numerics *numerics)
{
    (void)numerics;
    return sum.value;
}

/* A sum that one core makes as a whole. */
typedef int64_t nn_whole;

static inline nn_whole nn_whole_from(nn_bias bias)
{
    return (nn_whole)bias * (1 << NN_FRACTION);
}

static inline nn_whole nn_whole_mac(nn_whole sum, nn_value w, nn_value x)
{
    return sum + (nn_whole)w * x;
}

static inline nn_value nn_whole_value(nn_whole sum, uint32_t *cuts)
{
    return nn_value_of((sum + (1 << (NN_FRACTION - 1))) >> NN_FRACTION, cuts);
}

/* What an error adds to the gradient of a bias, times a value to that of a weight. */
static inline int32_t nn_gradient(nn_value error)
{
    return error;
}

static inline int32_t nn_gradient_product(nn_value error, nn_value value)
{
    return nn_product(error, value);
}

static inline void nn_load_pixels(const uint8_t *pixels, uint32_t count, uint32_t shift,
                                  nn_value *values)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (nn_value)(pixels[i] << shift);
    }
}

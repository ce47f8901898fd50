/* s1615.h - the arithmetic of int32 values with 15 fractional bits.
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
#include "backward.h"

/* The lower 32 bits of a product or sum with 30 fractional bits, rounded to 15. */
static inline int32_t nn_s1615_rounded(int64_t exact)
{
    const int64_t half = INT64_C(1) << (NN_S1615_FRACTION - 1);
    return (int32_t)(uint32_t)((uint64_t)(exact + half) >> NN_S1615_FRACTION);
}

static inline int32_t nn_s1615_product(int32_t a, int32_t b)
{
    return nn_s1615_rounded((int64_t)a * b);
}

/* An output of a layer: ReLU. */
static inline nn_value nn_s1615_activated(const struct nn_layer *layer, int32_t value)
{
    return layer->activation == NN_RELU && value < 0 ? 0 : value;
}

/* half_sigmoid.h - sigmoid(x) - 1/2 for x >= 0, by a table with interpolation: what several
 * activations are made of. */
#pragma once
#include "../number.h"

enum {
    NN_SIGMOID_STEPS = 192,    /* of 1/16, up to 12 */
    NN_SIGMOID_STEP_BITS = 12, /* fractional bits of a place in the table */
    NN_SIGMOID_FRACTION = 17 + NN_SIGMOID_STEP_BITS
};

/* sigmoid(i / 16) - 1/2 with 17 fractional bits */
extern const uint16_t NN_SIGMOID_TABLE[NN_SIGMOID_STEPS + 1];

/* sigmoid(place / 2^16) - 1/2 with NN_SIGMOID_FRACTION fractional bits, place in steps of the table
 */
static inline int32_t nn_half_sigmoid(uint32_t place)
{
    const uint32_t step = place >> NN_SIGMOID_STEP_BITS;
    if (step >= NN_SIGMOID_STEPS) {
        return (int32_t)NN_SIGMOID_TABLE[NN_SIGMOID_STEPS] << NN_SIGMOID_STEP_BITS;
    }
    const int32_t rest = (int32_t)(place & ((1u << NN_SIGMOID_STEP_BITS) - 1));
    const int32_t rise = NN_SIGMOID_TABLE[step + 1] - NN_SIGMOID_TABLE[step];
    return ((int32_t)NN_SIGMOID_TABLE[step] << NN_SIGMOID_STEP_BITS) + rise * rest;
}

static inline uint32_t nn_size_of(int16_t value)
{
    return (uint32_t)(value < 0 ? -value : value);
}

/* value / 2^shift to nearest, ties upwards, cut to what the format holds; value >= 0 */
static inline int16_t nn_rounded_down(int32_t value, uint32_t shift)
{
    const int32_t rounded = ((value >> (shift - 1)) + 1) >> 1;
    return (int16_t)(rounded > INT16_MAX ? INT16_MAX : rounded);
}

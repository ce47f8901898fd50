/* integers.h - arithmetic that the integer formats share. */
#pragma once
#include "fixed_point.h"

/* Cuts a number to the range of values, and counts it. */
static inline nn_value nn_value_of(int64_t exact, uint32_t *cuts)
{
    if (exact == (nn_value)exact) {
        return (nn_value)exact;
    }
    ++*cuts;
    return (nn_value)(exact < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST);
}

/* Like nn_value_of(), for a rounded sum. */
static inline nn_value nn_saturate(int32_t value, struct nn_numerics *numerics)
{
    if (value == (nn_value)value) {
        return (nn_value)value;
    }
    numerics->saturations++;
    return (nn_value)(value < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST);
}

/* value + value gain / 256 (dropout.h), rounded, cut and counted */
static inline nn_value nn_enlarged(nn_value value, uint32_t gain, uint32_t *cuts)
{
    const int64_t more =
        ((int64_t)value * gain + (1 << (NN_GAIN_FRACTION - 1))) >> NN_GAIN_FRACTION;
    const int64_t sum = value + more;
    if (sum > NN_VALUE_MOST || sum < NN_VALUE_LEAST) {
        ++*cuts;
        return (nn_value)(sum < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST);
    }
    return (nn_value)sum;
}

/* A logit in the format of struct nn_result. */
static inline int32_t nn_logit_word(nn_total logit)
{
    return logit;
}

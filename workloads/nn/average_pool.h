/* average_pool.h - the mean of each window, rounded to nearest, and its way back. */
#pragma once
#include "kernels.h"
NN_LINKAGE_BEGIN

/* sum / count to nearest, ties upwards: no sum of 64 x 64 values wraps. */
static inline nn_value nn_mean_of(int32_t sum, int32_t count)
{
    if (count <= 1) {
        return (nn_value)sum;
    }
    const int32_t twice = 2 * sum + count;
    const int32_t divisor = 2 * count;
    const int32_t quotient = twice / divisor;
    return (nn_value)(quotient - (twice % divisor < 0 ? 1 : 0));
}

void nn_average_pool2d(const struct nn_arguments *arguments);

/* Errors at the output to errors at the input: each of a window's values has the window's error,
 * divided by the number of its values and rounded once.  sums: room for the input's values. */
void nn_average_pool2d_back(const struct nn_layer *layer, const nn_value *errors, int32_t *sums,
                            nn_value *input_errors);

NN_LINKAGE_END

/* average_pool.h - average pooling (nn_average_pool2d() of kernels.h): the mean of each window,
 * rounded to nearest, and its backward pass. */
#pragma once
#include "backward.h"
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

/* Converts errors at the output to errors at the input: each value of a window gets the window's
 * error divided by the number of values, rounded once.  sums: room for the input's values. */
void nn_average_pool2d_back(const struct nn_layer *layer, const nn_value *errors, int32_t *sums,
                            nn_value *input_errors);

/* Converts the errors behind an average pool to events of the convolution in front of it. The
 * pool's windows must not overlap.  values (the convolution's own output) and errors (of the pool's
 * output) are overwritten.  events: room for one event of each of the convolution's outputs; all of
 * it may be written. */
void nn_average_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                            nn_value *values, nn_value *errors, struct nn_event *events,
                            uint16_t *counts) NN_OPTIONAL;

NN_LINKAGE_END

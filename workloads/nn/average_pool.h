/* average_pool.h - the mean of each window, rounded to nearest, and its way back. */
#ifndef WORKLOADS_NN_AVERAGE_POOL_H
#define WORKLOADS_NN_AVERAGE_POOL_H
#include "kernels.h"
#include "number.h"
#ifdef __cplusplus
extern "C" {
#endif

void nn_average_pool2d(const struct nn_arguments *arguments);

/* Errors at the output to errors at the input: each of a window's values has the window's error,
 * divided by the number of its values and rounded once.  sums: room for the input's values. */
void nn_average_pool2d_back(const struct nn_layer *layer, const nn_value *errors, int32_t *sums,
                            nn_value *input_errors);

#ifdef __cplusplus
}
#endif
#endif

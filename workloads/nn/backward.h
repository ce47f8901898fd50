/* backward.h - the backward pass of a network's layers: gradients of weights and biases, and the
 * errors of the previous layer.
 *
 * Gradients are 32-bit sums, one for each parameter at the same index, to which each image adds;
 * nothing is rounded, so images may be added in any order, and in parts on several cores.  Sums
 * wrap without notice: the update checks how large they have become.  An error passes back through
 * a layer as a 32-bit sum, rounded once by nn_round_errors().
 *
 * Behind ReLU and max pooling most errors of a convolution are zero.  The convolution takes the
 * others as events, map after map, counts[map] of them; within a map, events at even places come
 * before those at odd places.  All arrays are aligned to 4 bytes. */
#pragma once
#include "kernels.h"
NN_LINKAGE_BEGIN

/* An output's error.  place: offset of its window's first value in a map of the layer's input,
 * including the padding. */
struct nn_event {
    uint16_t place;
    nn_value error;
} __attribute__((aligned(4))); /* one load */

/* Places from one row of outputs to the next. */
static inline uint32_t nn_row_step(const struct nn_layer *conv)
{
    return conv->stride * (conv->input.width + 2u * conv->padding);
}

/* Forward pass that also stores which of a window's values was taken: row-major, the first of
 * equals. */
void nn_max_pool2d_choose(const struct nn_arguments *arguments, uint8_t *choice)
    NN_SYMBOL(nn_max_pool2d_choose) NN_OPTIONAL;

/* Converts the errors at the pool's output, with its output and choice, to events of the
 * convolution that feeds the pool.  Errors of zero and outputs closed by the convolution's ReLU
 * make no event.  `events` must have room for one event of each error; all of it may be written. */
void nn_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                    const nn_value *output, const uint8_t *choice, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts)
    NN_SYMBOL(nn_pool_events) NN_OPTIONAL;

/* Like nn_pool_events(), for a convolution without a pool behind it: takes its own output and
 * errors. */
void nn_relu_events(const struct nn_layer *conv, const nn_value *output, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts)
    NN_SYMBOL(nn_relu_events) NN_OPTIONAL;

/* Gradients and input sums of a convolution with a table of links. */
void nn_conv2d_linked_gradient(const struct nn_layer *layer, const nn_value *input,
                               const struct nn_event *events, const uint16_t *counts,
                               int32_t *weights, int32_t *biases)
    NN_SYMBOL(nn_conv2d_linked_gradient);
void nn_conv2d_linked_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                 const struct nn_event *events, const uint16_t *counts,
                                 int32_t *sums) NN_SYMBOL(nn_conv2d_linked_input_sums);

/* The same of a convolution by the kernels that its row names (layers/layer_kernels.h). */
void nn_conv2d_chosen_gradient(const struct nn_layer *layer, const nn_value *input,
                               const struct nn_event *events, const uint16_t *counts,
                               int32_t *weights, int32_t *biases)
    NN_SYMBOL(nn_conv2d_chosen_gradient);
void nn_conv2d_chosen_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                 const struct nn_event *events, const uint16_t *counts,
                                 nn_total *sums) NN_SYMBOL(nn_conv2d_chosen_input_sums);

/* One image: adds to the gradients of weights and biases. */
void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                        const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                        int32_t *biases) NN_SYMBOL(nn_conv2d_gradient) NN_OPTIONAL;

/* Adds to sums [channel][row][column] of the layer's input. */
void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *events, const uint16_t *counts, nn_total *sums)
    NN_SYMBOL(nn_conv2d_input_sums) NN_OPTIONAL;

/* One image: adds to the gradients of weights and biases. */
void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input, const nn_value *errors,
                       int32_t *weights, int32_t *biases) NN_SYMBOL(nn_dense_gradient);

/* Like nn_dense_gradient(), for several images; strides in values, even.  biases may be NULL. */
void nn_dense_gradient_of(const struct nn_layer *layer, const nn_value *inputs,
                          uint32_t input_stride, const nn_value *errors, uint32_t error_stride,
                          uint32_t images, int32_t *weights, int32_t *biases)
    NN_SYMBOL(nn_dense_gradient_of);

/* Stores sums[input] = sum over the outputs of weight x error. */
void nn_dense_input_sums(const struct nn_layer *layer, const nn_value *weights,
                         const nn_value *errors, nn_total *sums) NN_SYMBOL(nn_dense_input_sums);

/* errors[i] = sums[i] / 2^shift, to nearest, cut and counted (error_saturations); shift > 0. */
void nn_round_errors(const nn_total *sums, nn_value *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics) NN_SYMBOL(nn_round_errors);

/* Clears the errors of values that ReLU has closed, <= 0. */
void nn_relu_back(const nn_value *values, nn_value *errors, uint32_t count) NN_SYMBOL(nn_relu_back);

/* Turns the total of sums that were computed in parts into a layer's output, as its own kernel
 * would have stored it: bias (NULL: it is in the sums), rounding, activation.  The last layer's
 * output is int32. */
void nn_finish_sums(const struct nn_layer *layer, const nn_total *sums, const nn_value *biases,
                    void *output, struct nn_numerics *numerics) NN_SYMBOL(nn_finish_sums);

NN_LINKAGE_END

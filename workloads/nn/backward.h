/* backward.h - the layers of a network, backward: gradients of weights and biases, and the errors
 * of the layer in front.
 *
 * Gradients are 32-bit sums, one for each parameter at the same index, to which each image adds;
 * nothing is rounded, so that images may be added in any order, and in parts on several cores.
 * Sums wrap without notice: the update looks at how large they have become.  An error goes back
 * through a layer as a 32-bit sum, rounded once by nn_round_errors().
 *
 * Behind ReLU and max pooling most errors of a convolution are zero.  It takes the others as
 * events, map after map, counts[map] of them; in a map those at even places stand before those at
 * odd ones. All arrays are aligned to 4 bytes. */
#pragma once
#include "kernels.h"
NN_LINKAGE_BEGIN

/* An output's error; place: offset of its window's first value in a map of the layer's input, the
 * zeros around it included. */
struct nn_event {
    uint16_t place;
    nn_value error;
} __attribute__((aligned(4))); /* one load */

/* Places from one row of outputs to the next. */
static inline uint32_t nn_row_step(const struct nn_layer *conv)
{
    return conv->stride * (conv->input.width + 2u * conv->padding);
}

/* Forward; also which of a window's values was taken: row-major, the first of equals. */
void nn_max_pool2d_choose(const struct nn_arguments *arguments, uint8_t *choice)
    NN_SYMBOL(nn_max_pool2d_choose);

/* From the errors at the pool's output, its output and choice: events of the convolution that
 * feeds it.  Errors of zero make none, nor do outputs that the convolution's ReLU has closed.
 * `events` has room for one of each error, all of which may be written. */
void nn_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                    const nn_value *output, const uint8_t *choice, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts) NN_SYMBOL(nn_pool_events);

/* The same of a convolution without a pool behind it: its own output and errors. */
void nn_relu_events(const struct nn_layer *conv, const nn_value *output, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts) NN_SYMBOL(nn_relu_events);

/* As nn_conv2d_linked() is to nn_conv2d(). */
void nn_conv2d_linked_gradient(const struct nn_layer *layer, const nn_value *input,
                               const struct nn_event *events, const uint16_t *counts,
                               int32_t *weights, int32_t *biases)
    NN_LINKED_SYMBOL(nn_conv2d_gradient, nn_conv2d_linked_gradient);
void nn_conv2d_linked_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                 const struct nn_event *events, const uint16_t *counts,
                                 int32_t *sums)
    NN_LINKED_SYMBOL(nn_conv2d_input_sums, nn_conv2d_linked_input_sums);

/* One image: adds to the gradients of weights and biases. */
void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                        const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                        int32_t *biases) NN_SYMBOL(nn_conv2d_gradient);

/* Adds to sums [channel][row][column] of the layer's input. */
void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *events, const uint16_t *counts, nn_total *sums)
    NN_SYMBOL(nn_conv2d_input_sums);

/* One image: adds to the gradients of weights and biases. */
void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input, const nn_value *errors,
                       int32_t *weights, int32_t *biases) NN_SYMBOL(nn_dense_gradient);

/* Several images; strides in values, even. biases may be NULL. */
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

/* Added-up sums of a layer's parts to its output, as its own kernel would have stored them: bias
 * (NULL: it is in the sums), rounding, activation.  The last layer's output is int32. */
void nn_finish_sums(const struct nn_layer *layer, const nn_total *sums, const nn_value *biases,
                    void *output, struct nn_numerics *numerics) NN_SYMBOL(nn_finish_sums);

NN_LINKAGE_END

/* dense_backward.c - the gradients of a fully connected layer, and the sums that go back, of a
 * format that has no loops of its own. */
#include "plain.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

/* sums += factor x each value */
static void add_row(int32_t *sums, nn_value factor, const nn_value *values, uint32_t count)
{
    for (; count > 0; count--, sums++) {
        *sums = nn_wrapping_add(*sums, nn_gradient_product(factor, *values++));
    }
}

void nn_dense_gradient_of(const struct nn_layer *layer, const nn_value *inputs,
                          uint32_t input_stride, const nn_value *errors, uint32_t error_stride,
                          uint32_t images, int32_t *weights, int32_t *biases)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t n = 0; n < images; n++, inputs += input_stride, errors += error_stride) {
        int32_t *row = weights;
        for (uint32_t o = 0; o < layer->output.channels; o++, row += count) {
            if (errors[o] != 0) {
                add_row(row, errors[o], inputs, count);
            }
            if (biases != NULL) {
                biases[o] = nn_wrapping_add(biases[o], nn_gradient(errors[o]));
            }
        }
    }
}

void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input, const nn_value *errors,
                       int32_t *weights, int32_t *biases)
{
    nn_dense_gradient_of(layer, input, 0, errors, 0, 1, weights, biases);
}

/* The same to sums that go back. */
static void add_products(nn_total *sums, nn_value factor, const nn_value *values, uint32_t count)
{
    for (; count > 0; count--, sums++) {
        *sums = nn_add(*sums, nn_product(factor, *values++));
    }
}

void nn_dense_input_sums(const struct nn_layer *layer, const nn_value *weights,
                         const nn_value *errors, nn_total *sums)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    for (uint32_t o = 0; o < layer->output.channels; o++, weights += count) {
        add_products(sums, errors[o], weights, count);
    }
}

/* dense_backward.c - a fully connected layer's gradients and the sums that go back; rounding of
 * errors and of sums that were made in parts. */
#include "backward.h"

#include <stddef.h>

static uint32_t count_of(struct nn_shape shape)
{
    return (uint32_t)shape.channels * shape.height * shape.width;
}

void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input, const nn_value *errors,
                       int32_t *weights, int32_t *biases)
{
    nn_dense_gradient_of(layer, input, 0, errors, 0, 1, weights, biases);
}

void nn_dense_gradient_of(const struct nn_layer *layer, const nn_value *inputs,
                          uint32_t input_stride, const nn_value *errors, uint32_t error_stride,
                          uint32_t images, int32_t *weights, int32_t *biases)
{
    const uint32_t count = count_of(layer->input);
    for (uint32_t o = 0; o < layer->output.channels; o++, weights += count) {
        const nn_value *input = inputs;
        const nn_value *error = errors + o;
        for (uint32_t n = 0; n < images; n++, input += input_stride, error += error_stride) {
            for (uint32_t i = 0; i < count; i++) {
                weights[i] = nn_wrapping_mac(weights[i], *error, input[i]);
            }
            if (biases != NULL) {
                biases[o] = nn_wrapping_add(biases[o], *error);
            }
        }
    }
}

void nn_dense_input_sums(const struct nn_layer *layer, const nn_value *weights,
                         const nn_value *errors, int32_t *sums)
{
    const uint32_t count = count_of(layer->input);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    for (uint32_t o = 0; o < layer->output.channels; o++, weights += count) {
        for (uint32_t i = 0; i < count; i++) {
            sums[i] = nn_wrapping_mac(sums[i], errors[o], weights[i]);
        }
    }
}

void nn_round_errors(const int32_t *sums, nn_value *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics)
{
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = nn_round_shift(sums[i], shift);
        if (value == (nn_value)value) {
            errors[i] = (nn_value)value;
        } else {
            errors[i] = value < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST;
            numerics->error_saturations++;
        }
    }
}

void nn_relu_back(const nn_value *values, nn_value *errors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] <= 0) {
            errors[i] = 0;
        }
    }
}

void nn_finish_sums(const struct nn_layer *layer, const int32_t *sums, const nn_value *biases,
                    void *output, struct nn_numerics *numerics)
{
    const struct nn_arguments arguments = {
        .layer = layer, .biases = biases, .output = output, .numerics = numerics};
    const uint32_t area = (uint32_t)layer->output.height * layer->output.width;
    /* The bias as two products, whose addition notices a wrap as those of the kernels do. */
    const int16_t half = (int16_t)(1 << (layer->input_fraction - 1));
    uint32_t index = 0;
    for (uint32_t c = 0; c < layer->output.channels; c++) {
        for (uint32_t i = 0; i < area; i++, index++) {
            struct nn_sum sum = nn_sum_from(sums[index]);
            if (biases != NULL) {
                sum = nn_mac(nn_mac(sum, biases[c], half), biases[c], half);
            }
            nn_store(&arguments, index, sum);
        }
    }
}

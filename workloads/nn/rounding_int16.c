/* rounding_int16.c - rounds 32-bit sums to values: errors of the backward pass, and outputs whose
 * sums were computed in parts. */
#include "backward.h"
#include "rounding.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

NN_RARE nn_value cut_error(int32_t value, struct nn_numerics *numerics)
{
    numerics->error_saturations++;
    return value < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST;
}

void nn_round_errors(const int32_t *sums, nn_value *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics)
{
    const int32_t *const end = sums + count;
#pragma GCC unroll 2
    for (; sums != end; sums++, errors++) {
        const int32_t value = nn_round_shift(*sums, shift);
        *errors = value == (nn_value)value ? (nn_value)value : cut_error(value, numerics);
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
    /* Adds the bias as two products, so that a wrap is detected as in the kernels. */
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

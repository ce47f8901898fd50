/* rounding.c - rounds sums to values, for formats without a rounding of their own: errors of the
 * backward pass, and outputs whose sums were computed in parts. */
#include "plain.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

/* The sums have a value's fractional bits already. */
void nn_round_errors(const nn_total *sums, nn_value *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics)
{
    (void)shift;
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = nn_value_of(sums[i], &numerics->error_saturations);
    }
}

void nn_relu_back(const nn_value *values, nn_value *errors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = values[i] > 0 ? errors[i] : 0;
    }
}

void nn_finish_sums(const struct nn_layer *layer, const nn_total *sums, const nn_value *biases,
                    void *output, struct nn_numerics *numerics)
{
    const struct nn_arguments arguments = {.layer = layer, .output = output, .numerics = numerics};
    const uint32_t area = (uint32_t)layer->output.height * layer->output.width;
    uint32_t index = 0;
    for (uint32_t c = 0; c < layer->output.channels; c++) {
        const nn_total bias = biases != NULL ? biases[c] : 0;
        for (uint32_t i = 0; i < area; i++, index++) {
            nn_put(&arguments, index, nn_add(sums[index], bias));
        }
    }
}

/* rbf.c - see rbf.h. */
#include "rbf.h"

#include <stddef.h>

NN_NEEDS(OPERATORS)

static int32_t weight_of(int16_t weight, uint32_t fraction)
{
    const int32_t one = 1 << fraction;
    return weight < 0 ? -one : one;
}

void nn_rbf(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const int16_t *weights = arguments->weights;
    int32_t *output = arguments->output;
    for (uint32_t o = 0; o < layer->output.channels; o++) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < inputs; i++) {
            const int32_t d = arguments->input[i] - weight_of(*weights++, layer->input_fraction);
            sum -= d * d >> 1;
        }
        output[o] = sum;
    }
}

void nn_rbf_input_sums(const struct nn_layer *layer, const int16_t *weights, const int16_t *input,
                       const int16_t *errors, int32_t *sums)
{
    const uint32_t inputs = nn_values(layer->input);
    for (uint32_t i = 0; i < inputs; i++) {
        int32_t sum = 0;
        for (uint32_t o = 0; o < layer->output.channels; o++) {
            const int16_t weight = weights[(size_t)o * inputs + i];
            sum += errors[o] * (weight_of(weight, layer->input_fraction) - input[i]);
        }
        sums[i] = sum;
    }
}

/* dense.c - fully connected layer, of a format that has no loops of its own. */
#include "plain.h"

#include <stddef.h>

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const nn_value *row = arguments->weights;
    for (uint32_t o = 0; o < layer->output.channels; o++) {
        struct nn_sum sum = nn_sum_from(arguments->biases != NULL ? arguments->biases[o] : 0);
        const nn_value *value = arguments->input;
        for (uint32_t i = inputs; i > 0; i--) {
            sum = nn_mac(sum, *row++, *value++);
        }
        nn_put(arguments, o, nn_sum_end(sum, arguments->numerics));
    }
}

/* conv2d.c - convolution without padding, of a format that has no loops of its
 * own. */
#include "plain.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)

static nn_whole sum_window(nn_whole sum, const struct nn_layer *layer, const nn_value *w,
                           const nn_value *at)
{
    const size_t side = layer->kernel;
    const size_t to_next_row = layer->input.width - side;
    const size_t to_next_map = (size_t)(layer->input.height - side) * layer->input.width;
    for (uint32_t maps = layer->input.channels; maps > 0; maps--, at += to_next_map) {
        for (size_t rows = side; rows > 0; rows--, at += to_next_row) {
            for (size_t columns = side; columns > 0; columns--) {
                sum = nn_whole_mac(sum, *w++, *at++);
            }
        }
    }
    return sum;
}

void nn_conv2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t links = (size_t)layer->input.channels * layer->kernel * layer->kernel;
    const size_t step = (size_t)layer->stride * layer->input.width;
    const nn_value *w = arguments->weights;
    nn_value *out = arguments->output;
    for (uint32_t m = 0; m < layer->output.channels; m++, w += links) {
        const nn_whole bias = nn_whole_from(arguments->biases[m]);
        const nn_value *line = arguments->input;
        for (uint32_t y = 0; y < layer->output.height; y++, line += step) {
            const nn_value *at = line;
            for (uint32_t x = 0; x < layer->output.width; x++, at += layer->stride) {
                const nn_whole sum = sum_window(bias, layer, w, at);
                const nn_value value = nn_whole_value(sum, &arguments->numerics->saturations);
                *out++ = (nn_value)nn_activated(layer, value);
            }
        }
    }
}

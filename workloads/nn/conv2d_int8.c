/* conv2d_int8.c - a convolution of 8-bit values: the loops of int16, map after map, as all inputs
 * and one map's weights are widened more cheaply than they are multiplied. */
#include "kernels.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)

static void widen_weights(const int8_t *weights, int16_t *wide, uint32_t count)
{
    const int8_t *const end = weights + count;
#pragma GCC unroll 4
    while (weights != end) {
        *wide++ = (int16_t)(*weights++ * (1 << NN_INT8_SHIFT));
    }
}

NN_RARE int8_t cut(int16_t value, struct nn_numerics *numerics)
{
    return nn_saturate(value, numerics);
}

static void narrow_values(const int16_t *wide, int8_t *values, uint32_t count,
                          struct nn_numerics *numerics)
{
    const int16_t *const end = wide + count;
#pragma GCC unroll 4
    while (wide != end) {
        const int16_t value = *wide++;
        *values++ = value == (int8_t)value ? (int8_t)value : cut(value, numerics);
    }
}

void nn_conv2d(const struct nn_arguments *arguments)
{
    struct nn_layer layer = *arguments->layer;
    const uint32_t inputs = nn_values(layer.input);
    const uint32_t links = (uint32_t)layer.input.channels * layer.kernel * layer.kernel;
    const uint32_t places = (uint32_t)layer.output.height * layer.output.width;
    const uint32_t maps = layer.output.channels;
    int16_t *input = arguments->scratch;
    int16_t *weights = input + nn_int8_widened(inputs) / sizeof *input;
    int16_t *output = weights + nn_int8_widened(links) / sizeof *weights;
    const int8_t *narrow = arguments->weights;
    int8_t *out = arguments->output;
    struct nn_int16_map map = {
        .layer = &layer, .weights = weights, .input = input, .output = output};
    layer.output.channels = 1;
    nn_int8_widen(arguments->input, input, inputs);
    for (uint32_t m = 0; m < maps; m++, narrow += links) {
        map.bias = arguments->biases[m];
        widen_weights(narrow, weights, links);
        nn_int16_map(&map, arguments->numerics);
        narrow_values(output, out, places, arguments->numerics);
        out += places;
    }
}

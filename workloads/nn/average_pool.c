/* average_pool.c - see average_pool.h. */
#include "average_pool.h"

#include <stddef.h>

NN_NEEDS(OPERATORS)

static int32_t sum_of(const nn_value *window, size_t width, uint32_t kernel)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < kernel; i++, window += width) {
        for (uint32_t j = 0; j < kernel; j++) {
            sum += window[j];
        }
    }
    return sum;
}

static void add_to(int32_t *window, size_t width, uint32_t kernel, nn_value error)
{
    for (uint32_t i = 0; i < kernel; i++, window += width) {
        for (uint32_t j = 0; j < kernel; j++) {
            window[j] += error;
        }
    }
}

void nn_average_pool2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t width = layer->input.width;
    const int32_t count = layer->kernel * layer->kernel;
    const nn_value *channel = arguments->input;
    nn_value *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++, channel += layer->input.height * width) {
        const nn_value *line = channel;
        for (uint32_t y = 0; y < layer->output.height; y++, line += layer->stride * width) {
            const nn_value *at = line;
            for (uint32_t x = layer->output.width; x > 0; x--, at += layer->stride) {
                *out++ = nn_mean_of(sum_of(at, width, layer->kernel), count);
            }
        }
    }
}

void nn_average_pool2d_back(const struct nn_layer *layer, const nn_value *errors, int32_t *sums,
                            nn_value *input_errors)
{
    const size_t width = layer->input.width;
    const uint32_t count = nn_values(layer->input);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    int32_t *channel = sums;
    for (uint32_t c = 0; c < layer->output.channels; c++, channel += layer->input.height * width) {
        int32_t *line = channel;
        for (uint32_t y = 0; y < layer->output.height; y++, line += layer->stride * width) {
            int32_t *at = line;
            for (uint32_t x = layer->output.width; x > 0; x--, at += layer->stride) {
                add_to(at, width, layer->kernel, *errors++);
            }
        }
    }
    /* A value is in less windows than a window has values: no mean is beyond an error. */
    for (uint32_t i = 0; i < count; i++) {
        input_errors[i] = nn_mean_of(sums[i], layer->kernel * layer->kernel);
    }
}

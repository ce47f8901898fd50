/* pooling.c - the largest value of each window; windows do not overlap beyond the stride. */
#include "kernels.h"

#include <stddef.h>

NN_INLINE int16_t larger(int16_t a, int16_t b)
{
    return a > b ? a : b;
}

NN_INLINE int16_t largest_of(const int16_t *window, size_t width, uint32_t kernel)
{
    int16_t largest = window[0];
    for (uint32_t i = 0; i < kernel; i++) {
        for (uint32_t j = 0; j < kernel; j++) {
            largest = larger(largest, window[i * width + j]);
        }
    }
    return largest;
}

NN_INLINE void pool(const struct nn_arguments *arguments, uint32_t kernel, size_t stride)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t width = layer->input.width;
    const size_t columns = layer->output.width * stride;
    const int16_t *channel = arguments->input;
    int16_t *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++, channel += layer->input.height * width) {
        const int16_t *line = channel;
        for (uint32_t y = 0; y < layer->output.height; y++, line += stride * width) {
            for (size_t x = 0; x < columns; x += stride) {
                *out++ = largest_of(line + x, width, kernel);
            }
        }
    }
}

/* LeCun's networks halve each side: with the size known the window's loops are unrolled. */
enum { USUAL = 2 };

void nn_max_pool2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    if (layer->kernel == USUAL && layer->stride == USUAL) {
        pool(arguments, USUAL, USUAL);
    } else {
        pool(arguments, layer->kernel, layer->stride);
    }
}

/* pooling.c - the largest value of each window; windows do not overlap beyond the stride. */
#include "kernels.h"

NN_INLINE int16_t larger(int16_t a, int16_t b)
{
    return a > b ? a : b;
}

NN_INLINE int16_t largest_of(const int16_t *window, uint32_t width, uint32_t kernel)
{
    int16_t largest = window[0];
    for (uint32_t i = 0; i < kernel; i++) {
        for (uint32_t j = 0; j < kernel; j++) {
            largest = larger(largest, window[i * width + j]);
        }
    }
    return largest;
}

NN_INLINE void pool(const struct nn_arguments *arguments, uint32_t kernel, uint32_t stride)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t width = layer->input.width;
    const uint32_t map = (uint32_t)layer->input.height * width;
    int16_t *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++) {
        const int16_t *channel = arguments->input + c * map;
        for (uint32_t y = 0; y < layer->output.height; y++) {
            const int16_t *window = channel + y * stride * width;
            const int16_t *const end = window + layer->output.width * stride;
            for (; window != end; window += stride) {
                *out++ = largest_of(window, width, kernel);
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

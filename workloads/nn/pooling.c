/* pooling.c - the largest value of each window, and which it was; windows do not overlap beyond the
 * stride. */
#include "backward.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)

NN_INLINE nn_value largest_of(const nn_value *window, size_t width, uint32_t kernel)
{
    nn_value largest = window[0];
    for (uint32_t i = 0; i < kernel; i++) {
        for (uint32_t j = 0; j < kernel; j++) {
            const nn_value value = window[i * width + j];
            largest = value > largest ? value : largest;
        }
    }
    return largest;
}

NN_INLINE nn_value choose(const nn_value *window, size_t width, uint32_t kernel, uint8_t *choice)
{
    nn_value largest = window[0];
    uint32_t place = 0;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < kernel; i++, window += width) {
        for (uint32_t j = 0; j < kernel; j++, place++) {
            if (window[j] > largest) {
                largest = window[j];
                chosen = place;
            }
        }
    }
    *choice = (uint8_t)chosen;
    return largest;
}

/* choice: NULL when it is not wanted. */
NN_INLINE void pool(const struct nn_arguments *arguments, uint32_t kernel, size_t stride,
                    uint8_t *choice)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t width = layer->input.width;
    const nn_value *channel = arguments->input;
    nn_value *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++, channel += layer->input.height * width) {
        const nn_value *line = channel;
        for (uint32_t y = 0; y < layer->output.height; y++, line += stride * width) {
            const nn_value *at = line;
            for (uint32_t x = layer->output.width; x > 0; x--, at += stride) {
                *out++ = choice == NULL ? largest_of(at, width, kernel)
                                        : choose(at, width, kernel, choice++);
            }
        }
    }
}

NN_RARE void pool_any(const struct nn_arguments *arguments, uint8_t *choice)
{
    pool(arguments, arguments->layer->kernel, arguments->layer->stride, choice);
}

/* LeCun's networks halve each side: with the size known the window's loops are unrolled. */
enum { USUAL = 2 };

static bool is_usual(const struct nn_layer *layer)
{
    return layer->kernel == USUAL && layer->stride == USUAL;
}

void nn_max_pool2d(const struct nn_arguments *arguments)
{
    if (is_usual(arguments->layer)) {
        pool(arguments, USUAL, USUAL, NULL);
    } else {
        pool_any(arguments, NULL);
    }
}

void nn_max_pool2d_choose(const struct nn_arguments *arguments, uint8_t *choice)
{
    if (is_usual(arguments->layer)) {
        pool(arguments, USUAL, USUAL, choice);
    } else {
        pool_any(arguments, choice);
    }
}

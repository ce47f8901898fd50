/* pooling_backward.c - max pooling that remembers its choice, and the way back through it. */
#include "backward.h"

#include <stddef.h>

static nn_value choose(const nn_value *window, size_t width, uint32_t kernel, uint8_t *choice)
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

void nn_max_pool2d_choose(const struct nn_arguments *arguments, uint8_t *choice)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t width = layer->input.width;
    const nn_value *channel = arguments->input;
    nn_value *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++, channel += layer->input.height * width) {
        const nn_value *line = channel;
        for (uint32_t y = 0; y < layer->output.height; y++, line += layer->stride * width) {
            const nn_value *at = line;
            for (uint32_t x = 0; x < layer->output.width; x++, at += layer->stride) {
                *out++ = choose(at, width, layer->kernel, choice++);
            }
        }
    }
}

/* Steps in the input's map, from one output of the convolution to the next. */
struct steps {
    uint32_t column, row; /* one output on, one output down */
    uint32_t side;        /* of the pool's window */
};

static uint32_t place_in_window(const struct steps *steps, uint32_t choice)
{
    uint32_t place = 0;
    for (; choice >= steps->side; choice -= steps->side) {
        place += steps->row;
    }
    return place + choice * steps->column;
}

void nn_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                    const nn_value *output, const uint8_t *choice, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts)
{
    const struct steps steps = {conv->stride, (uint32_t)conv->stride * conv->input.width,
                                pool->kernel};
    const int32_t least = conv->activation == NN_RELU ? 1 : INT32_MIN; /* of an open output */
    for (uint32_t m = 0; m < pool->output.channels; m++) {
        const struct nn_event *const first = events;
        uint32_t line = 0;
        for (uint32_t y = 0; y < pool->output.height; y++, line += pool->stride * steps.row) {
            uint32_t at = line;
            for (uint32_t x = 0; x < pool->output.width; x++, at += pool->stride * steps.column) {
                const nn_value error = *errors++;
                if (error != 0 && *output >= least) {
                    *events++ =
                        (struct nn_event){(uint16_t)(at + place_in_window(&steps, *choice)), error};
                }
                output++;
                choice++;
            }
        }
        counts[m] = (uint16_t)(events - first);
    }
}

void nn_relu_events(const struct nn_layer *conv, const nn_value *output, const nn_value *errors,
                    struct nn_event *events, uint16_t *counts)
{
    const int32_t least = conv->activation == NN_RELU ? 1 : INT32_MIN;
    const uint32_t step = (uint32_t)conv->stride * conv->input.width;
    for (uint32_t m = 0; m < conv->output.channels; m++) {
        const struct nn_event *const first = events;
        uint32_t line = 0;
        for (uint32_t y = 0; y < conv->output.height; y++, line += step) {
            uint32_t at = line;
            for (uint32_t x = 0; x < conv->output.width; x++, at += conv->stride) {
                const nn_value error = *errors++;
                if (error != 0 && *output >= least) {
                    *events++ = (struct nn_event){(uint16_t)at, error};
                }
                output++;
            }
        }
        counts[m] = (uint16_t)(events - first);
    }
}

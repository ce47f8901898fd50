/* conv2d_backward.c - what events add to a convolution's gradients and to the sums that go back. */
#include "tiles.h"

#include <stddef.h>

/* gradient[0 .. side - 1] += error x values, for each row of a window. */
static inline void add_window(int32_t *gradient, const nn_value *values, size_t width,
                              uint32_t side, nn_value error)
{
    for (uint32_t i = 0; i < side; i++, values += width) {
        for (uint32_t j = 0; j < side; j++, gradient++) {
            *gradient = nn_wrapping_mac(*gradient, error, values[j]);
        }
    }
}

NN_RARE void add_event(const struct nn_layer *layer, const nn_value *input,
                       const struct nn_event *event, int32_t *weights)
{
    const size_t width = layer->input.width;
    const nn_value *window = input + event->place;
    for (uint32_t i = 0; i < layer->input.channels; i++, window += layer->input.height * width) {
        add_window(weights, window, width, layer->kernel, event->error);
        weights += (size_t)layer->kernel * layer->kernel;
    }
}

/* The window's sums += error x weights. */
static void spread_window(int32_t *sums, size_t width, const nn_value *weights, uint32_t side,
                          nn_value error)
{
    for (uint32_t i = 0; i < side; i++, sums += width) {
        for (uint32_t j = 0; j < side; j++) {
            sums[j] = nn_wrapping_mac(sums[j], error, *weights++);
        }
    }
}

NN_RARE void spread_event(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *event, int32_t *sums)
{
    const size_t width = layer->input.width;
    int32_t *window = sums + event->place;
    for (uint32_t i = 0; i < layer->input.channels; i++, window += layer->input.height * width) {
        spread_window(window, width, weights, layer->kernel, event->error);
        weights += (size_t)layer->kernel * layer->kernel;
    }
}

/* Windows that the tiles know, in rows from word to word. */
static bool is_usual(const struct nn_layer *layer, const nn_value *input)
{
    return layer->kernel == NN_TILE_SIDE && layer->stride == 1 && layer->input.width % 2 == 0 &&
           ((uintptr_t)input & 3) == 0;
}

/* The first event at an odd place; those at even places stand before it. */
NN_RARE const struct nn_event *first_odd(const struct nn_event *first, uint32_t count)
{
    while (count > 0) {
        const uint32_t half = count / 2;
        if (first[half].place % 2 == 0) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

static struct nn_tile_events events_of(const struct nn_layer *layer, const struct nn_event *events,
                                       uint32_t count, uint32_t value_bytes)
{
    const uint32_t row_bytes = layer->input.width * value_bytes;
    return (struct nn_tile_events){events,         first_odd(events, count),
                                   events + count, layer->input.channels,
                                   row_bytes,      layer->input.height * row_bytes};
}

NN_SMALL void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                                 const struct nn_event *events, const uint16_t *counts,
                                 int32_t *weights, int32_t *biases)
{
    const bool usual = is_usual(layer, input);
    const size_t links = (size_t)layer->input.channels * layer->kernel * layer->kernel;
    for (uint32_t m = 0; m < layer->output.channels; m++, weights += links) {
        const struct nn_event *const end = events + counts[m];
        if (usual && counts[m] > 0) {
            const struct nn_tile_events tile = events_of(layer, events, counts[m], sizeof *input);
            biases[m] = nn_wrapping_add(biases[m], nn_tile_gradient(&tile, input, weights));
            events = end;
        }
        for (; events != end; events++) {
            biases[m] = nn_wrapping_add(biases[m], events->error);
            add_event(layer, input, events, weights);
        }
    }
}

NN_SMALL void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                   const struct nn_event *events, const uint16_t *counts,
                                   int32_t *sums)
{
    const bool usual = is_usual(layer, weights);
    const size_t links = (size_t)layer->input.channels * layer->kernel * layer->kernel;
    for (uint32_t m = 0; m < layer->output.channels; m++, weights += links) {
        const struct nn_event *const end = events + counts[m];
        if (usual && counts[m] > 0) {
            const struct nn_tile_events tile = events_of(layer, events, counts[m], sizeof *sums);
            nn_tile_input_sums(&tile, weights, sums);
            events = end;
        }
        for (; events != end; events++) {
            spread_event(layer, weights, events, sums);
        }
    }
}

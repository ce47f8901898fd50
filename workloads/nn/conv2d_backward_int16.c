/* conv2d_backward_int16.c - what events add to gradients of int16 values and to sums that go back.
 */
#include "tiles.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)
NN_NEEDS(TRAINS)

/* What an event's window covers of a map: side x side values, of which some rows and columns may
 * stand in the zeros around it. */
struct window {
    uint32_t row, column; /* of its first value; before the first: far beyond the last */
    uint32_t side, height, width;
};

static struct window window_of(const struct nn_layer *layer, uint32_t place)
{
    const uint32_t padded = layer->input.width + 2u * layer->padding;
    uint32_t row = 0;
    for (; place >= padded; place -= padded) {
        row++;
    }
    return (struct window){row - layer->padding, place - layer->padding, layer->kernel,
                           layer->input.height, layer->input.width};
}

/* Index in the map of the window's value i, j; UINT32_MAX: outside. */
static inline uint32_t value_of(const struct window *window, uint32_t i, uint32_t j)
{
    const uint32_t row = window->row + i;
    const uint32_t column = window->column + j;
    return row < window->height && column < window->width ? row * window->width + column
                                                          : UINT32_MAX;
}

NN_RARE void add_event(const struct nn_layer *layer, const nn_value *input,
                       const struct nn_event *event, int32_t *weights)
{
    const struct window window = window_of(layer, event->place);
    for (uint32_t maps = layer->input.channels; maps > 0; maps--) {
        for (uint32_t i = 0; i < window.side; i++) {
            for (uint32_t j = 0; j < window.side; j++, weights++) {
                const uint32_t at = value_of(&window, i, j);
                if (at != UINT32_MAX) {
                    *weights = nn_wrapping_mac(*weights, event->error, input[at]);
                }
            }
        }
        input += (size_t)window.height * window.width;
    }
}

NN_RARE void spread_event(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *event, int32_t *sums)
{
    const struct window window = window_of(layer, event->place);
    for (uint32_t maps = layer->input.channels; maps > 0; maps--) {
        for (uint32_t i = 0; i < window.side; i++) {
            for (uint32_t j = 0; j < window.side; j++, weights++) {
                const uint32_t at = value_of(&window, i, j);
                if (at != UINT32_MAX) {
                    sums[at] = nn_wrapping_mac(sums[at], event->error, *weights);
                }
            }
        }
        sums += (size_t)window.height * window.width;
    }
}

/* Windows that the tiles know, in rows from word to word. */
static bool has_tiles(const struct nn_layer *layer, const nn_value *input)
{
    return layer->kernel == NN_TILE_SIDE && layer->stride == 1 && layer->padding == 0 &&
           layer->input.width % 2 == 0 && ((uintptr_t)input & 3) == 0;
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
    if (NN_CHOOSES_LINKS && nn_kernels_of(layer) != 0) {
        nn_conv2d_chosen_gradient(layer, input, events, counts, weights, biases);
        return;
    }
    if (NN_CHOOSES_LINKS && nn_links(layer) != NULL) {
        nn_conv2d_linked_gradient(layer, input, events, counts, weights, biases);
        return;
    }
    const bool usual = has_tiles(layer, input);
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
    if (NN_CHOOSES_LINKS && nn_kernels_of(layer) != 0) {
        nn_conv2d_chosen_input_sums(layer, weights, events, counts, sums);
        return;
    }
    if (NN_CHOOSES_LINKS && nn_links(layer) != NULL) {
        nn_conv2d_linked_input_sums(layer, weights, events, counts, sums);
        return;
    }
    const bool usual = has_tiles(layer, weights);
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

/* conv2d_linked_backward.c - what events add to the gradients of a convolution with a table of
 * links, and to the sums that go back. */
#include "tiles.h"

#include <stddef.h>

/* A layer's links one after the other: from an input map to an output map. */
struct walk {
    const struct nn_layer *layer;
    struct nn_tile_events tile; /* the output map's events */
    bool usual;
    uint32_t m, c;
    size_t area, window;
};

static bool is_usual(const struct nn_layer *layer, const nn_value *values)
{
    return layer->kernel == NN_TILE_SIDE && layer->stride == 1 && layer->padding == 0 &&
           layer->input.width % 2 == 0 && ((uintptr_t)values & 3) == 0;
}

/* The first event at an odd place; those at even places stand before it. */
static const struct nn_event *first_odd(const struct nn_event *first, const struct nn_event *end)
{
    while (first != end && first->place % 2 == 0) {
        first++;
    }
    return first;
}

static void begin_map(struct walk *walk, const struct nn_event *events, uint32_t count)
{
    walk->c = 0;
    walk->tile.even = events;
    walk->tile.end = events + count;
    walk->tile.odd = first_odd(events, walk->tile.end);
}

/* Whether input map c feeds the output map. */
static bool is_link(const struct walk *walk)
{
    return nn_is_linked(nn_links(walk->layer), walk->m, walk->c);
}

static struct walk walk_of(const struct nn_layer *layer, const nn_value *values,
                           uint32_t value_bytes)
{
    const uint32_t row_bytes = layer->input.width * value_bytes;
    return (struct walk){.layer = layer,
                         .tile = {.channels = 1,
                                  .row_bytes = row_bytes,
                                  .map_bytes = layer->input.height * row_bytes},
                         .usual = is_usual(layer, values),
                         .area = (size_t)layer->input.height * layer->input.width,
                         .window = (size_t)layer->kernel * layer->kernel};
}

/* ---- windows of any size ---- */

/* Calls for each of the link's events and each of its window's values that lie on the map: to[] +=
 * error x from[], one of which is of the window and the other of the map. */
NN_RARE void add_any(const struct walk *walk, const nn_value *from, int32_t *to, bool to_window)
{
    const struct nn_layer *layer = walk->layer;
    const uint32_t padded = layer->input.width + 2u * layer->padding;
    for (const struct nn_event *event = walk->tile.even; event != walk->tile.end; event++) {
        const uint32_t top = event->place / padded - layer->padding;
        const uint32_t left = event->place % padded - layer->padding;
        uint32_t w = 0;
        for (uint32_t i = 0; i < layer->kernel; i++) {
            for (uint32_t j = 0; j < layer->kernel; j++, w++) {
                const uint32_t row = top + i; /* before the first: far beyond the last */
                const uint32_t column = left + j;
                const uint32_t at = row * layer->input.width + column;
                if (row < layer->input.height && column < layer->input.width) {
                    int32_t *sum = to + (to_window ? w : at);
                    *sum = nn_wrapping_mac(*sum, event->error, from[to_window ? at : w]);
                }
            }
        }
    }
}

/* ---- all ---- */

NN_SMALL void nn_conv2d_linked_gradient(const struct nn_layer *layer, const nn_value *input,
                                        const struct nn_event *events, const uint16_t *counts,
                                        int32_t *weights, int32_t *biases)
{
    struct walk walk = walk_of(layer, input, sizeof *input);
    for (; walk.m < layer->output.channels; walk.m++) {
        begin_map(&walk, events, counts[walk.m]);
        const nn_value *map = input;
        for (; walk.c < layer->input.channels; walk.c++, map += walk.area) {
            if (!is_link(&walk)) {
                continue;
            }
            if (walk.usual && counts[walk.m] > 0) {
                (void)nn_tile_gradient(&walk.tile, map, weights);
            } else {
                add_any(&walk, map, weights, true);
            }
            weights += walk.window;
        }
        for (; events != walk.tile.end; events++) {
            biases[walk.m] = nn_wrapping_add(biases[walk.m], events->error);
        }
    }
}

NN_SMALL void nn_conv2d_linked_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                          const struct nn_event *events, const uint16_t *counts,
                                          int32_t *sums)
{
    struct walk walk = walk_of(layer, weights, sizeof *sums);
    for (; walk.m < layer->output.channels; walk.m++) {
        begin_map(&walk, events, counts[walk.m]);
        int32_t *map = sums;
        for (; walk.c < layer->input.channels; walk.c++, map += walk.area) {
            if (!is_link(&walk)) {
                continue;
            }
            if (walk.usual && counts[walk.m] > 0) {
                nn_tile_input_sums(&walk.tile, weights, map);
            } else {
                add_any(&walk, weights, map, false);
            }
            weights += walk.window;
        }
        events = walk.tile.end;
    }
}

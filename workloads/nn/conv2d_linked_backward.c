/* conv2d_linked_backward.c - what events add to the gradients of a convolution with a table of
 * links, and to the sums that go back: link after link. */
#include "tiles.h"

#include <stddef.h>

/* What a link's events add up: error x value of the input map to each weight's gradient, or error x
 * weight to sums of the input map. */
struct way {
    const struct nn_layer *layer;
    const nn_value *from;
    int32_t *to;
    bool to_weights;
};

static bool is_usual(const struct nn_layer *layer, const nn_value *values)
{
    return layer->kernel == NN_TILE_SIDE && layer->stride == 1 && layer->padding == 0 &&
           !layer->one_weight && layer->input.width % 2 == 0 && ((uintptr_t)values & 3) == 0;
}

/* Windows of any size. */
NN_RARE void add_any(const struct way *way, const struct nn_event *event,
                     const struct nn_event *end)
{
    const struct nn_layer *layer = way->layer;
    const uint32_t padded = layer->input.width + 2u * layer->padding;
    const uint32_t step = !layer->one_weight;
    for (; event != end; event++) {
        const uint32_t top = event->place / padded - layer->padding;
        const uint32_t left = event->place % padded - layer->padding;
        uint32_t w = 0;
        for (uint32_t i = 0; i < layer->kernel; i++) {
            for (uint32_t j = 0; j < layer->kernel; j++, w += step) {
                const uint32_t row = top + i; /* before the first: far beyond the last */
                const uint32_t column = left + j;
                const uint32_t at = row * layer->input.width + column;
                if (row < layer->input.height && column < layer->input.width) {
                    int32_t *sum = way->to + (way->to_weights ? w : at);
                    *sum = nn_wrapping_mac(*sum, event->error, way->from[way->to_weights ? at : w]);
                }
            }
        }
    }
}

/* All links.  Weights, or their gradients, follow each other; maps have places of their own. */
NN_RARE void add_links(struct way way, const struct nn_event *events, const uint16_t *counts)
{
    const struct nn_layer *layer = way.layer;
    const uint32_t *links = nn_links(layer);
    const bool usual = is_usual(layer, way.from);
    const uint32_t area = (uint32_t)layer->input.height * layer->input.width;
    const uint32_t weights = nn_link_weights(layer);
    const uint32_t row_bytes =
        layer->input.width * (uint32_t)(way.to_weights ? sizeof *way.from : sizeof *way.to);
    const nn_value *const from = way.from;
    int32_t *const to = way.to;
    uint32_t w = 0;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        const struct nn_event *const end = events + counts[m];
        const struct nn_event *odd = events; /* those at even places stand before it */
        while (odd != end && odd->place % 2 == 0) {
            odd++;
        }
        const struct nn_tile_events tile = {events, odd,       end,
                                            1,      row_bytes, layer->input.height * row_bytes};
        for (uint32_t c = 0; c < layer->input.channels; c++) {
            if (!nn_is_linked(links, m, c)) {
                continue;
            }
            way.from = from + (way.to_weights ? c * area : w);
            way.to = to + (way.to_weights ? w : c * area);
            w += weights;
            if (!usual || events == end) {
                add_any(&way, events, end);
            } else if (way.to_weights) {
                (void)nn_tile_gradient(&tile, way.from, way.to);
            } else {
                nn_tile_input_sums(&tile, way.from, way.to);
            }
        }
        events = end;
    }
}

NN_SMALL void nn_conv2d_linked_gradient(const struct nn_layer *layer, const nn_value *input,
                                        const struct nn_event *events, const uint16_t *counts,
                                        int32_t *weights, int32_t *biases)
{
    const struct way way = {layer, input, weights, true};
    add_links(way, events, counts);
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        for (const struct nn_event *const end = events + counts[m]; events != end; events++) {
            biases[m] = nn_wrapping_add(biases[m], events->error);
        }
    }
}

NN_SMALL void nn_conv2d_linked_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                          const struct nn_event *events, const uint16_t *counts,
                                          int32_t *sums)
{
    const struct way way = {layer, weights, sums, false};
    add_links(way, events, counts);
}

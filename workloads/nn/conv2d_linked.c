/* conv2d_linked.c - convolutions whose output maps see only some input maps (nn_links()), or all.
 * Sums take their products in the order of conv2d.c. */
#include "conv2d_window.h"
#include "tiles.h"

NN_NEEDS(OPERATORS)

/* ---- windows of any size ---- */

/* The window of output row y, column x, where it lies on an input map: zeros around it add nothing.
 */
NN_RARE struct nn_sum sum_window(struct nn_sum sum, const struct nn_layer *layer, const int16_t *w,
                                 const int16_t *map, uint32_t y, uint32_t x)
{
    const uint32_t step = !layer->one_weight;
    for (uint32_t i = 0; i < layer->kernel; i++) {
        for (uint32_t j = 0; j < layer->kernel; j++, w += step) {
            /* Before the first row or column: far beyond the last. */
            const uint32_t row = y * layer->stride + i - layer->padding;
            const uint32_t column = x * layer->stride + j - layer->padding;
            if (row < layer->input.height && column < layer->input.width) {
                sum = nn_mac(sum, *w, map[(size_t)row * layer->input.width + column]);
            }
        }
    }
    return sum;
}

/* One output map.  Returns where the weights of the next begin. */
NN_RARE const int16_t *convolve_any(const struct nn_arguments *arguments, uint32_t m,
                                    const int16_t *weights)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t *links = nn_links(layer);
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const uint32_t places = (uint32_t)layer->output.height * layer->output.width;
    const int16_t *end = weights;
    uint32_t index = m * places;
    for (uint32_t y = 0; y < layer->output.height; y++) {
        for (uint32_t x = 0; x < layer->output.width; x++, index++) {
            struct nn_sum sum = nn_sum_from(nn_align(arguments->biases[m], layer->input_fraction));
            const int16_t *map = arguments->input;
            end = weights;
            for (uint32_t c = 0; c < layer->input.channels; c++, map += area) {
                if (nn_is_linked(links, m, c)) {
                    sum = sum_window(sum, layer, end, map, y, x);
                    end += nn_link_weights(layer);
                }
            }
            nn_store(arguments, index, sum);
        }
    }
    return end;
}

/* ---- 5 x 5, word by word ---- */

/* One output map: its weights, the words of links, and the steps from row to row and from map to
 * map of the input. */
struct map {
    const int16_t *weights, *end;
    const uint32_t *links;
    uint32_t number, channels, width, area;
    int32_t bias;
};

/* Sums over the input maps that are linked. */
NN_INLINE struct sums sum_map(struct map *map, const int16_t *at)
{
    const struct nn_sum bias = nn_sum_from(map->bias);
    struct sums s = {bias, bias, bias, bias};
    const int16_t *w = map->weights;
    for (uint32_t c = 0; c < map->channels; c++, at += map->area) {
        if (!nn_is_linked(map->links, map->number, c)) {
            continue;
        }
        if (((uintptr_t)w & 2) == 0) {
            s = add_window(s, w, false, at, map->width, FOUR);
        } else {
            s = add_window(s, w, true, at, map->width, FOUR);
        }
        w += WINDOW;
    }
    map->end = w;
    return s;
}

/* Places are computed four at a time; the last four of a row may overlap those before. */
static __attribute__((noinline)) void convolve_map(const struct nn_arguments *arguments,
                                                   struct map *map, int16_t *out)
{
    const struct nn_rounding rounding = nn_rounding_of(arguments->layer);
    struct nn_numerics *numerics = arguments->numerics;
    const uint32_t columns = arguments->layer->output.width;
    const int16_t *line = arguments->input;
    for (uint32_t lines = arguments->layer->output.height; lines > 0; lines--, line += map->width) {
        for (uint32_t x = 0; x < columns; x += FOUR) {
            const uint32_t back = columns - x < FOUR ? PAIR : 0;
            const struct sums s = sum_map(map, line + x - back);
            if (back == 0) {
                *out++ = nn_round(&rounding, s.sum0, numerics);
                *out++ = nn_round(&rounding, s.sum1, numerics);
            }
            *out++ = nn_round(&rounding, s.sum2, numerics);
            *out++ = nn_round(&rounding, s.sum3, numerics);
        }
    }
}

/* Rows begin on words, and have four places at least. */
static bool is_usual(const struct nn_layer *layer)
{
    return layer->kernel == SIDE && layer->stride == 1 && layer->padding == 0 &&
           !layer->one_weight && layer->input.width % 2 == 0 && layer->output.width >= FOUR;
}

void nn_conv2d_linked(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const bool usual = is_usual(layer);
    const size_t places = (size_t)layer->output.height * layer->output.width;
    struct map map = {.end = arguments->weights,
                      .links = nn_links(layer),
                      .channels = layer->input.channels,
                      .width = layer->input.width,
                      .area = (uint32_t)layer->input.height * layer->input.width};
    for (; map.number < layer->output.channels; map.number++) {
        map.weights = map.end;
        if (usual) {
            map.bias = nn_align(arguments->biases[map.number], layer->input_fraction);
            convolve_map(arguments, &map, (int16_t *)arguments->output + map.number * places);
        } else {
            map.end = convolve_any(arguments, map.number, map.weights);
        }
    }
}

/* ---- backward: what events add to gradients and to the sums that go back, link after link ---- */

/* What the events of a link add: error x value of the input map to each weight's gradient, or error
 * x weight to the input map's sums. */
struct way {
    const struct nn_layer *layer;
    const nn_value *from;
    int32_t *to;
    bool to_weights;
};

static bool has_tiles(const struct nn_layer *layer, const nn_value *values)
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
    const bool usual = has_tiles(layer, way.from);
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

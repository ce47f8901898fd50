/* conv2d_linked.c - convolutions whose output maps are fed by some input maps only (nn_links()), or
 * by all.  Sums take their products in the order of conv2d.c. */
#include "conv2d_window.h"

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

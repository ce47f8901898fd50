/* conv2d_int16.c - two-dimensional convolution (cross-correlation, as all frameworks call it),
 * every output map linked to every input map; others: conv2d_linked.c.
 *
 * An output's sum begins with its bias and takes the products in one order, input map after input
 * map, row after row, on every path below: that a sum wraps on its way is the same, too. */
#undef NN_FORMAT /* programs of int8 have it, too */
#define NN_FORMAT int16
#include "conv2d_window.h"
#if !defined(__ARM_FEATURE_DSP)
#include "maps_host.h"
#endif

NN_NEEDS(CONVOLVES)

/* ---- windows of any size ---- */

static __attribute__((noinline, hot)) struct nn_sum
sum_window(struct nn_sum sum, const struct nn_layer *layer, const int16_t *w, const int16_t *at)
{
    const size_t side = layer->kernel;
    const size_t to_next_row = layer->input.width - side;
    const size_t to_next_map = (size_t)(layer->input.height - side) * layer->input.width;
    for (uint32_t maps = layer->input.channels; maps > 0; maps--, at += to_next_map) {
        for (size_t rows = side; rows > 0; rows--, at += to_next_row) {
            for (size_t columns = side; columns > 0; columns--) {
                sum = nn_mac(sum, *w++, *at++);
            }
        }
    }
    return sum;
}

/* The window of output row y, column x, where it lies on the input: zeros around it add nothing. */
NN_RARE struct nn_sum sum_padded(struct nn_sum sum, const struct nn_arguments *arguments,
                                 const int16_t *w, uint32_t y, uint32_t x)
{
    const struct nn_layer *layer = arguments->layer;
    const int16_t *map = arguments->input;
    for (uint32_t maps = layer->input.channels; maps > 0; maps--) {
        for (uint32_t i = 0; i < layer->kernel; i++) {
            for (uint32_t j = 0; j < layer->kernel; j++, w++) {
                /* Before the first row or column: far beyond the last. */
                const uint32_t row = y * layer->stride + i - layer->padding;
                const uint32_t column = x * layer->stride + j - layer->padding;
                if (row < layer->input.height && column < layer->input.width) {
                    sum = nn_mac(sum, *w, map[(size_t)row * layer->input.width + column]);
                }
            }
        }
        map += (size_t)layer->input.height * layer->input.width;
    }
    return sum;
}

NN_RARE void convolve_any(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t links = (uint32_t)layer->input.channels * layer->kernel * layer->kernel;
    const size_t step = (size_t)layer->stride * layer->input.width; /* to the next line of places */
    const int16_t *w = arguments->weights;
    uint32_t index = 0;
    for (uint32_t m = 0; m < layer->output.channels; m++, w += links) {
        const struct nn_sum bias =
            nn_sum_from(nn_align(arguments->biases[m], layer->input_fraction));
        const int16_t *line = arguments->input;
        for (uint32_t y = 0; y < layer->output.height; y++, line += step) {
            const int16_t *at = line;
            for (uint32_t x = 0; x < layer->output.width; x++, at += layer->stride) {
                const struct nn_sum sum = layer->padding == 0
                                              ? sum_window(bias, layer, w, at)
                                              : sum_padded(bias, arguments, w, y, x);
                nn_store(arguments, index++, sum);
            }
        }
    }
}

/* ---- 5 x 5, word by word ---- */

/* One map's weights, and the step from one row and one map of the input to the next. */
struct map {
    const int16_t *weights, *end;
    uint32_t width, area;
    int32_t bias;
};

/* Sums over all input maps. */
NN_INLINE struct sums sum_map(const struct map *map, const int16_t *at, uint32_t places)
{
    const struct nn_sum bias = nn_sum_from(map->bias);
    struct sums s = {bias, bias, bias, bias};
    for (const int16_t *w = map->weights; w != map->end; w += WINDOW, at += map->area) {
        if (((uintptr_t)w & 2) == 0) {
            s = add_window(s, w, false, at, map->width, places);
        } else {
            s = add_window(s, w, true, at, map->width, places);
        }
    }
    return s;
}

static __attribute__((noinline)) void convolve_map(const struct nn_arguments *arguments,
                                                   const struct map *one, int16_t *out)
{
    const struct map map = *one;
    const struct nn_rounding rounding = nn_rounding_of(arguments->layer);
    struct nn_numerics *numerics = arguments->numerics;
    const uint32_t columns = arguments->layer->output.width;
    const int16_t *line = arguments->input;
    for (uint32_t lines = arguments->layer->output.height; lines > 0; lines--, line += map.width) {
        const int16_t *at = line;
        const int16_t *const fours = at + columns - columns % FOUR;
        for (; at != fours; at += FOUR, out += FOUR) {
            const struct sums s = sum_map(&map, at, FOUR);
            out[0] = nn_round(&rounding, s.sum0, numerics);
            out[1] = nn_round(&rounding, s.sum1, numerics);
            out[2] = nn_round(&rounding, s.sum2, numerics);
            out[3] = nn_round(&rounding, s.sum3, numerics);
        }
        if (columns % FOUR != 0) {
            const struct sums s = sum_map(&map, at, PAIR);
            out[0] = nn_round(&rounding, s.sum0, numerics);
            out[1] = nn_round(&rounding, s.sum1, numerics);
            out += PAIR;
        }
    }
}

#if !defined(__ARM_FEATURE_DSP)
/* On the computer that simulates, with vectors; false when out of memory. */
static bool convolve_at_once(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t links = (uint32_t)layer->input.channels * layer->kernel * layer->kernel;
    const uint32_t places = (uint32_t)layer->output.height * layer->output.width;
    const struct nn_rounding rounding = nn_rounding_of(layer);
    struct nn_maps maps;
    if (layer->is_last || !nn_maps_frame(&maps, layer, arguments->input)) {
        return false;
    }
    const int16_t *w = arguments->weights;
    int16_t *out = arguments->output;
    for (uint32_t m = 0; m < layer->output.channels; m++, w += links) {
        const int32_t bias = nn_align(arguments->biases[m], layer->input_fraction);
        arguments->numerics->wrapped |= nn_maps_sum(&maps, w, bias);
        for (uint32_t i = 0; i < places; i++) {
            *out++ = nn_round(&rounding, nn_sum_from(maps.sum[i]), arguments->numerics);
        }
    }
    nn_maps_drop(&maps);
    return true;
}
#else
static inline bool convolve_at_once(const struct nn_arguments *arguments)
{
    (void)arguments;
    return false;
}
#endif

/* Rows begin on words, and there is no place left over; then the last pair of a row's windows ends
 * with the row. */
static bool is_usual(const struct nn_layer *layer)
{
    return layer->kernel == SIDE && layer->stride == 1 && layer->padding == 0 &&
           layer->input.width % 2 == 0 && !layer->is_last;
}

void nn_conv2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    if (NN_CHOOSES_LINKS && nn_kernels_of(layer) != 0) {
        nn_conv2d_chosen(arguments);
        return;
    }
    if (NN_CHOOSES_LINKS && nn_links(layer) != NULL) {
        nn_conv2d_linked(arguments);
        return;
    }
    if (convolve_at_once(arguments)) {
        return;
    }
    if (!is_usual(layer)) {
        convolve_any(arguments);
        return;
    }
    const uint32_t links = layer->input.channels * (uint32_t)WINDOW;
    const uint32_t places = (uint32_t)layer->output.height * layer->output.width;
    struct map map = {.weights = arguments->weights,
                      .width = layer->input.width,
                      .area = (uint32_t)layer->input.height * layer->input.width};
    int16_t *out = arguments->output;
    for (uint32_t m = 0; m < layer->output.channels; m++, out += places, map.weights = map.end) {
        map.end = map.weights + links;
        map.bias = nn_align(arguments->biases[m], layer->input_fraction);
        convolve_map(arguments, &map, out);
    }
}

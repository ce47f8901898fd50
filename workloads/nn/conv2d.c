/* conv2d.c - two-dimensional convolution (cross-correlation, as all frameworks call it), every
 * output map linked to every input map.
 *
 * An output's sum begins with its bias and takes the products in one order, input map after input
 * map, row after row, on every path below: that a sum wraps on its way is the same, too. */
#include "kernels.h"

#include <stddef.h>

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

/* The windows of LeCun's networks.  Weights and inputs are loaded in pairs, and one map is computed
 * at four neighbouring places: 7 loads, or 6, for a window's row of 20 products.  A map's 25
 * weights begin on a word or in the middle of one. */
enum { SIDE = 5, WINDOW = SIDE * SIDE, PAIR = 2, FOUR = 4 };

/* Sums at neighbouring places. */
struct sums {
    struct nn_sum sum0, sum1, sum2, sum3;
};

/* The words over the weights of a row; odd: it begins in the upper half of the first. */
struct row {
    uint32_t w0, w1, w2;
    bool odd;
};

/* A row times five values from the words x0 .. x2; odd: they begin in the upper half of x0. */
NN_INLINE struct nn_sum dot_row(struct nn_sum sum, struct row row, uint32_t x0, uint32_t x1,
                                uint32_t x2, bool odd)
{
    if (!row.odd && !odd) {
        sum = nn_mac_ll(sum, row.w0, x0);
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
        sum = nn_mac_uu(sum, row.w1, x1);
        sum = nn_mac_ll(sum, row.w2, x2);
    } else if (!row.odd) {
        sum = nn_mac_lu(sum, row.w0, x0);
        sum = nn_mac_ul(sum, row.w0, x1);
        sum = nn_mac_lu(sum, row.w1, x1);
        sum = nn_mac_ul(sum, row.w1, x2);
        sum = nn_mac_lu(sum, row.w2, x2);
    } else if (!odd) {
        sum = nn_mac_ul(sum, row.w0, x0);
        sum = nn_mac_lu(sum, row.w1, x0);
        sum = nn_mac_ul(sum, row.w1, x1);
        sum = nn_mac_lu(sum, row.w2, x1);
        sum = nn_mac_ul(sum, row.w2, x2);
    } else {
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
        sum = nn_mac_uu(sum, row.w1, x1);
        sum = nn_mac_ll(sum, row.w2, x2);
        sum = nn_mac_uu(sum, row.w2, x2);
    }
    return sum;
}

/* One row of the window at two or four places. */
NN_INLINE struct sums add_row(struct sums s, struct row row, const int16_t *at, uint32_t places)
{
    const uint32_t x0 = nn_pair(at);
    const uint32_t x1 = nn_pair(at + 2);
    const uint32_t x2 = nn_pair(at + 4);
    s.sum0 = dot_row(s.sum0, row, x0, x1, x2, false);
    s.sum1 = dot_row(s.sum1, row, x0, x1, x2, true);
    if (places == FOUR) {
        const uint32_t x3 = nn_pair(at + 6);
        s.sum2 = dot_row(s.sum2, row, x1, x2, x3, false);
        s.sum3 = dot_row(s.sum3, row, x1, x2, x3, true);
    }
    return s;
}

/* One map's weights, and the step from one row and one map of the input to the next. */
struct map {
    const int16_t *weights, *end;
    uint32_t width, area;
    int32_t bias;
};

/* The weights of one input map, which begin with w; odd: in the middle of a word. */
NN_INLINE struct sums add_window(struct sums s, const int16_t *w, bool odd, const int16_t *at,
                                 uint32_t width, uint32_t places)
{
#pragma GCC unroll 5
    for (size_t y = 0; y < SIDE; y++) {
        const bool odd_row = odd != (y % 2 == 1);
        const int16_t *first = w + y * SIDE - (odd_row ? 1 : 0);
        /* The last weight of all may stand at the end of memory. */
        const bool alone = y + 1 == SIDE && !odd_row;
        const struct row row = {nn_pair(first), nn_pair(first + 2),
                                alone ? (uint16_t)first[4] : nn_pair(first + 4), odd_row};
        s = add_row(s, row, at, places);
        at = nn_opaque(at + width);
    }
    return s;
}

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

/* conv2d_framed.c - convolutions of inference whose windows go beyond their input, or are not those
 * of conv2d_int16.c: it frames the input (framed.h), and computes windows of 5 x 5 and 3 x 3 word
 * by word, others value by value.
 *
 * Sums take their products in the order of conv2d_int16.c, and those with a frame's zeros, which
 * change nothing: the bits are the same, also whether a sum wraps. */
#include "conv2d_window.h"
#include "framed.h"

NN_NEEDS(OPERATORS)

/* ---- the frame ---- */

static void clear(int16_t *from, const int16_t *end)
{
    while (from != end) {
        *from++ = 0;
    }
}

/* Moves the rows of the input to theirs in the frame, the last one first: a row never goes to a
 * lower place, so that it meets none that is still to be moved. */
static void move_rows(const struct nn_layer *layer, const int16_t *input, int16_t *frame)
{
    const uint32_t width = nn_framed_width(layer);
    const uint32_t around = layer->padding;
    const size_t values = nn_framed_values(layer);
    const int16_t *from = input + nn_values(layer->input);
    int16_t *after = frame + values; /* where zeros end */
    int16_t *to = after - (size_t)(around + 1) * width + around;
    for (uint32_t maps = layer->input.channels; maps > 0;
         maps--, to -= (size_t)2 * around * width) {
        for (uint32_t rows = layer->input.height; rows > 0; rows--, to -= width) {
            for (uint32_t i = layer->input.width; i > 0; i--) {
                to[i - 1] = *--from;
            }
            clear(to + layer->input.width, after);
            after = to;
        }
    }
    clear(frame, after);
}

/* ---- windows of 3 x 3, word by word ---- */

enum { THREE = 3, ONE = 1 };

/* The words over the weights of a row of three; odd: it begins in the upper half of the first. */
struct three {
    uint32_t w0, w1;
    bool odd;
};

/* A row times three values from the words x0 and x1; odd: they begin in the upper half of x0. */
NN_INLINE struct nn_sum dot_three(struct nn_sum sum, struct three row, uint32_t x0, uint32_t x1,
                                  bool odd)
{
    if (!row.odd && !odd) {
        sum = nn_mac_ll(sum, row.w0, x0);
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
    } else if (!row.odd) {
        sum = nn_mac_lu(sum, row.w0, x0);
        sum = nn_mac_ul(sum, row.w0, x1);
        sum = nn_mac_lu(sum, row.w1, x1);
    } else if (!odd) {
        sum = nn_mac_ul(sum, row.w0, x0);
        sum = nn_mac_lu(sum, row.w1, x0);
        sum = nn_mac_ul(sum, row.w1, x1);
    } else {
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
        sum = nn_mac_uu(sum, row.w1, x1);
    }
    return sum;
}

/* One row of the window at one, two or four places. */
NN_INLINE struct sums add_three(struct sums s, struct three row, const int16_t *at, uint32_t places)
{
    const uint32_t x0 = nn_pair(at);
    const uint32_t x1 = nn_pair(at + 2);
    s.sum0 = dot_three(s.sum0, row, x0, x1, false);
    if (places >= PAIR) {
        s.sum1 = dot_three(s.sum1, row, x0, x1, true);
    }
    if (places == FOUR) {
        const uint32_t x2 = nn_pair(at + 4);
        s.sum2 = dot_three(s.sum2, row, x1, x2, false);
        s.sum3 = dot_three(s.sum3, row, x1, x2, true);
    }
    return s;
}

/* The same as add_window(). */
NN_INLINE struct sums add_small_window(struct sums s, const int16_t *w, bool odd, const int16_t *at,
                                       uint32_t width, uint32_t places)
{
#pragma GCC unroll 3
    for (size_t y = 0; y < THREE; y++) {
        const bool odd_row = odd != (y % 2 == 1);
        const int16_t *first = w + y * THREE - (odd_row ? 1 : 0);
        /* The last weight of all may stand at the end of memory. */
        const bool alone = y + 1 == THREE && !odd_row;
        const struct three row = {nn_pair(first), alone ? (uint16_t)first[2] : nn_pair(first + 2),
                                  odd_row};
        s = add_three(s, row, at, places);
        at = nn_opaque(at + width);
    }
    return s;
}

/* ---- output maps ---- */

/* One output map: its weights, and the steps from one row and one map of the frame to the next. */
struct map {
    const int16_t *weights, *end, *input;
    uint32_t width, area;
    int32_t bias;
    int16_t *out;
};

/* Sums over all input maps, at one, two or four neighbouring places. */
NN_INLINE struct sums sum_maps(const struct map *map, const int16_t *at, uint32_t side,
                               uint32_t places)
{
    const struct nn_sum bias = nn_sum_from(map->bias);
    struct sums s = {bias, bias, bias, bias};
    for (const int16_t *w = map->weights; w != map->end;
         w += (size_t)side * side, at += map->area) {
        const bool odd = ((uintptr_t)w & 2) != 0;
        if (side == SIDE) {
            s = odd ? add_window(s, w, true, at, map->width, places)
                    : add_window(s, w, false, at, map->width, places);
        } else {
            s = odd ? add_small_window(s, w, true, at, map->width, places)
                    : add_small_window(s, w, false, at, map->width, places);
        }
    }
    return s;
}

/* Places on even columns: four and two at a time with a stride of 1, else each alone. */
NN_INLINE void convolve_words(const struct nn_arguments *arguments, const struct map *one,
                              uint32_t side)
{
    const struct nn_layer *layer = arguments->layer;
    const struct map map = *one;
    const struct nn_rounding rounding = nn_rounding_of(layer);
    struct nn_numerics *numerics = arguments->numerics;
    const uint32_t stride = layer->stride;
    const size_t step = (size_t)stride * map.width;
    const int16_t *line = map.input;
    int16_t *out = map.out;
    for (uint32_t lines = layer->output.height; lines > 0; lines--, line += step) {
        const int16_t *at = line;
        uint32_t left = layer->output.width;
        for (; stride == 1 && left >= FOUR; left -= FOUR, at += FOUR, out += FOUR) {
            const struct sums s = sum_maps(&map, at, side, FOUR);
            out[0] = nn_round(&rounding, s.sum0, numerics);
            out[1] = nn_round(&rounding, s.sum1, numerics);
            out[2] = nn_round(&rounding, s.sum2, numerics);
            out[3] = nn_round(&rounding, s.sum3, numerics);
        }
        if (stride == 1 && left >= PAIR) {
            const struct sums s = sum_maps(&map, at, side, PAIR);
            out[0] = nn_round(&rounding, s.sum0, numerics);
            out[1] = nn_round(&rounding, s.sum1, numerics);
            left -= PAIR, at += PAIR, out += PAIR;
        }
        for (; left > 0; left--, at += stride) {
            *out++ = nn_round(&rounding, sum_maps(&map, at, side, ONE).sum0, numerics);
        }
    }
}

static __attribute__((noinline)) void convolve_fives(const struct nn_arguments *arguments,
                                                     const struct map *map)
{
    convolve_words(arguments, map, SIDE);
}

static __attribute__((noinline)) void convolve_threes(const struct nn_arguments *arguments,
                                                      const struct map *map)
{
    convolve_words(arguments, map, THREE);
}

/* Windows of any size at any place. */
static __attribute__((noinline, hot)) void convolve_values(const struct nn_arguments *arguments,
                                                           const struct map *map)
{
    const struct nn_layer *layer = arguments->layer;
    const struct nn_rounding rounding = nn_rounding_of(layer);
    const size_t side = layer->kernel;
    const size_t to_next_row = map->width - side;
    const size_t to_next_map = map->area - side * map->width;
    const int16_t *line = map->input;
    int16_t *out = map->out;
    for (uint32_t y = 0; y < layer->output.height;
         y++, line += (size_t)layer->stride * map->width) {
        for (uint32_t x = 0; x < layer->output.width; x++) {
            const int16_t *at = line + (size_t)x * layer->stride;
            struct nn_sum sum = nn_sum_from(map->bias);
            for (const int16_t *w = map->weights; w != map->end; at += to_next_map) {
                for (size_t rows = side; rows > 0; rows--, at += to_next_row) {
                    for (size_t columns = side; columns > 0; columns--) {
                        sum = nn_mac(sum, *w++, *at++);
                    }
                }
            }
            *out++ = nn_round(&rounding, sum, arguments->numerics);
        }
    }
}

typedef void convolve(const struct nn_arguments *arguments, const struct map *map);

static convolve *convolve_of(const struct nn_layer *layer)
{
    if (layer->stride != 1 && layer->stride % 2 != 0) {
        return convolve_values; /* places on odd columns */
    }
    return layer->kernel == SIDE    ? convolve_fives
           : layer->kernel == THREE ? convolve_threes
                                    : convolve_values;
}

/* The place of the frame, in the activations that the output is in. */
static int16_t *frame_of(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    return (int16_t *)(void *)((uint8_t *)arguments->output - layer->to + layer->from);
}

/* A part of a network whose input has no room for a frame has a `to` that is its `from`. */
void nn_conv2d_framed(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const bool moves = nn_needs_frame(layer);
    if (!nn_is_plain_convolution(layer) || (moves && layer->from == layer->to)) {
        nn_conv2d_linked(arguments);
        return;
    }
    const uint32_t links = (uint32_t)layer->input.channels * layer->kernel * layer->kernel;
    const uint32_t places = (uint32_t)layer->output.height * layer->output.width;
    const uint32_t width = nn_framed_width(layer);
    convolve *const convolve_one = convolve_of(layer);
    struct map map = {.weights = arguments->weights,
                      .input = arguments->input,
                      .width = width,
                      .area = (layer->input.height + 2u * layer->padding) * width,
                      .out = arguments->output};
    if (moves) {
        int16_t *const frame = frame_of(arguments);
        move_rows(layer, arguments->input, frame);
        map.input = frame;
    }
    for (uint32_t m = 0; m < layer->output.channels; m++, map.out += places) {
        map.end = map.weights + links;
        map.bias = nn_align(arguments->biases[m], layer->input_fraction);
        convolve_one(arguments, &map);
        map.weights = map.end;
    }
}

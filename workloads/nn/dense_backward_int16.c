/* dense_backward_int16.c - the gradients of a fully connected layer of int16 values, and the sums
 * of its backward pass: the tiles of tiles.h, and plain loops for the remainders. */
#include "tiles.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

/* What a call works on: images, or a layer's outputs, as rows of values. */
struct rows {
    const nn_value *first;
    uint32_t stride; /* in values */
    uint32_t count;
    uint32_t values; /* of a row */
    const nn_value *coefficients;
    uint32_t coefficient_stride;
};

static bool has_tiles(const struct rows *rows)
{
    return rows->stride % 2 == 0 && ((uintptr_t)rows->first & 3) == 0;
}

static uint32_t word_of(nn_value lower, nn_value upper)
{
    return (uint16_t)lower | (uint32_t)(uint16_t)upper << 16;
}

/* sums[i] += coefficient x value, from value `done` on. */
NN_RARE void add_rest(const struct rows *rows, uint32_t done, int32_t *sums)
{
    for (uint32_t i = done; i < rows->values; i++) {
        const nn_value *coefficient = rows->coefficients;
        const nn_value *value = rows->first + i;
        int32_t sum = sums[i];
        for (uint32_t n = rows->count; n > 0; n--) {
            sum = nn_wrapping_mac(sum, *coefficient, *value);
            coefficient += rows->coefficient_stride;
            value += rows->stride;
        }
        sums[i] = sum;
    }
}

/* At most NN_TILE_COEFFICIENTS rows, to one row of sums. */
NN_RARE void add_one(const struct rows *rows, int32_t *sums)
{
    const struct nn_tile tile = {.sums = sums,
                                 .rows = rows->first,
                                 .row_bytes = rows->stride * (uint32_t)sizeof(nn_value),
                                 .blocks = has_tiles(rows) ? rows->values / NN_TILE_EIGHT : 0};
    if (tile.blocks > 0) {
        struct nn_tile_words words;
        uint32_t *const end = nn_tile_words_end(&words);
        const uint32_t odd = rows->count % 2;
        uint32_t *const begin = end - (rows->count + odd) / 2;
        const nn_value *coefficient = rows->coefficients;
        uint32_t *word = begin;
        if (odd) {
            *word++ = word_of(0, *coefficient);
            coefficient += rows->coefficient_stride;
        }
        for (; word != end; word++, coefficient += 2 * (size_t)rows->coefficient_stride) {
            *word = word_of(coefficient[0], coefficient[rows->coefficient_stride]);
        }
        nn_tile_one(&tile, begin, end, odd);
    }
    if (tile.blocks * NN_TILE_EIGHT < rows->values) {
        add_rest(rows, tile.blocks * NN_TILE_EIGHT, sums);
    }
}

/* At most NN_TILE_IMAGES rows, to two rows of sums, whose coefficients stand side by side. */
static void add_two(const struct rows *rows, int32_t *sums)
{
    const struct nn_tile tile = {.sums = sums,
                                 .sum_bytes = rows->values * (uint32_t)sizeof *sums,
                                 .rows = rows->first,
                                 .row_bytes = rows->stride * (uint32_t)sizeof(nn_value),
                                 .blocks = has_tiles(rows) ? rows->values / NN_TILE_FOUR : 0};
    if (tile.blocks > 0) {
        struct nn_tile_words words;
        uint32_t *const end = nn_tile_words_end(&words);
        uint32_t *const begin = end - rows->count;
        const nn_value *coefficient = rows->coefficients;
        for (uint32_t *word = begin; word != end; word++) {
            *word = word_of(coefficient[0], coefficient[1]);
            coefficient += rows->coefficient_stride;
        }
        nn_tile_two(&tile, begin, end);
    }
    if (tile.blocks * NN_TILE_FOUR < rows->values) {
        struct rows second = *rows;
        second.coefficients++;
        add_rest(rows, tile.blocks * NN_TILE_FOUR, sums);
        add_rest(&second, tile.blocks * NN_TILE_FOUR, sums + rows->values);
    }
}

/* Gradients of all weights from a few images. */
NN_RARE void add_images(const struct rows *images, uint32_t outputs, int32_t *weights)
{
    struct rows rows = *images;
    uint32_t o = 0;
    for (; o + 2 <= outputs; o += 2, rows.coefficients += 2) {
        add_two(&rows, weights);
        weights += 2 * (size_t)rows.values;
    }
    if (o < outputs) {
        add_one(&rows, weights);
    }
}

NN_SMALL void nn_dense_gradient_of(const struct nn_layer *layer, const nn_value *inputs,
                                   uint32_t input_stride, const nn_value *errors,
                                   uint32_t error_stride, uint32_t images, int32_t *weights,
                                   int32_t *biases)
{
    const uint32_t outputs = layer->output.channels;
    struct rows rows = {inputs, input_stride, 0, nn_values(layer->input), errors, error_stride};
    for (uint32_t n = 0; n < images; n += rows.count) {
        rows.count = images - n < NN_TILE_IMAGES ? images - n : NN_TILE_IMAGES;
        add_images(&rows, outputs, weights);
        rows.first += (size_t)rows.count * input_stride;
        rows.coefficients += (size_t)rows.count * error_stride;
    }
    for (uint32_t o = 0; biases != NULL && o < outputs; o++) {
        const nn_value *error = errors + o;
        for (uint32_t n = 0; n < images; n++, error += error_stride) {
            biases[o] = nn_wrapping_add(biases[o], *error);
        }
    }
}

NN_SMALL void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input,
                                const nn_value *errors, int32_t *weights, int32_t *biases)
{
    nn_dense_gradient_of(layer, input, 0, errors, 0, 1, weights, biases);
}

NN_SMALL void nn_dense_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                  const nn_value *errors, int32_t *sums)
{
    const uint32_t inputs = nn_values(layer->input);
    const uint32_t outputs = layer->output.channels;
    struct rows rows = {weights, inputs, 0, inputs, errors, 1};
    for (uint32_t i = 0; i < inputs; i++) {
        sums[i] = 0;
    }
    for (uint32_t o = 0; o < outputs; o += rows.count) {
        rows.count = outputs - o < NN_TILE_COEFFICIENTS ? outputs - o : NN_TILE_COEFFICIENTS;
        add_one(&rows, sums);
        rows.first += (size_t)rows.count * inputs;
        rows.coefficients += rows.count;
    }
}

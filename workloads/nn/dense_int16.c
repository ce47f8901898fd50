/* dense_int16.c - fully connected layer of int16 values: a dot product for each output, four
 * outputs side by side. */
#include "rounding.h"
#include "tiles.h"

#include <stddef.h>

/* Where rows begin on words. */
static bool is_usual(const struct nn_arguments *arguments, uint32_t inputs)
{
    return inputs % 2 == 0 &&
           (((uintptr_t)arguments->weights | (uintptr_t)arguments->input) & 3) == 0;
}

/* sums[r] += row r . x, of `count` rows, from value `done` on. */
NN_RARE void add_rest(const struct nn_arguments *arguments, const int16_t *rows, uint32_t done,
                      struct nn_sum *sums, uint32_t count)
{
    const uint32_t inputs = nn_values(arguments->layer->input);
    for (uint32_t r = 0; r < count; r++, rows += inputs) {
        for (uint32_t i = done; i < inputs; i++) {
            sums[r] = nn_mac(sums[r], rows[i], arguments->input[i]);
        }
    }
}

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const uint32_t outputs = layer->output.channels;
    const uint32_t fours = is_usual(arguments, inputs) ? inputs / NN_TILE_FOUR : 0;
    const int16_t *rows = arguments->weights;
    for (uint32_t o = 0; o < outputs; o += NN_TILE_ROWS, rows += (size_t)inputs * NN_TILE_ROWS) {
        const uint32_t count = outputs - o < NN_TILE_ROWS ? outputs - o : NN_TILE_ROWS;
        struct nn_sum sums[NN_TILE_ROWS];
        for (uint32_t r = 0; r < count; r++) {
            const int16_t bias = arguments->biases != NULL ? arguments->biases[o + r] : 0;
            sums[r] = nn_sum_from(nn_align(bias, layer->input_fraction));
        }
        if (fours > 0) {
            nn_dot_rows(rows, inputs * (uint32_t)sizeof *rows, arguments->input, fours, sums,
                        count);
        }
        if (fours * NN_TILE_FOUR < inputs) {
            add_rest(arguments, rows, fours * NN_TILE_FOUR, sums, count);
        }
        for (uint32_t r = 0; r < count; r++) {
            nn_store(arguments, o + r, sums[r]);
        }
    }
}

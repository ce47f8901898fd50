/* dense.c - fully connected layer: a dot product for each output, two products a word. */
#include "kernels.h"

#include <stddef.h>

NN_INLINE struct nn_sum add_pairs(struct nn_sum sum, const int16_t *w, const int16_t *x,
                                  uint32_t pairs)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 2 * pairs; i += 2) {
        const uint32_t w_pair = nn_pair(w + i);
        const uint32_t x_pair = nn_pair(x + i);
        sum = nn_mac_ll(sum, w_pair, x_pair);
        sum = nn_mac_uu(sum, w_pair, x_pair);
    }
    return sum;
}

enum { PAIRS = 4, BLOCK = 2 * PAIRS };

/* sum + w . x; read word by word, four at a time, where both stand on words. */
static struct nn_sum dot(struct nn_sum sum, const int16_t *w, const int16_t *x, uint32_t length)
{
    if ((((uintptr_t)w | (uintptr_t)x) & 3) == 0) {
        for (; length >= BLOCK; length -= BLOCK, w += BLOCK, x += BLOCK) {
            sum = add_pairs(sum, w, x, PAIRS);
        }
    }
    for (; length > 0; length--) {
        sum = nn_mac(sum, *w++, *x++);
    }
    return sum;
}

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs =
        (uint32_t)layer->input.channels * layer->input.height * layer->input.width;
    const int16_t *w = arguments->weights;
    for (uint32_t o = 0; o < layer->output.channels; o++, w += inputs) {
        const int16_t bias = arguments->biases != NULL ? arguments->biases[o] : 0;
        const struct nn_sum sum = nn_sum_from(nn_align(bias, layer->input_fraction));
        nn_store(arguments, o, dot(sum, w, arguments->input, inputs));
    }
}

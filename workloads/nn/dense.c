/* dense.c - fully connected layer: a dot product for each output, two products a word. */
#include "kernels.h"

/* sum + w . x; with an even length both are read word by word, as long as they stand on words. */
static inline int32_t dot(int32_t sum, const int16_t *w, const int16_t *x, uint32_t length)
{
    if ((((uintptr_t)w | (uintptr_t)x) & 3) == 0) {
#pragma GCC unroll 4
        for (; length >= 2; length -= 2, w += 2, x += 2) {
            const uint32_t w_pair = nn_pair(w);
            const uint32_t x_pair = nn_pair(x);
            sum = nn_mac_ll(sum, w_pair, x_pair);
            sum = nn_mac_uu(sum, w_pair, x_pair);
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
        const int32_t sum = nn_align(arguments->biases[o], layer->input_fraction);
        nn_store(arguments, o, dot(sum, w, arguments->input, inputs));
    }
}

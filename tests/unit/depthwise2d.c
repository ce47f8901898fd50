/* depthwise2d.c - kernels of a layer for a test (layer_depthwise2d.c): windows of 3 x 3 over the
 * one input map that an output map is linked to. */
#include "workloads/nn/layers/layer_kernels.h"

NN_NEEDS(OPERATORS)

enum { SIDE = 3, WINDOW = SIDE * SIDE };

/* Values before the input map of an output map. */
static size_t map_at(const struct nn_layer *layer, uint32_t m)
{
    uint32_t c = 0;
    while (!nn_is_linked(nn_links(layer), m, c)) {
        c++;
    }
    return (size_t)c * layer->input.height * layer->input.width;
}

static void forward(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const nn_value *w = arguments->weights;
    uint32_t index = 0;
    for (uint32_t m = 0; m < layer->output.channels; m++, w += WINDOW) {
        const int32_t bias = nn_align(arguments->biases[m], layer->input_fraction);
        const nn_value *row = arguments->input + map_at(layer, m);
        for (uint32_t y = 0; y < layer->output.height; y++, row += layer->input.width) {
            for (uint32_t x = 0; x < layer->output.width; x++, index++) {
                struct nn_sum sum = nn_sum_from(bias);
                const nn_value *at = row + x;
                for (uint32_t i = 0; i < WINDOW; i += SIDE, at += layer->input.width) {
                    sum = nn_mac(sum, w[i], at[0]);
                    sum = nn_mac(sum, w[i + 1], at[1]);
                    sum = nn_mac(sum, w[i + 2], at[2]);
                }
                nn_store(arguments, index, sum);
            }
        }
    }
}

static void gradient(const struct nn_layer *layer, const nn_value *input,
                     const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                     int32_t *biases)
{
    for (uint32_t m = 0; m < layer->output.channels; m++, weights += WINDOW) {
        const nn_value *map = input + map_at(layer, m);
        for (const struct nn_event *end = events + counts[m]; events != end; events++) {
            biases[m] = nn_wrapping_add(biases[m], events->error);
            for (uint32_t i = 0; i < WINDOW; i++) {
                const nn_value value =
                    map[events->place + i / SIDE * layer->input.width + i % SIDE];
                weights[i] = nn_wrapping_mac(weights[i], events->error, value);
            }
        }
    }
}

static void input_sums(const struct nn_layer *layer, const nn_value *weights,
                       const struct nn_event *events, const uint16_t *counts, nn_total *sums)
{
    for (uint32_t m = 0; m < layer->output.channels; m++, weights += WINDOW) {
        nn_total *map = sums + map_at(layer, m);
        for (const struct nn_event *end = events + counts[m]; events != end; events++) {
            for (uint32_t i = 0; i < WINDOW; i++) {
                nn_total *sum = &map[events->place + i / SIDE * layer->input.width + i % SIDE];
                *sum = nn_wrapping_mac(*sum, events->error, weights[i]);
            }
        }
    }
}

const struct nn_layer_kernels nn_kernels_depthwise2d = {forward, gradient, input_sums};

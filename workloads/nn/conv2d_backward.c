/* conv2d_backward.c - what events add to gradients and to sums that go back, of a format that has
 * no loops of its own. */
#include "plain.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)
NN_NEEDS(TRAINS)

/* Of one weight over one image. */
static int32_t sum_events(const struct nn_event *event, const struct nn_event *end,
                          const nn_value *values)
{
    nn_whole sum = 0;
    for (; event != end; event++) {
        sum = nn_whole_mac(sum, event->error, values[event->place]);
    }
    return nn_whole_word(sum);
}

void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                        const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                        int32_t *biases)
{
    const size_t width = layer->input.width;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        const struct nn_event *const end = events + counts[m];
        const nn_value *map = input;
        for (uint32_t c = 0; c < layer->input.channels; c++, map += layer->input.height * width) {
            for (size_t i = 0; i < layer->kernel; i++) {
                for (size_t j = 0; j < layer->kernel; j++, weights++) {
                    *weights =
                        nn_wrapping_add(*weights, sum_events(events, end, map + i * width + j));
                }
            }
        }
        for (; events != end; events++) {
            biases[m] = nn_wrapping_add(biases[m], nn_gradient(events->error));
        }
    }
}

static void spread_window(nn_total *sums, size_t width, const nn_value *weights, uint32_t side,
                          nn_value error)
{
    for (uint32_t i = 0; i < side; i++, sums += width) {
        for (uint32_t j = 0; j < side; j++) {
            sums[j] = nn_add(sums[j], nn_product(error, *weights++));
        }
    }
}

void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *events, const uint16_t *counts, nn_total *sums)
{
    const size_t width = layer->input.width;
    const size_t window = (size_t)layer->kernel * layer->kernel;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        for (const struct nn_event *const end = events + counts[m]; events != end; events++) {
            const nn_value *w = weights;
            nn_total *at = sums + events->place;
            for (uint32_t c = 0; c < layer->input.channels; c++, w += window) {
                spread_window(at, width, w, layer->kernel, events->error);
                at += layer->input.height * width;
            }
        }
        weights += layer->input.channels * window;
    }
}

/* conv2d_backward.c - what events add to a convolution's gradients and to the sums that go back. */
#include "backward.h"

#include <stddef.h>

/* gradient[0 .. side - 1] += error x values, for each row of a window. */
static void add_window(int32_t *gradient, const nn_value *values, size_t width, uint32_t side,
                       nn_value error)
{
    for (uint32_t i = 0; i < side; i++, values += width) {
        for (uint32_t j = 0; j < side; j++, gradient++) {
            *gradient = nn_wrapping_mac(*gradient, error, values[j]);
        }
    }
}

void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                        const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                        int32_t *biases)
{
    const size_t width = layer->input.width;
    const size_t area = layer->input.height * width;
    const uint32_t side = layer->kernel;
    const size_t window_links = (size_t)side * side;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        for (const struct nn_event *const end = events + counts[m]; events != end; events++) {
            const nn_value *window = input + events->place;
            int32_t *gradient = weights;
            for (uint32_t i = 0; i < layer->input.channels; i++, window += area) {
                add_window(gradient, window, width, side, events->error);
                gradient += window_links;
            }
            biases[m] = nn_wrapping_add(biases[m], events->error);
        }
        weights += layer->input.channels * window_links;
    }
}

/* The window's sums += error x weights. */
static void spread_window(int32_t *sums, size_t width, const nn_value *weights, uint32_t side,
                          nn_value error)
{
    for (uint32_t i = 0; i < side; i++, sums += width) {
        for (uint32_t j = 0; j < side; j++) {
            sums[j] = nn_wrapping_mac(sums[j], error, *weights++);
        }
    }
}

void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *events, const uint16_t *counts, int32_t *sums)
{
    const size_t width = layer->input.width;
    const size_t area = layer->input.height * width;
    const uint32_t side = layer->kernel;
    const size_t window_links = (size_t)side * side;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        for (const struct nn_event *const end = events + counts[m]; events != end; events++) {
            const nn_value *w = weights;
            int32_t *window = sums + events->place;
            for (uint32_t i = 0; i < layer->input.channels; i++, window += area) {
                spread_window(window, width, w, side, events->error);
                w += window_links;
            }
        }
        weights += layer->input.channels * window_links;
    }
}

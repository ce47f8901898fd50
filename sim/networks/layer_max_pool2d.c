/* layer_max_pool2d.c - the largest value of each window.  {size, stride: size} */
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_WINDOW("size"), LAYER_STRIDE(0),
                                         LAYER_KEYS_END};

/* Index of the largest value, relative to the window's first value; the first one if several are
 * equal. */
static size_t largest_of(const struct network_layer *layer, const double *window)
{
    size_t largest = 0;
    for (size_t row = 0; row < layer->kernel; row++) {
        for (size_t column = 0; column < layer->kernel; column++) {
            const size_t at = row * layer->input.width + column;
            largest = window[at] > window[largest] ? at : largest;
        }
    }
    return largest;
}

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        *output++ = pass->input[window.at + largest_of(layer, pass->input + window.at)];
    }
}

/* The gradient goes to the window's largest value; if several are equal, to the first, row by row.
 */
static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const double *output_gradient = pass->output_gradient;
    if (pass->input_gradient == NULL) {
        return;
    }
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        pass->input_gradient[window.at + largest_of(layer, pass->input + window.at)] +=
            *output_gradient++;
    }
}

const struct layer_kind LAYER_MAX_POOL2D = {.name = "max_pool2d",
                                            .keys = KEYS,
                                            .finish = layer_finish_pool,
                                            .shape = layer_shape_pool,
                                            .row = NN_MAX_POOL2D,
                                            .forward = forward,
                                            .backward = backward};

/* layer_average_pool2d.c - the mean of each window.  {size, stride: size} */
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_WINDOW("size"), LAYER_STRIDE(0),
                                         LAYER_KEYS_END};

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    const double count = (double)layer->kernel * layer->kernel;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        *output++ = layer_window_sum(layer, pass->input + window.at) / count;
    }
}

/* The gradient is divided equally among the window's values. */
static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const double *output_gradient = pass->output_gradient;
    const double count = (double)layer->kernel * layer->kernel;
    if (pass->input_gradient == NULL) {
        return;
    }
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        layer_window_add(layer, *output_gradient++ / count, pass->input_gradient + window.at);
    }
}

const struct layer_kind LAYER_AVERAGE_POOL2D = {.name = "average_pool2d",
                                                .keys = KEYS,
                                                .finish = layer_finish_pool,
                                                .shape = layer_shape_pool,
                                                .row = NN_AVERAGE_POOL2D,
                                                .operators = OPERATORS_FEW,
                                                .forward = forward,
                                                .backward = backward};

/* layer_global_pool2d.c - a layer type that no shipped network has: the mean of each whole map.
 * Keys of its own: {}.  The machine executes it as an average pool whose window is the map. */
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_KEYS_END};

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    if (layer->input.height != layer->input.width) {
        return layer_refuse(network, layer, "as many rows as columns", diagnostic,
                            "its input is no square");
    }
    layer->kernel = layer->stride = layer->input.width;
    return layer_shape_pool(network, layer, diagnostic);
}

static double values_of_map(const struct network_layer *layer)
{
    return (double)layer->kernel * layer->kernel;
}

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        *output++ = layer_window_sum(layer, pass->input + window.at) / values_of_map(layer);
    }
}

static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        layer_window_add(layer, pass->output_gradient[window.map] / values_of_map(layer),
                         pass->input_gradient + window.at);
    }
}

const struct layer_kind LAYER_GLOBAL_POOL2D = {.name = "global_pool2d",
                                               .keys = KEYS,
                                               .shape = shape,
                                               .row = NN_AVERAGE_POOL2D,
                                               .operators = OPERATORS_FEW,
                                               .forward = forward,
                                               .backward = backward};

/* layer_subsample2d.c - each window's sum times the map's coefficient, plus the map's bias. {size,
 * stride: size, maps: the input's, activation}
 *
 * maps: a multiple of the input's; with twice as many, maps 0 and 1 come from input map 0.  Its row
 * in a layer table is a convolution that links each map to one, with one weight for a whole window.
 */
#include "sim/networks/layer.h"

#include "sim/steps.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {
    LAYER_KEYS,
    LAYER_ACTIVATION,
    LAYER_WINDOW("size"),
    LAYER_STRIDE(0),
    {LAYER_KEY("maps", KIND_COUNT, layer.outputs), .whole = {0, 1, LAYER_MOST_MAPS}},
    LAYER_KEYS_END};

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    const uint32_t inputs = layer->input.channels;
    const uint32_t maps = layer->outputs == 0 ? inputs : layer->outputs;
    if (maps % inputs != 0) {
        const enum status status = layer_refuse(network, layer, NULL, diagnostic,
                                                "%u maps cannot come from %u evenly", maps, inputs);
        diagnostic_hint(diagnostic, "a multiple of %u, or no maps", inputs);
        return status;
    }
    if (inputs > NN_MAX_LINKED) {
        const enum status status =
            layer_refuse(network, layer, NULL, diagnostic,
                         "its input has %u maps, too many for subsampling", inputs);
        diagnostic_hint(diagnostic, "%d maps at most", NN_MAX_LINKED);
        return status;
    }
    uint32_t *links = config_arena_take(network->arena, maps * sizeof *links);
    layer->outputs = maps;
    for (uint32_t m = 0; m < maps; m++) {
        links[m] = UINT32_C(1) << layer_map_of(layer, m);
    }
    layer->links = links;
    layer->link_weights = 1;
    layer->link_products = layer->kernel * layer->kernel;
    return layer_shape_window(network, layer, maps, diagnostic);
}

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        *output++ = pass->biases[window.map] +
                    pass->weights[window.map] * layer_window_sum(layer, pass->input + window.at);
    }
}

static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const double *output_gradient = pass->output_gradient;
    for (struct layer_window window = {0}; window.map < layer->outputs;
         layer_window_next(layer, &window)) {
        const double g = *output_gradient++;
        pass->bias_gradients[window.map] += g;
        pass->weight_gradients[window.map] += g * layer_window_sum(layer, pass->input + window.at);
        if (pass->input_gradient != NULL) {
            layer_window_add(layer, g * pass->weights[window.map],
                             pass->input_gradient + window.at);
        }
    }
}

const struct layer_kind LAYER_SUBSAMPLE2D = {.name = "subsample2d",
                                             .keys = KEYS,
                                             .finish = layer_finish_pool,
                                             .shape = shape,
                                             .row = NN_CONV2D,
                                             .one_weight = true,
                                             .operators = OPERATORS_FEW,
                                             .forward = forward,
                                             .backward = backward};

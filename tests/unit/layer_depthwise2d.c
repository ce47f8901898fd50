/* layer_depthwise2d.c - a layer type that no shipped network has: an output map for each input map,
 * by a window of 3 x 3 on that map.  {activation}  Its kernels are depthwise2d.c. */
#include "sim/networks/layer.h"
#include "workloads/nn/layers/layer_kernels.h"

enum { SIDE = 3 };

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_ACTIVATION, LAYER_KEYS_END};

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    const uint32_t maps = layer->input.channels;
    if (maps > NN_MAX_LINKED) {
        return layer_refuse(network, layer, NULL, diagnostic, "its input has too many maps: %u",
                            maps);
    }
    uint32_t *links = config_arena_take(network->arena, maps * sizeof *links);
    for (uint32_t m = 0; m < maps; m++) {
        links[m] = UINT32_C(1) << m;
    }
    layer->links = links;
    layer->kernel = SIDE;
    layer->stride = 1;
    layer->link_weights = layer->link_products = SIDE * SIDE;
    return layer_shape_window(network, layer, maps, diagnostic);
}

/* The window's value i and its weight. */
static size_t value_at(const struct layer_pass *pass, const struct layer_window *window, size_t i)
{
    return window->at + i / SIDE * pass->layer->input.width + i % SIDE;
}

static size_t weight_at(const struct layer_window *window, size_t i)
{
    return window->map * SIDE * SIDE + i;
}

static void forward(const struct layer_pass *pass)
{
    double *output = pass->output;
    for (struct layer_window window = {0}; window.map < pass->layer->outputs;
         layer_window_next(pass->layer, &window)) {
        double sum = pass->biases[window.map];
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            sum += pass->weights[weight_at(&window, i)] * pass->input[value_at(pass, &window, i)];
        }
        *output++ = sum;
    }
}

static void backward(const struct layer_pass *pass)
{
    const double *output_gradient = pass->output_gradient;
    for (struct layer_window window = {0}; window.map < pass->layer->outputs;
         layer_window_next(pass->layer, &window)) {
        const double g = *output_gradient++;
        pass->bias_gradients[window.map] += g;
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            const size_t value = value_at(pass, &window, i);
            const size_t weight = weight_at(&window, i);
            pass->weight_gradients[weight] += g * pass->input[value];
            if (pass->input_gradient != NULL) {
                pass->input_gradient[value] += g * pass->weights[weight];
            }
        }
    }
}

const struct layer_kind LAYER_DEPTHWISE2D = {.name = "depthwise2d",
                                             .keys = KEYS,
                                             .shape = shape,
                                             .row = NN_CONV2D,
                                             .kernels = NN_KERNELS_DEPTHWISE2D,
                                             .forward = forward,
                                             .backward = backward};

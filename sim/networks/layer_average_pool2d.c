/* layer_average_pool2d.c - the mean of each window.  {size, stride: size} */
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_WINDOW("size"), LAYER_STRIDE(0),
                                         LAYER_KEYS_END};

static void forward(const struct network_layer *layer, const struct layer_parameters *parameters,
                    const double *input, double *output)
{
    const double count = (double)layer->kernel * layer->kernel;
    (void)parameters;
    LAYER_EACH_WINDOW(layer, window)
    {
        *output++ = layer_window_sum(layer, input + window.at) / count;
    }
}

/* The gradient is shared by the window's values. */
static void backward(const struct network_layer *layer, const double *weights, const double *input,
                     const double *output_gradient, const struct layer_gradients *gradients,
                     double *input_gradient)
{
    const double count = (double)layer->kernel * layer->kernel;
    (void)weights;
    (void)input;
    (void)gradients;
    if (input_gradient == NULL) {
        return;
    }
    LAYER_EACH_WINDOW(layer, window)
    {
        layer_window_add(layer, *output_gradient++ / count, input_gradient + window.at);
    }
}

const struct layer_kind LAYER_AVERAGE_POOL2D = {.name = "average_pool2d",
                                                .keys = KEYS,
                                                .finish = layer_finish_pool,
                                                .shape = layer_shape_pool,
                                                .row = NN_AVERAGE_POOL2D,
                                                .is_operator = true,
                                                .forward = forward,
                                                .backward = backward};

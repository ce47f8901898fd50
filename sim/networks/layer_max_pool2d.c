/* layer_max_pool2d.c - the largest value of each window.  {size, stride: size} */
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_WINDOW("size"), LAYER_STRIDE(0),
                                         LAYER_KEYS_END};

/* Index, from the window's first value, of the largest, the first of equals. */
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

static void forward(const struct network_layer *layer, const struct layer_parameters *parameters,
                    const double *input, double *output)
{
    (void)parameters;
    LAYER_EACH_WINDOW(layer, window)
    {
        *output++ = input[window.at + largest_of(layer, input + window.at)];
    }
}

/* The gradient goes to the largest value of the window, of equals to the first, row by row. */
static void backward(const struct network_layer *layer, const double *weights, const double *input,
                     const double *output_gradient, const struct layer_gradients *gradients,
                     double *input_gradient)
{
    (void)weights;
    (void)gradients;
    if (input_gradient == NULL) {
        return;
    }
    LAYER_EACH_WINDOW(layer, window)
    {
        input_gradient[window.at + largest_of(layer, input + window.at)] += *output_gradient++;
    }
}

const struct layer_kind LAYER_MAX_POOL2D = {.name = "max_pool2d",
                                            .keys = KEYS,
                                            .finish = layer_finish_pool,
                                            .shape = layer_shape_pool,
                                            .row = NN_MAX_POOL2D,
                                            .forward = forward,
                                            .backward = backward};

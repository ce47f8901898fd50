/* reference_layers.c - see reference_layers.h. */
#include "sim/host_backend/reference_layers.h"

/* ---- convolution ---- */

/* output[i] += w input[i * stride] */
static void add_row(double *restrict output, const double *restrict input, double w, size_t count,
                    size_t stride)
{
    if (stride == 1) {
        for (size_t i = 0; i < count; i++) {
            output[i] += w * input[i];
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            output[i] += w * input[i * stride];
        }
    }
}

void reference_conv2d(const struct network_layer *layer, const struct layer_parameters *parameters,
                      const double *input, double *output)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    const size_t map = layer->input.height * width;
    const size_t columns = layer->output.width;
    const size_t links = layer->input.channels * kernel * kernel;
    for (size_t m = 0; m < layer->outputs; m++) {
        for (size_t y = 0; y < layer->output.height; y++, output += columns) {
            const double *w = parameters->weights + m * links;
            const double *at = input + y * layer->stride * width;
            for (size_t x = 0; x < columns; x++) {
                output[x] = parameters->biases[m];
            }
            for (size_t i = 0; i < layer->input.channels; i++) {
                for (size_t row = 0; row < kernel; row++) {
                    for (size_t column = 0; column < kernel; column++) {
                        add_row(output, at + i * map + row * width + column, *w++, columns,
                                layer->stride);
                    }
                }
            }
        }
    }
}

/* What one output's gradient g adds: to the gradients of its map's weights, and through the weights
 * to its window of the input. */
static void conv2d_spread(const struct network_layer *layer, double g, const double *window,
                          double *weight_gradient, const double *weights, double *window_gradient)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    const size_t map = layer->input.height * width;
    for (size_t i = 0; i < layer->input.channels; i++) {
        for (size_t row = 0; row < kernel; row++) {
            const size_t at = i * map + row * width;
            const size_t w = (i * kernel + row) * kernel;
            add_row(weight_gradient + w, window + at, g, kernel, 1);
            if (window_gradient != NULL) {
                add_row(window_gradient + at, weights + w, g, kernel, 1);
            }
        }
    }
}

void reference_conv2d_backward(const struct network_layer *layer, const double *weights,
                               const double *input, const double *output_gradient,
                               const struct layer_gradients *gradients, double *input_gradient)
{
    const size_t links = (size_t)layer->input.channels * layer->kernel * layer->kernel;
    for (size_t m = 0; m < layer->outputs; m++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                const double g = *output_gradient++;
                if (g == 0) { /* most are, behind ReLU and pooling */
                    continue;
                }
                const size_t at = (y * layer->input.width + x) * layer->stride;
                gradients->biases[m] += g;
                conv2d_spread(layer, g, input + at, gradients->weights + m * links,
                              weights + m * links,
                              input_gradient == NULL ? NULL : input_gradient + at);
            }
        }
    }
}

/* ---- pooling ---- */

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

/* Index of the first value of the window of an output. */
static size_t window_of(const struct network_layer *layer, size_t channel, size_t y, size_t x)
{
    return (channel * layer->input.height + y * layer->stride) * layer->input.width +
           x * layer->stride;
}

void reference_max_pool2d(const struct network_layer *layer, const double *input, double *output)
{
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                const double *window = input + window_of(layer, c, y, x);
                *output++ = window[largest_of(layer, window)];
            }
        }
    }
}

void reference_max_pool2d_backward(const struct network_layer *layer, const double *input,
                                   const double *output_gradient, double *input_gradient)
{
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                const size_t at = window_of(layer, c, y, x);
                input_gradient[at + largest_of(layer, input + at)] += *output_gradient++;
            }
        }
    }
}

/* ---- fully connected ---- */

/* Four sums side by side, for speed; they are put together at the end, in one order. */
enum { LANES = 4 };

static double dot(const double *a, const double *b, size_t count)
{
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            lane[j] += a[i + j] * b[i + j];
        }
    }
    for (; i < count; i++) {
        lane[i % LANES] += a[i] * b[i];
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

void reference_dense(const struct network_layer *layer, const struct layer_parameters *parameters,
                     const double *input, double *output)
{
    const size_t inputs = network_values(layer->input);
    for (size_t o = 0; o < layer->outputs; o++) {
        output[o] = parameters->biases[o] + dot(parameters->weights + o * inputs, input, inputs);
    }
}

void reference_dense_backward(const struct network_layer *layer, const double *weights,
                              const double *input, const double *output_gradient,
                              const struct layer_gradients *gradients, double *input_gradient)
{
    const size_t inputs = network_values(layer->input);
    for (size_t o = 0; o < layer->outputs; o++) {
        const double g = output_gradient[o];
        if (g == 0) {
            continue;
        }
        gradients->biases[o] += g;
        add_row(gradients->weights + o * inputs, input, g, inputs, 1);
        if (input_gradient != NULL) {
            add_row(input_gradient, weights + o * inputs, g, inputs, 1);
        }
    }
}

/* ---- activation ---- */

void reference_relu(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = values[i] > 0 ? values[i] : 0;
    }
}

void reference_relu_backward(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] = output[i] > 0 ? gradient[i] : 0;
    }
}

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

/* Of an output. */
struct place {
    size_t y, x;
};

/* Outputs of a row that a weight of the window's column reaches without leaving the input: first ..
 * end. */
struct reach {
    size_t first, end;
};

static struct reach reach_of(const struct network_layer *layer, size_t window, size_t inputs,
                             size_t outputs)
{
    const size_t stride = layer->stride;
    const size_t before = window < layer->padding ? layer->padding - window : 0;
    const size_t past = inputs + layer->padding - window; /* the first input that is not there */
    const size_t end = (past + stride - 1) / stride;
    return (struct reach){(before + stride - 1) / stride, end < outputs ? end : outputs};
}

/* Adds what the weights of one input map make of it to a row of outputs. */
static void add_map(const struct network_layer *layer, const double *weights, const double *map,
                    size_t y, double *output)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    for (size_t row = 0; row < kernel; row++) {
        const size_t line = y * layer->stride + row - layer->padding; /* before: far beyond */
        for (size_t column = 0; column < kernel && line < layer->input.height; column++) {
            const struct reach x = reach_of(layer, column, width, layer->output.width);
            if (x.first < x.end) {
                const double *from =
                    map + line * width + x.first * layer->stride + column - layer->padding;
                add_row(output + x.first, from, weights[row * kernel + column], x.end - x.first,
                        layer->stride);
            }
        }
    }
}

void reference_conv2d(const struct network_layer *layer, const struct layer_parameters *parameters,
                      const double *input, double *output)
{
    const size_t window = (size_t)layer->kernel * layer->kernel;
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const size_t columns = layer->output.width;
    const double *weights = parameters->weights;
    for (size_t m = 0; m < layer->outputs; m++) {
        const double *w = weights;
        for (size_t y = 0; y < layer->output.height; y++, output += columns) {
            for (size_t x = 0; x < columns; x++) {
                output[x] = parameters->biases[m];
            }
            w = weights;
            for (size_t i = 0; i < layer->input.channels; i++) {
                if (network_is_linked(layer, m, i)) {
                    add_map(layer, w, input + i * area, y, output);
                    w += window;
                }
            }
        }
        weights = w;
    }
}

/* What one output's gradient g adds through the weights of one input map: to their gradients, and
 * to the gradient of the map (NULL: not wanted). */
static void spread_map(const struct network_layer *layer, double g, struct place place,
                       const double *map, double *weight_gradient, const double *weights,
                       double *map_gradient)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    const size_t left = place.x * layer->stride;
    const size_t first = left < layer->padding ? layer->padding - left : 0; /* of a window's row */
    const size_t past = width + layer->padding - left;
    const size_t end = past < kernel ? past : kernel;
    for (size_t row = 0; row < kernel; row++) {
        const size_t line = place.y * layer->stride + row - layer->padding;
        if (line >= layer->input.height) {
            continue;
        }
        const size_t at = line * width + left + first - layer->padding;
        const size_t w = row * kernel + first;
        add_row(weight_gradient + w, map + at, g, end - first, 1);
        if (map_gradient != NULL) {
            add_row(map_gradient + at, weights + w, g, end - first, 1);
        }
    }
}

void reference_conv2d_backward(const struct network_layer *layer, const double *weights,
                               const double *input, const double *output_gradient,
                               const struct layer_gradients *gradients, double *input_gradient)
{
    const size_t window = (size_t)layer->kernel * layer->kernel;
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const size_t places = (size_t)layer->output.height * layer->output.width;
    size_t first = 0; /* weight of the map */
    for (size_t m = 0; m < layer->outputs; m++) {
        for (size_t o = 0; o < places; o++) {
            const struct place place = {o / layer->output.width, o % layer->output.width};
            const double g = *output_gradient++;
            if (g == 0) { /* most are, behind ReLU and pooling */
                continue;
            }
            gradients->biases[m] += g;
            size_t w = first;
            for (size_t i = 0; i < layer->input.channels; i++) {
                if (network_is_linked(layer, m, i)) {
                    spread_map(layer, g, place, input + i * area, gradients->weights + w,
                               weights + w,
                               input_gradient == NULL ? NULL : input_gradient + i * area);
                    w += window;
                }
            }
        }
        for (size_t i = 0; i < layer->input.channels; i++) {
            first += network_is_linked(layer, m, i) ? window : 0;
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

static double sum_of(const struct network_layer *layer, const double *window)
{
    double sum = 0;
    for (size_t i = 0; i < layer->kernel; i++, window += layer->input.width) {
        for (size_t j = 0; j < layer->kernel; j++) {
            sum += window[j];
        }
    }
    return sum;
}

static void add_to_all(const struct network_layer *layer, double value, double *window)
{
    for (size_t i = 0; i < layer->kernel; i++, window += layer->input.width) {
        for (size_t j = 0; j < layer->kernel; j++) {
            window[j] += value;
        }
    }
}

void reference_average_pool2d(const struct network_layer *layer, const double *input,
                              double *output)
{
    const double count = (double)layer->kernel * layer->kernel;
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                *output++ = sum_of(layer, input + window_of(layer, c, y, x)) / count;
            }
        }
    }
}

void reference_average_pool2d_backward(const struct network_layer *layer,
                                       const double *output_gradient, double *input_gradient)
{
    const double count = (double)layer->kernel * layer->kernel;
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                add_to_all(layer, *output_gradient++ / count,
                           input_gradient + window_of(layer, c, y, x));
            }
        }
    }
}

void reference_subsample2d(const struct network_layer *layer,
                           const struct layer_parameters *parameters, const double *input,
                           double *output)
{
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                const double sum = sum_of(layer, input + window_of(layer, c, y, x));
                *output++ = parameters->biases[c] + parameters->weights[c] * sum;
            }
        }
    }
}

void reference_subsample2d_backward(const struct network_layer *layer, const double *weights,
                                    const double *input, const double *output_gradient,
                                    const struct layer_gradients *gradients, double *input_gradient)
{
    for (size_t c = 0; c < layer->outputs; c++) {
        for (size_t y = 0; y < layer->output.height; y++) {
            for (size_t x = 0; x < layer->output.width; x++) {
                const size_t at = window_of(layer, c, y, x);
                const double g = *output_gradient++;
                gradients->biases[c] += g;
                gradients->weights[c] += g * sum_of(layer, input + at);
                if (input_gradient != NULL) {
                    add_to_all(layer, g * weights[c], input_gradient + at);
                }
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

static double sigmoid(double value)
{
    const double small = reference_exp(value < 0 ? value : -value);
    return (value < 0 ? small : 1) / (1 + small);
}

static double activated(enum network_activation activation, double value)
{
    switch (activation) {
    case NETWORK_RELU:
        return value > 0 ? value : 0;
    case NETWORK_TANH:
        return value < 0 ? 2 * sigmoid(2 * value) - 1 : 1 - 2 * sigmoid(-2 * value);
    case NETWORK_SIGMOID:
        return sigmoid(value);
    case NETWORK_IDENTITY:
    case NETWORK_SOFTMAX:
    default:
        return value;
    }
}

/* Its derivative, from its result. */
static double slope_of(enum network_activation activation, double result)
{
    switch (activation) {
    case NETWORK_RELU:
        return result > 0 ? 1 : 0;
    case NETWORK_TANH:
        return 1 - result * result;
    case NETWORK_SIGMOID:
        return result * (1 - result);
    case NETWORK_IDENTITY:
    case NETWORK_SOFTMAX:
    default:
        return 1;
    }
}

void reference_activate(enum network_activation activation, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = activated(activation, values[i]);
    }
}

void reference_activate_backward(enum network_activation activation, const double *output,
                                 double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= slope_of(activation, output[i]);
    }
}

/* layer_rbf.c - the last layer of LeNet-5 in 1998: radial basis functions.  {units}
 *
 * An output is minus the squared distance of the 84 inputs from a bitmap of 7 x 12
 * (rbf_bitmaps.def) whose pixels are 1 and -1: the class whose bitmap is next has the largest.  The
 * bitmaps are this layer's weights, given and not trained; only their signs count.  Its biases are
 * not used.  Inputs are of a layer whose activation is bounded, so that no sum in integers wraps
 * (workloads/nn/rbf.h).
 */
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

enum { DIGITS = 10, BITMAP_HEIGHT = 12, BITMAP_WIDTH = 7, INPUTS = BITMAP_HEIGHT * BITMAP_WIDTH };
enum { MOST_FRACTION = 11 /* of the inputs */ };
static const double MOST_INPUT = 1.72; /* of either sign */

static const char BITMAPS[DIGITS][BITMAP_HEIGHT][BITMAP_WIDTH + 1] = {
#define BITMAP(digit, ...) [digit] = {__VA_ARGS__},
#include "sim/networks/rbf_bitmaps.def"
};

static const struct config_key KEYS[] = {LAYER_KEYS, LAYER_COUNT("units", layer.outputs, 1, DIGITS),
                                         LAYER_KEYS_END};

static double given(const struct network_layer *layer, size_t weight)
{
    const size_t inputs = network_values(layer->input);
    const size_t pixel = weight % inputs;
    const char *row = BITMAPS[weight / inputs][pixel / BITMAP_WIDTH];
    return row[pixel % BITMAP_WIDTH] == '#' ? 1 : -1;
}

static bool is_bounded(const struct activation *activation)
{
    return activation->most > 0 && activation->most <= MOST_INPUT;
}

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    const bool fed = layer->from != NETWORK_INPUT;
    if (network_values(layer->input) != INPUTS) {
        return layer_refuse(network, layer, "84 units before it, for bitmaps of 7 x 12", diagnostic,
                            "it has %u inputs", network_values(layer->input));
    }
    if (!fed || !is_bounded(activation_of(network->layer[layer->from].activation))) {
        return layer_refuse(network, layer, "use scaled_tanh, tanh or sigmoid there", diagnostic,
                            "the layer before it has no bounded activation");
    }
    if (network->activation_fraction > MOST_FRACTION) {
        return layer_refuse(network, layer, "formats.activation_fraction: 11 at most", diagnostic,
                            "squares of %u fractional bits are too large",
                            network->activation_fraction);
    }
    layer->output = (struct network_shape){layer->outputs, 1, 1};
    layer->link_weights = layer->link_products = layer->input.height * layer->input.width;
    return STATUS_OK;
}

static double difference(const struct layer_pass *pass, size_t inputs, size_t o, size_t i)
{
    return pass->input[i] - (pass->weights[o * inputs + i] < 0 ? -1 : 1);
}

static void forward(const struct layer_pass *pass)
{
    const size_t inputs = network_values(pass->layer->input);
    for (size_t o = 0; o < pass->layer->outputs; o++) {
        double sum = 0;
        for (size_t i = 0; i < inputs; i++) {
            const double d = difference(pass, inputs, o, i);
            sum -= d * d;
        }
        pass->output[o] = sum;
    }
}

static void backward(const struct layer_pass *pass)
{
    const size_t inputs = network_values(pass->layer->input);
    for (size_t o = 0; o < pass->layer->outputs && pass->input_gradient != NULL; o++) {
        for (size_t i = 0; i < inputs; i++) {
            pass->input_gradient[i] -=
                2 * pass->output_gradient[o] * difference(pass, inputs, o, i);
        }
    }
}

const struct layer_kind LAYER_RBF = {.name = "rbf",
                                     .keys = KEYS,
                                     .shape = shape,
                                     .row = NN_RBF,
                                     .operators = OPERATORS_1998,
                                     .given = given,
                                     .forward = forward,
                                     .backward = backward};

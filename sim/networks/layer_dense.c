/* layer_dense.c - every input feeds every output.  {units, activation, dropout: 0} */
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "workloads/nn/layer_table.h"

static const double MOST_DROPOUT = 0.49; /* so that the scale of the kept outputs stays below 2 */

static const struct config_key KEYS[] = {
    LAYER_KEYS,
    LAYER_ACTIVATION,
    LAYER_COUNT("units", layer.outputs, 1, LAYER_MOST_MAPS),
    {LAYER_KEY("dropout", KIND_FRACTION, layer.dropout), .real = {0, 0, MOST_DROPOUT}},
    LAYER_KEYS_END};

static enum status finish(struct layer_entry *entry, struct config_arena *arena,
                          struct diagnostic *diagnostic)
{
    const struct activation *activation = activation_of(entry->layer.activation);
    const struct config_node *node = config_node_given(entry->node, "dropout");
    (void)arena;
    if (node != NULL && activation->ends) {
        return config_refuse_value(
            diagnostic, node, "an output cannot be left out\vdropout belongs to hidden layers");
    }
    if (node != NULL && !activation->masks) {
        return config_refuse_value(diagnostic, node,
                                   "dropout does not go with %s\v"
                                   "the way back needs what was left out: use relu",
                                   activation->name);
    }
    return STATUS_OK;
}

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    (void)network;
    (void)diagnostic;
    layer->output = (struct network_shape){layer->outputs, 1, 1};
    layer->link_weights = layer->link_products = layer->input.height * layer->input.width;
    return STATUS_OK;
}

/* Four partial sums, for speed; they are added at the end in a fixed order. */
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

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    const size_t inputs = network_values(layer->input);
    for (size_t o = 0; o < layer->outputs; o++) {
        output[o] = pass->biases[o] + dot(pass->weights + o * inputs, pass->input, inputs);
    }
}

static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const double *output_gradient = pass->output_gradient;
    const size_t inputs = network_values(layer->input);
    for (size_t o = 0; o < layer->outputs; o++) {
        const double g = output_gradient[o];
        if (g == 0) {
            continue;
        }
        pass->bias_gradients[o] += g;
        layer_add_row(pass->weight_gradients + o * inputs, pass->input, g, inputs, 1);
        if (pass->input_gradient != NULL) {
            layer_add_row(pass->input_gradient, pass->weights + o * inputs, g, inputs, 1);
        }
    }
}

const struct layer_kind LAYER_DENSE = {.name = "dense",
                                       .keys = KEYS,
                                       .finish = finish,
                                       .shape = shape,
                                       .row = NN_DENSE,
                                       .forward = forward,
                                       .backward = backward};

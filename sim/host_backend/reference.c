/* reference.c - see reference.h. */
#include "sim/host_backend/reference.h"

#include "models/common/draw.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/networks/learning.h"
#include "sim/networks/loss.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- initial parameters ---- */

void reference_draw(const struct network *network, enum config_initializer initializer,
                    uint64_t seed, double *parameters)
{
    memset(parameters, 0, network_parameters(network) * sizeof *parameters);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct layer_kind *kind = layer_kind_of(layer->type);
        const size_t weights = network_layer_weights(layer);
        double *weight = parameters + weights_place(network, i).weights;
        if (weights > 0) {
            const double bound = learning_bound(network, i, initializer);
            for (size_t j = 0; j < weights; j++) {
                const uint64_t word = draw_word(seed, (uint32_t)(DRAW_WEIGHTS + i), j);
                weight[j] =
                    kind->given != NULL ? kind->given(layer, j) : bound * draw_signed_unit(word);
            }
        }
    }
}

/* ---- one image ---- */

enum status reference_pass_init(struct reference_pass *pass, const struct network *network,
                                struct diagnostic *diagnostic)
{
    size_t values = network_values(network->input);
    size_t room = 0;
    for (size_t i = 0; i < network->layer_count; i++) {
        const size_t own = layer_room(&network->layer[i]);
        values += 2 * (size_t)network_values(network->layer[i].output);
        room = own > room ? own : room;
    }
    values += room;
    *pass = (struct reference_pass){.network = network};
    pass->memory = calloc(values, sizeof *pass->memory);
    if (pass->memory == NULL) {
        return no_memory(diagnostic);
    }
    double *at = pass->memory;
    pass->value[0] = at;
    at += network_values(network->input);
    for (size_t i = 0; i < network->layer_count; i++) {
        const size_t outputs = network_values(network->layer[i].output);
        pass->value[i + 1] = at;
        pass->gradient[i + 1] = at + outputs;
        at += 2 * outputs;
    }
    pass->room = at;
    return STATUS_OK;
}

void reference_pass_deinit(struct reference_pass *pass)
{
    free(pass->memory);
    *pass = (struct reference_pass){0};
}

static struct layer_pass layer_pass_of(const struct reference_pass *pass, size_t i,
                                       const double *parameters)
{
    const struct weights_place place = weights_place(pass->network, i);
    return (struct layer_pass){.layer = &pass->network->layer[i],
                               .weights = parameters + place.weights,
                               .biases = parameters + place.biases,
                               .input = pass->value[i],
                               .output = pass->value[i + 1],
                               .room = pass->room,
                               .output_gradient = pass->gradient[i + 1],
                               .input_gradient = pass->gradient[i]};
}

void reference_load(struct reference_pass *pass, const uint8_t *image)
{
    const struct network *network = pass->network;
    const double unit = ldexp(1, (int)network->input_shift - (int)network->activation_fraction);
    const size_t pixels = network_values(network->input);
    for (size_t i = 0; i < pixels; i++) {
        pass->value[0][i] = unit * image[i];
    }
}

void reference_sums(struct reference_pass *pass, size_t i, const double *parameters)
{
    const struct layer_pass own = layer_pass_of(pass, i, parameters);
    layer_kind_of(pass->network->layer[i].type)->forward(&own);
}

void reference_activate(struct reference_pass *pass, size_t i)
{
    const struct network_layer *layer = &pass->network->layer[i];
    const struct activation *activation = activation_of(layer->activation);
    if (activation->forward != NULL) {
        activation->forward(pass->value[i + 1], network_values(layer->output));
    }
}

const double *reference_forward(struct reference_pass *pass, const double *parameters,
                                const uint8_t *image)
{
    reference_load(pass, image);
    for (size_t i = 0; i < pass->network->layer_count; i++) {
        reference_sums(pass, i, parameters);
        reference_activate(pass, i);
    }
    return pass->value[pass->network->layer_count];
}

uint32_t reference_label(const double *logits, uint32_t classes)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    return best;
}

static void backward_layer(struct reference_pass *pass, size_t i, const double *parameters,
                           double *gradients)
{
    const struct network_layer *layer = &pass->network->layer[i];
    const struct weights_place place = weights_place(pass->network, i);
    const struct activation *activation = activation_of(layer->activation);
    struct layer_pass own = layer_pass_of(pass, i, parameters);
    own.weight_gradients = gradients + place.weights;
    own.bias_gradients = gradients + place.biases;
    if (own.input_gradient != NULL) {
        memset(own.input_gradient, 0, network_values(layer->input) * sizeof(double));
    }
    if (activation->backward != NULL) {
        activation->backward(own.output, pass->gradient[i + 1], network_values(layer->output));
    }
    layer_kind_of(layer->type)->backward(&own);
}

const struct loss *reference_loss(const struct network *network)
{
    return loss_of((enum nn_loss)network->loss);
}

void reference_backward(struct reference_pass *pass, const double *parameters, uint32_t label,
                        double *gradients)
{
    const size_t layers = pass->network->layer_count;
    const size_t classes = pass->network->layer[layers - 1].outputs;
    reference_loss(pass->network)
        ->gradient(pass->value[layers], classes, label, pass->gradient[layers]);
    for (size_t i = layers; i-- > 0;) {
        backward_layer(pass, i, parameters, gradients);
    }
}

/* integer_pass.c - see integer_pass.h. */
#include "sim/host_backend/integer_pass.h"

#include "sim/steps.h"
#include "workloads/nn/activation.h"
#include "workloads/nn/average_pool.h"
#include "workloads/nn/dropout.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/loss.h"
#include "workloads/nn/rbf.h"
#include "workloads/nn/run_layer.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 2 /* of the layer table, for every number format */ };

/* ---- memory ---- */

static bool has_weights(const struct nn_layer *layer)
{
    return !nn_is_pool(layer);
}

/* Takes bytes from the block, aligned to words; without a block it only counts them. */
static void *take(uint8_t *memory, size_t *used, size_t bytes)
{
    enum { ALIGNMENT = 16 };
    void *at = memory == NULL ? NULL : memory + *used;
    *used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

/* Lays out all buffers; returns their total size in bytes. */
static size_t lay_out(struct integer_pass *pass, uint8_t *memory)
{
    const struct nn_table *table = pass->table;
    size_t used = 0;
    uint32_t most = nn_values(table->layer[0].input);
    uint32_t most_maps = 1;
    pass->value[0] = take(memory, &used, most * sizeof(nn_value));
    for (uint32_t i = 0; i < table->layers; i++) {
        const uint32_t outputs = nn_values(table->layer[i].output);
        pass->value[i + 1] = take(memory, &used, outputs * sizeof(nn_value));
        pass->error[i + 1] = take(memory, &used, outputs * sizeof(nn_value));
        pass->choice[i] = take(memory, &used, outputs);
        most = outputs > most ? outputs : most;
        most_maps = table->layer[i].output.channels > most_maps ? table->layer[i].output.channels
                                                                : most_maps;
    }
    pass->logits = take(memory, &used, table->classes * sizeof *pass->logits);
    pass->sums = take(memory, &used, most * sizeof *pass->sums);
    pass->event = take(memory, &used, most * sizeof *pass->event);
    pass->event_count = take(memory, &used, most_maps * sizeof *pass->event_count);
    return used;
}

static enum status refuse_pool(const struct nn_layer *layer, const char *hint,
                               struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "layer %s cannot be trained through in integers", layer->name);
    diagnostic_key(diagnostic, "layers");
    diagnostic_hint(diagnostic, "%s", hint);
    return STATUS_CONFIGURATION;
}

/* Errors propagate through a pooling layer only together with the convolution before it. */
static enum status check_pools(const struct integer_pass *pass, struct diagnostic *diagnostic)
{
    const struct nn_table *table = pass->table;
    for (uint32_t i = pass->first_trained + 1; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        if (!has_weights(layer) && table->layer[i - 1].kind != NN_CONV2D) {
            return refuse_pool(layer, "a pool must follow a convolution", diagnostic);
        }
        if (nn_averages(layer) && layer->stride < layer->kernel) {
            return refuse_pool(layer, "windows of an average must not overlap: stride >= size",
                               diagnostic);
        }
    }
    return STATUS_OK;
}

enum status integer_pass_init(struct integer_pass *pass, const struct nn_table *table,
                              uint32_t error_fraction, struct diagnostic *diagnostic)
{
    enum { ALIGNMENT = 64 };
    *pass = (struct integer_pass){.table = table, .error_fraction = error_fraction};
    pass->round_errors = nn_round_errors;
    while (!has_weights(&table->layer[pass->first_trained])) {
        pass->first_trained++; /* terminates: the last layer is dense */
    }
    TRY(check_pools(pass, diagnostic));
    const size_t bytes = (lay_out(pass, NULL) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pass->memory = aligned_alloc(ALIGNMENT, bytes);
    if (pass->memory == NULL) {
        return no_memory(diagnostic);
    }
    (void)lay_out(pass, pass->memory);
    if (!NN_FLOATS) {
        nn_exp_table(pass->exp_table);
    }
    return STATUS_OK;
}

void integer_pass_deinit(struct integer_pass *pass)
{
    free(pass->memory);
    pass->memory = NULL;
}

/* ---- forward ---- */

static void drop_out(const struct integer_pass *pass, uint32_t i, nn_value *values, uint32_t *cuts)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    const struct integer_draw *draw = &pass->draw;
    const uint32_t key = nn_dropout_key(draw->seed, draw->epoch, draw->image, i);
    nn_dropout(layer, key, 0, nn_values(layer->output), values, cuts);
}

static void run_layer(struct integer_pass *pass, uint32_t i, const nn_value *parameters)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = parameters + layer->weights / PLACE_BYTES,
                                           .biases = parameters + layer->biases / PLACE_BYTES,
                                           .input = pass->value[i],
                                           .output = layer->is_last ? (void *)pass->logits
                                                                    : (void *)pass->value[i + 1],
                                           .numerics = &pass->numerics};
    if (NN_CONVOLVES && layer->kind == NN_MAX_POOL2D) {
        nn_max_pool2d_choose(&arguments, pass->choice[i]);
    } else {
        nn_run_layer(&arguments);
    }
}

/* Applies an activation that follows a layer's rounding; s16.15 has none. */
static void activate(struct integer_pass *pass, uint32_t i)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    if (nn_has_table_activation(layer)) {
        nn_activate((enum nn_activation)layer->activation, layer->output_fraction,
                    (int16_t *)(void *)pass->value[i + 1], nn_values(layer->output));
    }
}

uint32_t integer_forward(struct integer_pass *pass, const nn_value *parameters,
                         const uint8_t *image, uint32_t label, uint32_t *loss)
{
    const struct nn_table *table = pass->table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    nn_load_image(table, image, pass->value[0]);
    for (uint32_t i = 0; i < table->layers; i++) {
        nn_sum_begin(&pass->numerics);
        run_layer(pass, i, parameters);
        activate(pass, i);
        pass->numerics.overflows += nn_sum_overflow(&pass->numerics);
        drop_out(pass, i, pass->value[i + 1], &pass->numerics.saturations);
    }
    return nn_loss_kernel_of(nn_loss_of(last))(
        pass->logits, table->classes, (uint32_t)last->weight_fraction + last->input_fraction,
        pass->exp_table, label, pass->error_fraction, pass->error[table->layers], loss);
}

/* ---- backward ---- */

/* Rounds the error sums of layer i's input to errors of the previous layer. */
static void round_back(struct integer_pass *pass, uint32_t i)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    const uint32_t count = nn_values(layer->input);
    pass->round_errors(pass->sums, pass->error[i], count, layer->weight_fraction, &pass->numerics);
}

/* Converts errors of layer `at`'s outputs to errors of the inputs of layer i's activation. */
static void activation_back(struct integer_pass *pass, uint32_t i, uint32_t at)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    if (nn_has_table_activation(layer)) {
        nn_activation_back((enum nn_activation)layer->activation, layer->output_fraction,
                           (const int16_t *)(const void *)pass->value[at + 1],
                           (int16_t *)(void *)pass->error[at + 1],
                           nn_values(pass->table->layer[at].output));
    }
}

static void dense_back(struct integer_pass *pass, uint32_t i, const nn_value *weights,
                       int32_t *weight_gradients, int32_t *bias_gradients)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    drop_out(pass, i, pass->error[i + 1], &pass->numerics.error_saturations);
    activation_back(pass, i, i);
    if (layer->activation == NN_RELU) {
        nn_relu_back(pass->value[i + 1], pass->error[i + 1], nn_values(layer->output));
    }
    nn_dense_gradient(layer, pass->value[i], pass->error[i + 1], weight_gradients, bias_gradients);
    if (i > pass->first_trained) {
        nn_dense_input_sums(layer, weights, pass->error[i + 1], pass->sums);
        round_back(pass, i);
    }
}

/* The last layer: its weights are not trained. */
static void rbf_back(struct integer_pass *pass, uint32_t i, const nn_value *weights)
{
    nn_rbf_input_sums(&pass->table->layer[i], (const int16_t *)(const void *)weights,
                      (const int16_t *)(const void *)pass->value[i],
                      (const int16_t *)(const void *)pass->error[i + 1],
                      (int32_t *)(void *)pass->sums);
    round_back(pass, i);
}

/* Products of a convolution's backward pass: each event's, in one pass for the gradients and, if
 * `inner`, another for the sums of its input's errors. */
static uint64_t products_of(const struct integer_pass *pass, const struct nn_layer *layer,
                            bool inner)
{
    uint64_t events = 0;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        events += pass->event_count[m];
    }
    return events * layer->input.channels * layer->kernel * layer->kernel * (inner ? 2 : 1);
}

static void conv_back(struct integer_pass *pass, uint32_t i, const nn_value *weights,
                      int32_t *weight_gradients, int32_t *bias_gradients)
{
    const struct nn_layer *layer = &pass->table->layer[i];
    if (nn_averages(&layer[1])) { /* there is a next layer: the last one is dense */
        nn_average_pool_events(layer, &layer[1], pass->value[i + 1], pass->error[i + 2],
                               pass->event, pass->event_count);
    } else if (layer[1].kind == NN_MAX_POOL2D) {
        activation_back(pass, i, i + 1);
        nn_pool_events(layer, &layer[1], pass->value[i + 2], pass->choice[i + 1],
                       pass->error[i + 2], pass->event, pass->event_count);
    } else {
        activation_back(pass, i, i);
        nn_relu_events(layer, pass->value[i + 1], pass->error[i + 1], pass->event,
                       pass->event_count);
    }
    pass->products += products_of(pass, layer, i > pass->first_trained);
    nn_conv2d_gradient(layer, pass->value[i], pass->event, pass->event_count, weight_gradients,
                       bias_gradients);
    if (i > pass->first_trained) {
        memset(pass->sums, 0, nn_values(layer->input) * sizeof *pass->sums);
        nn_conv2d_input_sums(layer, weights, pass->event, pass->event_count, pass->sums);
        round_back(pass, i);
    }
}

void integer_backward(struct integer_pass *pass, const nn_value *parameters, int32_t *gradients)
{
    for (uint32_t i = pass->table->layers; i-- > pass->first_trained;) {
        const struct nn_layer *layer = &pass->table->layer[i];
        const size_t weights = layer->weights / PLACE_BYTES;
        const size_t biases = layer->biases / PLACE_BYTES;
        if (layer->kind == NN_DENSE) {
            dense_back(pass, i, parameters + weights, gradients + weights, gradients + biases);
        } else if (NN_HAS(nn_rbf) && layer->kind == NN_RBF) {
            rbf_back(pass, i, parameters + weights);
        } else if (NN_CONVOLVES && layer->kind == NN_CONV2D) {
            conv_back(pass, i, parameters + weights, gradients + weights, gradients + biases);
        }
    }
}

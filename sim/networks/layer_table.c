/* layer_table.c - see layer_table.h. */
#include "sim/networks/layer_table.h"

#include "sim/file.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"
#include "workloads/nn/activation.h"
#include "workloads/nn/framed.h"
#include "workloads/nn/int8.h"
#include "workloads/nn/run_layer.h"

#include <stdlib.h>
#include <string.h>

static uint32_t word_aligned(uint32_t bytes)
{
    return (bytes + 3) & ~UINT32_C(3);
}

static struct nn_shape shape_of(struct network_shape shape)
{
    return (struct nn_shape){.channels = (uint16_t)shape.channels,
                             .height = (uint16_t)shape.height,
                             .width = (uint16_t)shape.width};
}

static void copy_name(char to[NN_NAME_CHARS], const char *from)
{
    (void)snprintf(to, NN_NAME_CHARS, "%s", from);
}

static void fill_layer(struct nn_layer *to, const struct network *network,
                       const struct network_layer *from, bool last)
{
    const struct layer_kind *kind = layer_kind_of(from->type);
    copy_name(to->name, from->name);
    to->kind = kind->row;
    to->activation = activation_of(from->activation)->row;
    to->is_last = last;
    to->kernel = (uint8_t)from->kernel;
    to->stride = (uint8_t)from->stride;
    to->padding = (uint8_t)from->padding;
    to->one_weight = kind->one_weight;
    to->weight_fraction = (uint8_t)(network->numbers == NETWORK_FLOAT32 ? NN_ERROR_FRACTION_float32
                                                                        : network->weight_fraction);
    to->input_fraction =
        network->numbers == NETWORK_INT16 ? (uint8_t)network->activation_fraction : 0;
    to->output_fraction = (uint8_t)network->activation_fraction;
    if (from->type == NETWORK_RBF) { /* of its gradient and its sums: workloads/nn/rbf.h */
        to->weight_fraction = (uint8_t)(network->activation_fraction - 1);
    }
    to->dropout_share = (uint8_t)(256 * from->dropout);
    to->dropout_gain = (uint8_t)(256 * from->dropout / (1 - from->dropout) + 0.5);
    to->input = shape_of(from->input);
    to->input.links = kind->kernels;
    to->output = shape_of(from->output);
}

/* Makes the padding of the first layer a part of its input: loading an image writes the zeros. */
static void frame_image(struct nn_table *table)
{
    struct nn_layer *first = &table->layer[0];
    table->frame = first->padding;
    first->input.height = (uint16_t)(first->input.height + 2 * first->padding);
    first->input.width = (uint16_t)(first->input.width + 2 * first->padding);
    first->padding = 0;
}

/* Bytes that offsets count for a value: 2 in every format (a 16-bit place) except int8. */
static uint32_t place_bytes(const struct network *network)
{
    return network->numbers == NETWORK_INT8 ? sizeof(int8_t) : sizeof(int16_t);
}

/* Bytes of a layer's output: activations, or int32 logits. */
static uint32_t output_bytes(const struct network *network, size_t i)
{
    const bool last = i + 1 == network->layer_count;
    return word_aligned(network_values(network->layer[i].output) *
                        (last ? (uint32_t)sizeof(int32_t) : place_bytes(network)));
}

/* Bytes of a layer's input, in int16 with room for its frame (workloads/nn/framed.h). */
static uint32_t input_bytes(const struct nn_table *table, const struct network *network, size_t i)
{
    const struct nn_layer *layer = &table->layer[i];
    const bool frames = network->numbers == NETWORK_INT16;
    return word_aligned(place_bytes(network) *
                        (frames ? nn_input_values(layer) : nn_values(layer->input)));
}

/* Assigns two memory regions in turn, so that a layer never writes the region that it reads.
 * Returns the bytes of both, plus the working memory of int8 kernels. */
static uint32_t place_activations(struct nn_table *table, const struct network *network)
{
    uint32_t region[2] = {0};
    for (size_t i = 0; i < network->layer_count; i++) {
        const uint32_t in = input_bytes(table, network, i);
        const uint32_t out = output_bytes(network, i);
        uint32_t *from = &region[i % 2];
        uint32_t *to = &region[(i + 1) % 2];
        *from = in > *from ? in : *from;
        *to = out > *to ? out : *to;
    }
    for (size_t i = 0; i < network->layer_count; i++) {
        table->layer[i].from = i % 2 == 0 ? 0 : region[0];
        table->layer[i].to = i % 2 == 0 ? region[0] : 0;
    }
    const uint32_t scratch = network->numbers == NETWORK_INT8 ? nn_int8_scratch(table) : 0;
    return region[0] + region[1] + scratch;
}

static uint32_t place_parameters(struct nn_table *table, const struct network *network)
{
    uint32_t at = 0;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        table->layer[i].weights = at;
        at += word_aligned((uint32_t)(place_bytes(network) * network_layer_weights(layer)));
        table->layer[i].biases = at;
        at += word_aligned((uint32_t)sizeof(int16_t) * network_layer_biases(layer));
    }
    return at;
}

/* Places the tables of links, for layers that have one, after the rows.  Returns their total bytes;
 * without `table` it only counts. */
static size_t place_links(struct nn_table *table, const struct network *network)
{
    size_t at = sizeof *table + network->layer_count * sizeof(struct nn_layer);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const size_t bytes = layer->links == NULL ? 0 : layer->outputs * sizeof *layer->links;
        if (table != NULL && bytes > 0) {
            uint8_t *to = (uint8_t *)table + at;
            struct nn_layer *row = &table->layer[i];
            memcpy(to, layer->links, bytes);
            row->output.links = (uint16_t)((size_t)(to - (uint8_t *)row) / sizeof *layer->links);
        }
        at += bytes;
    }
    return at;
}

enum status layer_table_make(const struct network *network, struct nn_table **table,
                             struct diagnostic *diagnostic)
{
    const size_t bytes = place_links(NULL, network);
    const struct network_layer *output = &network->layer[network->layer_count - 1];
    *table = NULL;
    if (network_parameters(network) > UINT32_MAX / 8 || output->outputs > NN_MAX_CLASSES ||
        bytes > UINT16_MAX * sizeof(uint32_t)) {
        const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                            "the network is too large for a layer table");
        diagnostic_at(diagnostic, network->path, output->line, output->column);
        diagnostic_key(diagnostic, "layers");
        diagnostic_hint(diagnostic, "at most %d outputs and 2^29 parameters", NN_MAX_CLASSES);
        return status;
    }
    struct nn_table *made = calloc(1, bytes);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->magic = NN_TABLE_MAGIC;
    made->version = NN_TABLE_VERSION;
    made->bytes = (uint32_t)bytes;
    made->layers = (uint32_t)network->layer_count;
    made->classes = output->outputs;
    made->image_pixels = network_values(network->input);
    made->input_shift = (uint16_t)(network->numbers == NETWORK_FLOAT32
                                       ? network->activation_fraction - network->input_shift
                                       : network->input_shift);
    copy_name(made->name, network->name);
    for (size_t i = 0; i < network->layer_count; i++) {
        fill_layer(&made->layer[i], network, &network->layer[i], i + 1 == network->layer_count);
    }
    frame_image(made);
    made->layer[made->layers - 1].padding = network->loss;
    (void)place_links(made, network);
    made->parameter_bytes = place_parameters(made, network);
    made->activation_bytes = place_activations(made, network);
    *table = made;
    return STATUS_OK;
}

/* ---- running it ---- */

int16_t *layer_table_run(const struct nn_table *table, size_t i, const uint8_t *parameters,
                         uint8_t *activations, struct nn_numerics *numerics)
{
    const struct nn_layer *layer = &table->layer[i];
    int16_t *output = (int16_t *)(void *)(activations + layer->to);
    const struct nn_arguments arguments = {
        .layer = layer,
        .weights = (const int16_t *)(const void *)(parameters + layer->weights),
        .biases = (const int16_t *)(const void *)(parameters + layer->biases),
        .input = (const int16_t *)(const void *)(activations + layer->from),
        .output = output,
        .numerics = numerics};
    nn_sum_begin(numerics);
    nn_run_layer(&arguments);
    if (nn_has_table_activation(layer)) {
        nn_activate((enum nn_activation)layer->activation, layer->output_fraction, output,
                    nn_values(layer->output));
    }
    numerics->overflows += nn_sum_overflow(numerics);
    return output;
}

uint8_t *layer_table_activations(const struct nn_table *table)
{
    enum { ALIGNMENT = 64 };
    return aligned_alloc(ALIGNMENT,
                         (table->activation_bytes + ALIGNMENT - 1) / ALIGNMENT * (size_t)ALIGNMENT);
}

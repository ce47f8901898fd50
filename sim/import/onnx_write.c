/* onnx_write.c - see onnx_write.h.  Source of numbers: onnx/onnx.proto of ONNX 1.17. */
#include "sim/import/onnx_write.h"

#include "sim/file.h"
#include "sim/import/wire_write.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"
#include "sim/version.h"

#include <stdlib.h>

enum { IR_VERSION = 7, OPSET = 13, FLOAT = 1, OF_INT = 2, OF_INTS = 7 };
enum { NAME_CHARS = 64 };

struct writing {
    const struct network *network;
    const struct nn_table *table;
    const struct weights *weights;
    struct wire_message graph;
    char value[NAME_CHARS]; /* that the next node takes */
    bool is_row;            /* it is [n][values] */
    struct diagnostic *diagnostic;
};

/* ---- attributes ---- */

static void put_ints(struct wire_message *node, const char *name, uint32_t value, unsigned count)
{
    struct wire_message attribute = {0};
    wire_put_text(&attribute, 1, name);
    for (unsigned i = 0; i < count; i++) {
        wire_put_whole(&attribute, 8, value);
    }
    wire_put_whole(&attribute, 20, OF_INTS);
    wire_put_message(node, 5, &attribute);
}

static void put_int(struct wire_message *node, const char *name, uint32_t value)
{
    struct wire_message attribute = {0};
    wire_put_text(&attribute, 1, name);
    wire_put_whole(&attribute, 3, value);
    wire_put_whole(&attribute, 20, OF_INT);
    wire_put_message(node, 5, &attribute);
}

/* ---- nodes ---- */

/* Begins a node that takes the value; `what` makes the names of it and its output. */
static struct wire_message begin_node(struct writing *writing, const char *layer)
{
    struct wire_message node = {0};
    wire_put_text(&node, 1, writing->value);
    if (layer != NULL) {
        char name[NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s.weights", layer);
        wire_put_text(&node, 1, name);
        (void)snprintf(name, sizeof name, "%s.biases", layer);
        wire_put_text(&node, 1, name);
    }
    return node;
}

static void end_node(struct writing *writing, struct wire_message *node, const char *op,
                     const char *name)
{
    wire_put_text(node, 2, name);
    wire_put_text(node, 3, name);
    wire_put_text(node, 4, op);
    wire_put_message(&writing->graph, 1, node);
    (void)snprintf(writing->value, sizeof writing->value, "%s", name);
}

static void put_node(struct writing *writing, const char *op, const char *layer, const char *what)
{
    char name[NAME_CHARS];
    struct wire_message node = begin_node(writing, NULL);
    (void)snprintf(name, sizeof name, "%s.%s", layer, what);
    end_node(writing, &node, op, name);
}

/* ---- constants ---- */

static void put_tensor(struct writing *writing, const char *name, const uint32_t *shape,
                       unsigned rank, const float *values, size_t count)
{
    struct wire_message tensor = {0};
    for (unsigned i = 0; i < rank; i++) {
        wire_put_whole(&tensor, 1, shape[i]);
    }
    wire_put_whole(&tensor, 2, FLOAT);
    wire_put_text(&tensor, 8, name);
    wire_put_bytes(&tensor, 9, values, count * sizeof *values);
    wire_put_message(&writing->graph, 5, &tensor);
}

static float weight_of(const struct writing *writing, size_t place, double factor)
{
    return (float)(weights_real(writing->network, writing->weights->block, place) * factor);
}

static enum status put_parameters(struct writing *writing, size_t i)
{
    const struct network_layer *layer = &writing->network->layer[i];
    const struct nn_layer *row = &writing->table->layer[i];
    const size_t window = layer->link_weights;
    const size_t inputs = layer->type == NETWORK_DENSE ? 1 : layer->input.channels;
    const size_t each = layer->type == NETWORK_DENSE ? network_values(layer->input) : window;
    const size_t count = layer->outputs * inputs * each;
    const bool is_last = i + 1 == writing->network->layer_count;
    const double factor = is_last ? 1 / writing->network->logit_factor : 1;
    const uint32_t shape[4] = {layer->outputs,
                               layer->type == NETWORK_DENSE ? (uint32_t)each : (uint32_t)inputs,
                               layer->kernel, layer->kernel};
    char name[NAME_CHARS];
    FREED float *values = calloc(count + layer->outputs + 1, sizeof *values);
    if (values == NULL) {
        return no_memory(writing->diagnostic);
    }
    size_t place = row->weights / sizeof(int16_t);
    float *to = values;
    for (size_t m = 0; m < layer->outputs; m++) {
        for (size_t input = 0; input < inputs; input++, to += each) {
            const bool linked = network_is_linked(layer, m, input);
            for (size_t w = 0; w < each && linked; w++) {
                to[w] = weight_of(writing, place++, factor);
            }
        }
    }
    (void)snprintf(name, sizeof name, "%s.weights", layer->name);
    put_tensor(writing, name, shape, layer->type == NETWORK_DENSE ? 2 : 4, values, count);
    for (size_t m = 0; m < layer->outputs; m++) {
        to[m] = weight_of(writing, row->biases / sizeof(int16_t) + m, factor);
    }
    (void)snprintf(name, sizeof name, "%s.biases", layer->name);
    put_tensor(writing, name, shape, 1, to, layer->outputs);
    return STATUS_OK;
}

/* ---- layers ---- */

static void put_window(struct wire_message *node, const struct network_layer *layer)
{
    put_ints(node, "kernel_shape", layer->kernel, 2);
    put_ints(node, "strides", layer->stride, 2);
    if (layer->padding > 0) {
        put_ints(node, "pads", layer->padding, 4);
    }
}

/* NULL: ONNX has none. */
static const char *op_of(const struct network_layer *layer)
{
    return layer->type == NETWORK_CONV2D           ? "Conv"
           : layer->type == NETWORK_DENSE          ? "Gemm"
           : layer->type == NETWORK_MAX_POOL2D     ? "MaxPool"
           : layer->type == NETWORK_AVERAGE_POOL2D ? "AveragePool"
                                                   : NULL;
}

static const char *op_of_activation(enum network_activation activation)
{
    return activation == NETWORK_RELU      ? "Relu"
           : activation == NETWORK_TANH    ? "Tanh"
           : activation == NETWORK_SIGMOID ? "Sigmoid"
                                           : NULL;
}

static enum status put_layer(struct writing *writing, size_t i)
{
    const struct network_layer *layer = &writing->network->layer[i];
    const bool is_last = i + 1 == writing->network->layer_count;
    const bool has_weights = !network_is_pool(layer);
    const char *activation = op_of_activation(layer->activation);
    const char *op = op_of(layer);
    char name[NAME_CHARS];
    if (op == NULL || (activation == NULL && layer->activation != NETWORK_IDENTITY && !is_last)) {
        return layer_refuse(writing->network, layer, "networks of today's layers can be exported",
                            writing->diagnostic, "ONNX has no such layer");
    }
    if (layer->type == NETWORK_DENSE && !writing->is_row) {
        put_node(writing, "Flatten", layer->name, "flat");
        writing->is_row = true;
    }
    if (has_weights) {
        TRY(put_parameters(writing, i));
    }
    struct wire_message node = begin_node(writing, has_weights ? layer->name : NULL);
    if (layer->type == NETWORK_DENSE) {
        put_int(&node, "transB", 1);
    } else {
        put_window(&node, layer);
    }
    (void)snprintf(name, sizeof name, "%s.%s", layer->name, has_weights ? "sums" : "values");
    end_node(writing, &node, op, is_last ? "logits" : name);
    if (activation != NULL) {
        put_node(writing, activation, layer->name, "values");
    }
    return STATUS_OK;
}

/* ---- the model ---- */

/* A ValueInfoProto of float32, whose first size is the batch's. */
static void put_value(struct writing *writing, uint32_t number, const char *name,
                      const uint32_t *size, unsigned sizes)
{
    struct wire_message value = {0};
    struct wire_message type = {0};
    struct wire_message tensor = {0};
    struct wire_message shape = {0};
    struct wire_message batch = {0};
    wire_put_text(&batch, 2, "n");
    wire_put_message(&shape, 1, &batch);
    for (unsigned i = 0; i < sizes; i++) {
        struct wire_message dimension = {0};
        wire_put_whole(&dimension, 1, size[i]);
        wire_put_message(&shape, 1, &dimension);
    }
    wire_put_whole(&tensor, 1, FLOAT);
    wire_put_message(&tensor, 2, &shape);
    wire_put_message(&type, 1, &tensor);
    wire_put_text(&value, 1, name);
    wire_put_message(&value, 2, &type);
    wire_put_message(&writing->graph, number, &value);
}

static void put_model(struct writing *writing, struct wire_message *model)
{
    struct wire_message opset = {0};
    struct wire_message scale = {0};
    wire_put_whole(model, 1, IR_VERSION);
    wire_put_text(model, 2, "spinnsim");
    wire_put_text(model, 3, SPINNSIM_VERSION);
    wire_put_message(model, 7, &writing->graph);
    wire_put_text(&opset, 1, "");
    wire_put_whole(&opset, 2, OPSET);
    wire_put_message(model, 8, &opset);
    wire_put_text(&scale, 1, "spinnsim.input_scale");
    wire_put_text(&scale, 2, "1/256");
    wire_put_message(model, 14, &scale);
}

static enum status write_layers(struct writing *writing)
{
    const struct network *network = writing->network;
    const struct network_shape input = network->input;
    const uint32_t image[] = {input.channels, input.height, input.width};
    for (size_t i = 0; i < network->layer_count; i++) {
        TRY(put_layer(writing, i));
    }
    wire_put_text(&writing->graph, 2, network->name);
    put_value(writing, 11, "image", image, 3);
    put_value(writing, 12, "logits", &network->layer[network->layer_count - 1].outputs, 1);
    return STATUS_OK;
}

enum status onnx_write(const struct network *network, const struct nn_table *table,
                       const struct weights *weights, const char *path,
                       struct diagnostic *diagnostic)
{
    struct writing writing = {.network = network,
                              .table = table,
                              .weights = weights,
                              .value = "image",
                              .diagnostic = diagnostic};
    struct wire_message model = {0};
    struct file_writer file;
    enum status status = write_layers(&writing);
    put_model(&writing, &model);
    if (status == STATUS_OK && model.failed) {
        status = no_memory(diagnostic);
    }
    if (status == STATUS_OK) {
        status = file_create(&file, path, diagnostic);
        if (status == STATUS_OK) {
            (void)fwrite(model.bytes, 1, model.size, file.stream);
            status = file_commit(&file, diagnostic);
        }
    }
    wire_message_deinit(&writing.graph);
    wire_message_deinit(&model);
    return status;
}

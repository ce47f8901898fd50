/* keras_build.c - nodes, constants, weights, and keys that several kinds of layers have
 * (keras_build.h). */
#include "sim/import/keras_build.h"

#include "sim/config/config_arena.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char DAMAGED_HINT[] = "the weights do not belong to this description of the layers; "
                                   "save the whole model once more";

/* ---- nodes and constants ---- */

static void *copy(const struct keras_builder *builder, const void *bytes, size_t size)
{
    void *room = config_arena_take(builder->model->arena, size);
    memcpy(room, bytes, size);
    return room;
}

static const char *print(const struct keras_builder *builder, const char *part, size_t number)
{
    return number == 0
               ? config_arena_print(builder->model->arena, "%s/%s", builder->layer->name, part)
               : config_arena_print(builder->model->arena, "%s/%s:%zu", builder->layer->name, part,
                                    number);
}

struct model_node *keras_add_node(struct keras_builder *builder, const char *op, size_t count,
                                  const char *const *others)
{
    struct model_node *node = &builder->model->node[builder->model->node_count++];
    const char **input = config_arena_take(builder->model->arena, (count + 1) * sizeof *input);
    input[0] = builder->value;
    for (size_t i = 0; i < count; i++) {
        input[i + 1] = others[i];
    }
    builder->value = print(builder, op, builder->model->node_count);
    *node = (struct model_node){.op = op,
                                .name = builder->layer->name,
                                .input_count = count + 1,
                                .output_count = 1,
                                .input = input,
                                .output = copy(builder, &builder->value, sizeof builder->value)};
    return node;
}

void keras_add_numbers(const struct keras_builder *builder, struct model_node *node,
                       const char *name, size_t count, const double *number)
{
    struct model_attribute *all =
        config_arena_take(builder->model->arena, (node->attribute_count + 1) * sizeof *all);
    if (node->attribute_count > 0) {
        memcpy(all, node->attribute, node->attribute_count * sizeof *all);
    }
    all[node->attribute_count++] = (struct model_attribute){
        .name = name, .count = count, .number = copy(builder, number, count * sizeof *number)};
    node->attribute = all;
}

const char *keras_add_tensor(struct keras_builder *builder, const char *part, unsigned rank,
                             const int64_t *shape, const double *value, bool whole)
{
    struct model_tensor *tensor = &builder->model->tensor[builder->model->tensor_count++];
    *tensor = (struct model_tensor){
        .name = print(builder, part, 0), .rank = rank, .count = 1, .value = value, .whole = whole};
    for (unsigned i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->count *= (size_t)shape[i];
    }
    return tensor->name;
}

const char *keras_add_scalar(struct keras_builder *builder, const char *part, double value)
{
    return keras_add_tensor(builder, part, 0, NULL, copy(builder, &value, sizeof value), false);
}

/* ---- weights ---- */

/* The layer's name, or with those of models around it: "sequential/dense". */
static bool is_of_layer(const struct keras_weight *weight, const struct keras_layer *layer)
{
    const size_t length = strlen(weight->layer), own = strlen(layer->name);
    return length >= own && strcmp(weight->layer + length - own, layer->name) == 0 &&
           (length == own || weight->layer[length - own - 1] == '/');
}

static const struct keras_weight *find_weight(const struct keras_builder *builder, const char *name)
{
    char order[16];
    (void)snprintf(order, sizeof order, "%zu", builder->weights_used);
    for (size_t i = 0; i < builder->file->weight_count; i++) {
        const struct keras_weight *weight = &builder->file->weight[i];
        if (is_of_layer(weight, builder->layer) &&
            (strcmp(weight->name, name) == 0 || strcmp(weight->name, order) == 0)) {
            return weight;
        }
    }
    return NULL;
}

static const char *shape_text(unsigned rank, const int64_t *shape, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < rank && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i == 0 ? "" : " x ",
                                 (long long)shape[i]);
    }
    return text;
}

enum status keras_take_weight(struct keras_builder *builder, const char *name, unsigned rank,
                              const int64_t *shape, const double **value)
{
    enum { SHAPE_CHARS = 128 };
    char has[SHAPE_CHARS], wants[SHAPE_CHARS];
    const struct keras_weight *weight = find_weight(builder, name);
    if (weight == NULL) {
        return keras_deny(builder, DAMAGED_HINT, "the file has no weights named %s", name);
    }
    if (weight->rank != rank || memcmp(weight->shape, shape, rank * sizeof *shape) != 0) {
        return keras_deny(builder, DAMAGED_HINT, "%s has the shape %s, expected %s", name,
                          shape_text(weight->rank, weight->shape, has, sizeof has),
                          shape_text(rank, shape, wants, sizeof wants));
    }
    for (size_t i = 0; i < weight->count; i++) {
        if (!isfinite(weight->value[i])) {
            return keras_deny(builder, "the training has diverged: train again",
                              "%s has a value that is not finite", name);
        }
    }
    builder->weights_used++;
    *value = weight->value;
    return STATUS_OK;
}

enum status keras_no_more_weights(const struct keras_builder *builder)
{
    size_t count = 0;
    for (size_t i = 0; i < builder->file->weight_count; i++) {
        count += is_of_layer(&builder->file->weight[i], builder->layer);
    }
    return count == builder->weights_used
               ? STATUS_OK
               : keras_deny(builder, DAMAGED_HINT, "the file has %zu variables, expected %zu",
                            count, builder->weights_used);
}

/* ---- keys that several kinds have ---- */

enum status keras_flag(const struct keras_builder *builder, const char *key, bool missing,
                       bool *flag)
{
    const json_t *value = json_object_get(builder->layer->config, key);
    *flag = value == NULL ? missing : json_is_true(value);
    return value == NULL || json_is_boolean(value)
               ? STATUS_OK
               : keras_deny(builder, NULL, "%s is neither true nor false", key);
}

enum status keras_check_format(const struct keras_builder *builder)
{
    const char *format = keras_text(builder->layer->config, "data_format");
    return keras_lacks(builder->layer->config, "data_format") ||
                   (format != NULL && strcmp(format, "channels_last") == 0)
               ? STATUS_OK
               : keras_deny(builder, "build the model with data_format=\"channels_last\"",
                            "only the data_format channels_last can be read");
}

static const struct {
    const char *name, *op; /* NULL: nothing to do */
} ACTIVATIONS[] = {
    {"linear", NULL},       {"relu", "Relu"},       {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"}, {"softmax", "Softmax"},
};

static const char *activation_name(const json_t *value)
{
    if (value == NULL || json_is_null(value)) {
        return "linear";
    }
    const char *kind = keras_text(value, "class_name");
    return kind != NULL && strcmp(kind, "function") == 0 ? keras_text(value, "config")
                                                         : json_string_value(value);
}

enum status keras_add_activation(struct keras_builder *builder, const char *key)
{
    const char *name = activation_name(json_object_get(builder->layer->config, key));
    for (size_t i = 0; name != NULL && i < sizeof ACTIVATIONS / sizeof *ACTIVATIONS; i++) {
        if (strcmp(name, ACTIVATIONS[i].name) != 0) {
            continue;
        }
        const char *op = ACTIVATIONS[i].op;
        struct model_node *node = op == NULL ? NULL : keras_add_node(builder, op, 0, NULL);
        if (op != NULL && strcmp(op, "Softmax") == 0) {
            keras_add_number(builder, node, "axis", 1);
        }
        return STATUS_OK;
    }
    return keras_deny(builder, "activations: linear, relu, tanh, sigmoid, softmax",
                      "its activation cannot be read");
}

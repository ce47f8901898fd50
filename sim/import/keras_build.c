/* keras_build.c - makes a model of a chain of Keras' layers (keras.h). */
#include "sim/import/keras_build.h"

#include "sim/config/config_arena.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES_PER_LAYER = 3, TENSORS_PER_LAYER = 4 };

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

/* ---- the whole ---- */

/* The shape with which a description begins: of the input's layer, of the first one, or of the
 * whole model. */
static const json_t *input_shape_of(const struct keras_file *file, const json_t *first)
{
    static const char *const KEYS[] = {"batch_shape", "batch_input_shape"};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (!keras_lacks(first, KEYS[i])) {
            return json_object_get(first, KEYS[i]);
        }
    }
    return json_object_get(json_object_get(file->topology, "config"), "build_input_shape");
}

/* The model's input, in ONNX's order. */
static void set_input(struct keras_builder *builder)
{
    struct model *model = builder->model;
    model->input = builder->value = "input";
    model->input_shape[0] = -1;
    model->input_rank = builder->rank == 1 ? 2 : 4;
    if (builder->rank == 1) {
        model->input_shape[1] = builder->shape[0];
        return;
    }
    model->input_shape[1] = builder->rank == 2 ? 1 : builder->shape[2];
    model->input_shape[2] = builder->shape[0];
    model->input_shape[3] = builder->shape[1];
}

static enum status read_input(struct keras_builder *builder, const struct keras_layer *first)
{
    const json_t *shape = input_shape_of(builder->file, first->config);
    const size_t rank = json_array_size(shape);
    builder->layer = first;
    if (rank < 2 || rank > 4) {
        return keras_deny(builder,
                          "an image (rows, columns) or (rows, columns, channels), or a vector",
                          "the model's description has no shape of the input that can be read");
    }
    builder->rank = (unsigned)rank - 1;
    for (size_t i = 1; i < rank; i++) {
        const json_t *side = json_array_get(shape, i);
        const json_int_t value = json_integer_value(side);
        if (!json_is_integer(side) || value < 1 ||
            value > (rank == 2 ? MODEL_MOST_VALUES : KERAS_MOST_SIDE)) {
            return keras_deny(builder, "give the Input a shape without None",
                              "side %zu of the input's shape is not known, or too large", i);
        }
        builder->shape[i - 1] = value;
    }
    set_input(builder);
    return STATUS_OK;
}

/* Classes of other packages may have the names of Keras' own. */
static bool is_of_keras(const json_t *json)
{
    static const char *const PACKAGES[] = {"keras", "tf_keras", "tensorflow.keras",
                                           "tensorflow.python.keras"};
    const char *module = keras_text(json, "module");
    for (size_t i = 0; module != NULL && i < sizeof PACKAGES / sizeof *PACKAGES; i++) {
        const size_t length = strlen(PACKAGES[i]);
        if (strncmp(module, PACKAGES[i], length) == 0 &&
            (module[length] == '\0' || module[length] == '.')) {
            return true;
        }
    }
    return module == NULL;
}

static enum status add_layer(struct keras_builder *builder, const struct keras_layer *layer)
{
    const char *hint;
    const struct keras_kind *kind = keras_find_kind(layer->class_name, &hint);
    builder->layer = layer;
    builder->weights_used = 0;
    if (kind == NULL) {
        return keras_deny(builder, hint, "layers of this class cannot be read");
    }
    if (!is_of_keras(layer->json)) {
        return keras_deny(builder, "only layers of Keras itself can be read",
                          "the class comes from another package");
    }
    if (builder->padding != NULL && kind->add != keras_add_conv2d) {
        builder->layer = builder->padding;
        return keras_deny(builder, "zeros around the maps are a part of convolutions here",
                          "no convolution follows");
    }
    return kind->add(builder);
}

enum status keras_build(const struct keras_file *file)
{
    struct model *model = file->model;
    struct keras_builder builder = {.file = file, .model = model};
    FREED struct keras_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) {
        return no_memory(file->diagnostic);
    }
    TRY(keras_chain_read(file, chain));
    model->opset = 13;
    model->node =
        config_arena_take(model->arena, chain->count * NODES_PER_LAYER * sizeof *model->node);
    model->tensor =
        config_arena_take(model->arena, chain->count * TENSORS_PER_LAYER * sizeof *model->tensor);
    TRY(read_input(&builder, &chain->layer[0]));
    for (size_t i = 0; i < chain->count; i++) {
        TRY(add_layer(&builder, &chain->layer[i]));
    }
    if (builder.padding != NULL || model->node_count == 0) {
        return keras_deny(&builder, "networks end in a Dense layer here",
                          "the model ends here, before it computes anything");
    }
    model->output = builder.value;
    return STATUS_OK;
}

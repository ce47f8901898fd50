/* keras_model.c - makes a model of a chain of Keras' layers (keras.h). */
#include "sim/config/config_arena.h"
#include "sim/import/keras_build.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_PER_LAYER = 3, TENSORS_PER_LAYER = 4 };

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

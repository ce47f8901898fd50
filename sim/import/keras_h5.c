/* keras_h5.c - Keras' .h5 files (keras_files.h): the attribute model_config describes the layers,
 * the arrays below model_weights/LAYER are their weights. */
#include "sim/config/config_arena.h"
#include "sim/import/hdf5_read.h"
#include "sim/import/keras.h"
#include "sim/import/keras_files.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <string.h>

#define WEIGHTS "model_weights"

/* NULL: there is none. */
static const char *find_text(const struct hdf5_content *content, const char *name, size_t *bytes)
{
    for (size_t i = 0; i < content->text_count; i++) {
        if (strcmp(content->text[i].name, name) == 0) {
            *bytes = content->text[i].bytes;
            return content->text[i].text;
        }
    }
    return NULL;
}

/* "model_weights/dense/sequential/dense/kernel:0": the layer dense, and kernel. */
static struct keras_weight weight_of(struct model *model, const struct hdf5_array *array)
{
    const char *layer = array->path + strlen(WEIGHTS);
    layer += *layer == '/';
    const char *name = strrchr(array->path, '/');
    name = name == NULL ? array->path : name + 1;
    struct keras_weight weight = {.layer = model_text(model, layer, strcspn(layer, "/")),
                                  .name = model_text(model, name, strcspn(name, ":")),
                                  .rank = array->rank,
                                  .count = array->count,
                                  .value = array->value};
    memcpy(weight.shape, array->shape, sizeof weight.shape);
    return weight;
}

enum status keras_h5_read(struct model *model, const uint8_t *bytes, size_t size,
                          struct diagnostic *diagnostic)
{
    static const char *const ATTRIBUTES[] = {"model_config", "keras_version", NULL};
    static const char *const GROUPS[] = {WEIGHTS, NULL};
    const struct hdf5_wanted wanted = {ATTRIBUTES, GROUPS};
    struct hdf5_content content;
    struct keras_file file = {.model = model, .diagnostic = diagnostic};
    size_t length = 0;
    TRY(hdf5_read(model, bytes, size, &wanted, &content, diagnostic));
    const char *version = find_text(&content, "keras_version", &length);
    version = version == NULL ? NULL : model_text(model, version, length);
    model->format = version == NULL ? "Keras (.h5)"
                                    : config_arena_print(model->arena, "Keras %s (.h5)", version);
    const char *config = find_text(&content, "model_config", &length);
    if (config == NULL) {
        return keras_refuse(&file, NULL,
                            "save the whole model: model.save(\"NAME.keras\") or "
                            "model.save(\"NAME.h5\")",
                            "has no model_config: it has weights only, or is no model of Keras");
    }
    KERAS_JSON json_t *topology = keras_parse(model, "model_config", config, length, diagnostic);
    if (topology == NULL) {
        return STATUS_CONFIGURATION;
    }
    struct keras_weight *weight =
        config_arena_take(model->arena, (content.array_count + 1) * sizeof *weight);
    for (size_t i = 0; i < content.array_count; i++) {
        weight[i] = weight_of(model, &content.array[i]);
    }
    file.topology = topology;
    file.weight = weight;
    file.weight_count = content.array_count;
    return keras_build(&file);
}

/* keras.h - models of Keras, whichever file they come from: `.keras`, `.h5`, TensorFlow.js.  Each
 * reader finds the description of the layers (JSON) and the weights by layer; keras_build() makes
 * nodes of them.
 *
 * Images have Keras' order [row][column][channel] in the file and ONNX's order [channel][row]
 * [column] in the model.  An image without channels, [row][column], gets one. */
#pragma once
#include "sim/import/model.h"
#include <jansson.h>
C_LINKAGE_BEGIN

enum {
    KERAS_MOST_LAYERS = 256,
    KERAS_MOST_JSON_BYTES = 1 << 22 /* of a description: some 100 bytes of memory for each */
};

/* A variable of a layer, as the file has it. */
struct keras_weight {
    const char *layer; /* name of the layer, perhaps behind those of models: "sequential/dense" */
    const char *name;  /* "kernel"; "0", "1", ... in files that give only the order */
    unsigned rank;
    int64_t shape[MODEL_MOST_RANK];
    size_t count;
    const double *value;
};

struct keras_layer {
    const char *name, *class_name;
    const json_t *json;   /* the layer's object */
    const json_t *config; /* its `config` */
};

struct keras_file {
    struct model *model;    /* with arena, path and format; what is made becomes part of it */
    const json_t *topology; /* class_name and config of the model */
    const struct keras_weight *weight;
    size_t weight_count;
    struct diagnostic *diagnostic;
};

/* Layers from the input to the output. */
struct keras_chain {
    size_t count;
    struct keras_layer layer[KERAS_MOST_LAYERS];
};

/* Fills file->model.  STATUS_CONFIGURATION, with the layer's name as key, for what cannot be read.
 */
enum status keras_build(const struct keras_file *file);

/* keras_graph.c: the chain of a Sequential or Functional model; texts belong to the model. */
enum status keras_chain_read(const struct keras_file *file, struct keras_chain *chain);

/* keras_json.c: parses a text of a file; `part` says which.  NULL with a diagnostic. */
json_t *keras_parse(const struct model *model, const char *part, const void *text, size_t bytes,
                    struct diagnostic *diagnostic);

static inline void keras_json_release(json_t **json)
{
    json_decref(*json);
}
#define KERAS_JSON RELEASED(keras_json_release)

/* The text of a key; NULL if there is none. */
static inline const char *keras_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Whether a key is absent, or null. */
static inline bool keras_lacks(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value == NULL || json_is_null(value);
}

/* A whole number from 1 to `most`, or two of them as a list: both into pair[2].  `missing` if the
 * key is absent; false for anything else. */
bool keras_pair(const json_t *object, const char *key, int64_t missing, int64_t most,
                int64_t *pair);

/* Refuses the file: "layer NAME (CLASS): " and the text; `layer` NULL: the text only. */
enum status keras_refuse(const struct keras_file *file, const struct keras_layer *layer,
                         const char *hint, const char *format, ...) PRINTF_LIKE(4, 5);
#define keras_refuse(file, layer, hint, ...) /* NOLINT(readability-identifier-naming) */           \
    ((void)keras_refuse(file, layer, hint, __VA_ARGS__), STATUS_CONFIGURATION)

C_LINKAGE_END

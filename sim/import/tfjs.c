/* tfjs.c - TensorFlow.js' model.json and its shards (keras_files.h).
 *
 * `modelTopology` is Keras' description of the layers, plain or under `model_config`.  Each group
 * of `weightsManifest` names files, which joined in order hold its weights one behind the other,
 * little-endian, in their own type or quantised: value = number * scale + min. */
#include "sim/config/config_arena.h"
#include "sim/import/keras.h"
#include "sim/import/keras_files.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

static const char DAMAGED_HINT[] = "the file is damaged, or of a version not known here";

enum { MOST_SHARDS = 4096 };

struct tfjs {
    struct keras_file keras;
    struct keras_weight *weight; /* keras.weight, while it grows */
    size_t room, values_left, shards_left;
    uint8_t *bytes; /* of the group at work; malloc'ed */
    size_t size, at;
};

#define refuse(tfjs, hint, ...) /* NOLINT(readability-identifier-naming) */                        \
    keras_refuse(&(tfjs)->keras, NULL, hint, __VA_ARGS__)

/* ---- types of numbers ---- */

static double load_uint8(const uint8_t *bytes)
{
    return bytes[0];
}

static double load_uint16(const uint8_t *bytes)
{
    return (double)(bytes[0] | bytes[1] << 8);
}

static uint32_t load_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static double load_int32(const uint8_t *bytes)
{
    return (int32_t)load_word(bytes);
}

static double load_float32(const uint8_t *bytes)
{
    const uint32_t bits = load_word(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction. */
static double load_float16(const uint8_t *bytes)
{
    const uint32_t bits = (uint32_t)(bytes[0] | bytes[1] << 8);
    const int exponent = (int)(bits >> 10 & 0x1f);
    const uint32_t fraction = bits & 0x3ff;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    if (exponent == 0x1f) {
        value = fraction == 0 ? INFINITY : NAN;
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

struct type {
    const char *name;
    size_t bytes;
    double (*load)(const uint8_t *bytes);
    bool scaled; /* as a quantisation: times scale plus min */
};

/* `dtype` of a weight, and of its quantisation. */
static const struct type TYPES[] = {
    {"float32", 4, load_float32, false},
    {"int32", 4, load_int32, false},
    {"bool", 1, load_uint8, false},
};
static const struct type QUANTISED[] = {
    {"uint8", 1, load_uint8, true},
    {"uint16", 2, load_uint16, true},
    {"float16", 2, load_float16, false},
};

static const struct type *find_type(const struct type *types, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}
#define FIND_TYPE(types, name) find_type(types, sizeof(types) / sizeof *(types), name)

/* ---- weights ---- */

static void load_values(const struct type *type, const uint8_t *bytes, size_t count, double scale,
                        double least, double *value)
{
    for (size_t i = 0; i < count; i++) {
        const double number = type->load(bytes + i * type->bytes);
        /* TensorFlow.js keeps what it restores as float32. */
        value[i] = type->scaled ? (double)(float)(number * scale + least) : number;
    }
}

/* The shape, and the product of its sides; false for anything that cannot be a weight's. */
static bool read_shape(const json_t *shape, size_t most, struct keras_weight *weight)
{
    const size_t rank = json_array_size(shape);
    weight->count = 1;
    if (!json_is_array(shape) || rank > MODEL_MOST_RANK) {
        return false;
    }
    weight->rank = (unsigned)rank;
    for (size_t i = 0; i < rank; i++) {
        const json_t *json = json_array_get(shape, i);
        const json_int_t side = json_integer_value(json);
        if (!json_is_integer(json) || side < 0 ||
            (side > 0 && weight->count > most / (size_t)side)) {
            return false;
        }
        weight->shape[i] = side;
        weight->count *= (size_t)side;
    }
    return weight->count <= most;
}

/* "dense/kernel": the layer and its part. */
static bool split_name(struct model *model, const char *name, struct keras_weight *weight)
{
    const char *slash = name == NULL ? NULL : strrchr(name, '/');
    if (slash == NULL) {
        return false;
    }
    weight->layer = model_text(model, name, (size_t)(slash - name));
    weight->name = model_text(model, slash + 1, strlen(slash + 1));
    return weight->layer != NULL && weight->name != NULL;
}

static enum status read_weight(struct tfjs *tfjs, const json_t *json)
{
    struct keras_weight weight = {.rank = 0};
    const json_t *quantisation = json_object_get(json, "quantization");
    const struct type *type = quantisation == NULL
                                  ? FIND_TYPE(TYPES, keras_text(json, "dtype"))
                                  : FIND_TYPE(QUANTISED, keras_text(quantisation, "dtype"));
    if (!split_name(tfjs->keras.model, keras_text(json, "name"), &weight)) {
        return refuse(tfjs, DAMAGED_HINT, "a weight's name is not LAYER/PART");
    }
    if (type == NULL) {
        return refuse(tfjs, "weights: float32, or quantised to uint8, uint16 or float16",
                      "the weights %s/%s are of a type that cannot be read", weight.layer,
                      weight.name);
    }
    if (!read_shape(json_object_get(json, "shape"), tfjs->values_left, &weight)) {
        return refuse(tfjs, DAMAGED_HINT, "the weights %s/%s have no shape that can be read",
                      weight.layer, weight.name);
    }
    if (weight.count > (tfjs->size - tfjs->at) / type->bytes) {
        return refuse(tfjs, "the file of weights is cut short, or of another model",
                      "the weights %s/%s need %zu bytes, %zu are left in their files", weight.layer,
                      weight.name, weight.count * type->bytes, tfjs->size - tfjs->at);
    }
    double *value = config_arena_take(tfjs->keras.model->arena, (weight.count + 1) * sizeof *value);
    load_values(type, tfjs->bytes + tfjs->at, weight.count,
                json_number_value(json_object_get(quantisation, "scale")),
                json_number_value(json_object_get(quantisation, "min")), value);
    weight.value = value;
    tfjs->values_left -= weight.count;
    tfjs->at += weight.count * type->bytes;
    tfjs->weight[tfjs->keras.weight_count++] = weight;
    return STATUS_OK;
}

/* Joins a group's files. */
static enum status read_shards(struct tfjs *tfjs, const json_t *paths)
{
    size_t i;
    const json_t *json;
    tfjs->size = tfjs->at = 0;
    if (json_array_size(paths) > tfjs->shards_left) {
        return refuse(tfjs, DAMAGED_HINT, "weightsManifest names more than %d files", MOST_SHARDS);
    }
    tfjs->shards_left -= json_array_size(paths);
    json_array_foreach(paths, i, json)
    {
        FREED uint8_t *shard = NULL;
        size_t size = 0;
        const char *path = json_string_value(json);
        if (path == NULL) {
            return refuse(tfjs, DAMAGED_HINT, "a path of weightsManifest is no text");
        }
        TRY(external_data_read(tfjs->keras.model, path, 0, SIZE_MAX,
                               MODEL_MOST_FILE_BYTES - tfjs->size, &shard, &size,
                               tfjs->keras.diagnostic));
        uint8_t *longer = realloc(tfjs->bytes, tfjs->size + size + 1);
        if (longer == NULL) {
            return no_memory(tfjs->keras.diagnostic);
        }
        tfjs->bytes = longer;
        memcpy(longer + tfjs->size, shard, size);
        tfjs->size += size;
    }
    return STATUS_OK;
}

static enum status read_group(struct tfjs *tfjs, const json_t *group)
{
    const json_t *weights = json_object_get(group, "weights"), *weight;
    size_t i;
    if (json_array_size(weights) > tfjs->room - tfjs->keras.weight_count) {
        return refuse(tfjs, DAMAGED_HINT, "weightsManifest has more than %zu weights", tfjs->room);
    }
    TRY(read_shards(tfjs, json_object_get(group, "paths")));
    json_array_foreach(weights, i, weight)
    {
        TRY(read_weight(tfjs, weight));
    }
    return tfjs->at == tfjs->size
               ? STATUS_OK
               : refuse(tfjs, "the file of weights is of another model",
                        "the files of weights have %zu bytes, the weights need %zu", tfjs->size,
                        tfjs->at);
}

/* ---- */

static void release(struct tfjs *tfjs)
{
    free(tfjs->bytes);
}

/* The version is Keras' ("2.14.0"), or names its maker ("tfjs-layers 4.22.0"). */
static void name_format(struct tfjs *tfjs, const json_t *root, const json_t *topology)
{
    struct model *model = tfjs->keras.model;
    const char *maker = keras_text(topology, "keras_version");
    maker = maker == NULL ? keras_text(root, "generatedBy") : maker;
    maker = maker == NULL ? NULL : model_text(model, maker, strlen(maker));
    model->format =
        maker == NULL
            ? "TensorFlow.js"
            : config_arena_print(model->arena, "TensorFlow.js, %s%s",
                                 maker[0] >= '0' && maker[0] <= '9' ? "Keras " : "", maker);
}

enum status tfjs_read(struct model *model, const uint8_t *bytes, size_t size,
                      struct diagnostic *diagnostic)
{
    size_t i;
    const json_t *group;
    KERAS_JSON json_t *root = keras_parse(model, "the model", bytes, size, diagnostic);
    RELEASED(release)
    struct tfjs tfjs = {
        .keras = {.model = model, .diagnostic = diagnostic},
        .room = MODEL_MOST_TENSORS,
        .values_left = MODEL_MOST_VALUES,
        .shards_left = MOST_SHARDS,
    };
    if (root == NULL) {
        return STATUS_CONFIGURATION;
    }
    const json_t *topology = json_object_get(root, "modelTopology");
    const json_t *inner = json_object_get(topology, "model_config");
    const json_t *manifest = json_object_get(root, "weightsManifest");
    const char *format = keras_text(root, "format");
    if (format != NULL && strcmp(format, "graph-model") == 0) {
        return refuse(&tfjs, "convert the Keras model with --output_format=tfjs_layers_model",
                      "a graph-model has no layers");
    }
    if (!json_is_object(topology) || !json_is_array(manifest)) {
        return refuse(&tfjs, "expected the model.json of TensorFlow.js",
                      "there is no modelTopology or no weightsManifest");
    }
    tfjs.weight = config_arena_take(model->arena, tfjs.room * sizeof *tfjs.weight);
    tfjs.keras.weight = tfjs.weight;
    tfjs.keras.topology = inner != NULL ? inner : topology;
    name_format(&tfjs, root, topology);
    json_array_foreach(manifest, i, group)
    {
        TRY(read_group(&tfjs, group));
    }
    return keras_build(&tfjs.keras);
}

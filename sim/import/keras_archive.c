/* keras_archive.c - Keras' .keras files (keras_files.h): config.json describes the layers,
 * model.weights.h5 has their weights, and metadata.json says which Keras wrote them.
 *
 * The weights lie in layers/GROUP/vars/N (Keras 3) or _layer_checkpoint_dependencies/GROUP/vars/N
 * (2.13 to 2.15).  A group is not named after its layer, but after the layer's class, with a number
 * that rises along the model: conv2d, conv2d_1.  Functional models of Keras 2 skip numbers, so the
 * first layer of a class has the lowest number, whichever it is. */
#include "sim/config/config_arena.h"
#include "sim/data/packed.h"
#include "sim/data/zip_read.h"
#include "sim/import/hdf5_read.h"
#include "sim/import/keras.h"
#include "sim/import/keras_files.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the archive ---- */

static const struct zip_kind KERAS = {
    .not_it = "no .keras file: no zip end record",
    .hint = "expected a file written by model.save(\"NAME.keras\")",
    .entries = "entries",
    .suffix = "",
    .no_suffix = "an entry has no name",
    .methods = "model.save() writes method 0",
    .most_entries = 1024,
    .most_name_chars = ZIP_NAME_CHARS - 1,
};

enum part_kind { CONFIG, WEIGHTS, METADATA, PART_COUNT };

static const char *const PARTS[PART_COUNT] = {"config.json", "model.weights.h5", "metadata.json"};

struct parts {
    uint8_t *bytes[PART_COUNT]; /* malloc'ed; NULL: absent */
    size_t size[PART_COUNT];
};

static void release_parts(struct parts *parts)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        free(parts->bytes[i]);
    }
}

/* Entries of other names, such as assets of layers, stay packed. */
static enum status take_entry(struct zip_archive *archive, struct zip_entry *entry,
                              struct parts *parts)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (strcmp(entry->name, PARTS[i]) != 0) {
            continue;
        }
        if (parts->bytes[i] != NULL) {
            return zip_refuse(archive, entry, entry->local_at, KERAS.hint,
                              "two entries of this name");
        }
        parts->size[i] = entry->unpacked_bytes;
        return zip_unpack(archive, entry, &parts->bytes[i]);
    }
    return STATUS_OK;
}

static enum status unpack(const struct keras_file *file, const uint8_t *bytes, size_t size,
                          struct parts *parts)
{
    struct zip_archive archive = {.kind = &KERAS,
                                  .path = file->model->path,
                                  .diagnostic = file->diagnostic,
                                  .file = bytes,
                                  .file_size = size,
                                  .left_bytes = MODEL_MOST_FILE_BYTES};
    TRY(zip_open(&archive));
    size_t at = archive.directory_at;
    for (unsigned i = 0; i < archive.count; i++) {
        struct zip_entry entry;
        TRY(zip_next(&archive, &entry, &at));
        TRY(take_entry(&archive, &entry, parts));
    }
    TRY(zip_finish(&archive, at));
    for (size_t i = 0; i < METADATA; i++) {
        if (parts->bytes[i] == NULL) {
            return keras_refuse(file, NULL, KERAS.hint, "the archive has no %s", PARTS[i]);
        }
    }
    return STATUS_OK;
}

/* ---- groups of weights ---- */

/* A class in the spelling of Keras' groups: MaxPooling2D is max_pooling2d, ReLU re_lu. */
static char *snake_case(const char *name)
{
    char *text = malloc(2 * strlen(name) + 1), *to = text;
    for (const char *at = name; text != NULL && *at != '\0'; at++) {
        const bool begins = at != name && isupper((unsigned char)at[0]) &&
                            (islower((unsigned char)at[1]) || islower((unsigned char)at[-1]));
        if (begins) {
            *to++ = '_';
        }
        *to++ = (char)tolower((unsigned char)*at);
    }
    if (text != NULL) {
        *to = '\0';
    }
    return text;
}

/* An array LAYERS/GROUP/vars/N; weights in other places are no layer's own. */
struct variable {
    const struct hdf5_array *array;
    const char *group; /* not ended */
    size_t group_chars;
    const char *name;
};

static bool split_path(const struct hdf5_array *array, struct variable *variable)
{
    static const char VARS[] = "/vars/";
    const char *group = strchr(array->path, '/');
    const char *vars = group == NULL ? NULL : strchr(group + 1, '/');
    if (vars == NULL || strncmp(vars, VARS, sizeof VARS - 1) != 0) {
        return false;
    }
    *variable = (struct variable){.array = array,
                                  .group = group + 1,
                                  .group_chars = (size_t)(vars - group - 1),
                                  .name = vars + sizeof VARS - 1};
    return strchr(variable->name, '/') == NULL;
}

/* The number of a group of this class, 0 for the first; -1: it is of another class. */
static long number_of(const struct variable *variable, const char *class_name)
{
    enum { MOST_DIGITS = 6 };
    const size_t length = strlen(class_name);
    if (variable->group_chars < length || strncmp(variable->group, class_name, length) != 0) {
        return -1;
    }
    const char *digits = variable->group + length + 1;
    const size_t count = variable->group_chars - length;
    if (count == 0) {
        return 0;
    }
    if (count < 2 || count > MOST_DIGITS + 1 || digits[-1] != '_' ||
        strspn(digits, "0123456789") != count - 1) {
        return -1;
    }
    return strtol(digits, NULL, 10);
}

struct sorting {
    const struct keras_file *file;
    struct hdf5_content content;
    struct keras_weight *weight;
    size_t count;
};

/* The lowest number of a class's groups above `last`; -1: none. */
static long next_number(const struct sorting *sorting, const char *class_name, long last)
{
    long next = -1;
    for (size_t i = 0; i < sorting->content.array_count; i++) {
        struct variable variable;
        const long number = split_path(&sorting->content.array[i], &variable)
                                ? number_of(&variable, class_name)
                                : -1;
        if (number > last && (next < 0 || number < next)) {
            next = number;
        }
    }
    return next;
}

/* Gives the arrays of a group to a layer. */
static void give(struct sorting *sorting, const char *class_name, long number, const char *layer)
{
    for (size_t i = 0; i < sorting->content.array_count; i++) {
        const struct hdf5_array *array = &sorting->content.array[i];
        struct variable variable;
        if (split_path(array, &variable) && number_of(&variable, class_name) == number) {
            struct keras_weight *weight = &sorting->weight[sorting->count++];
            *weight = (struct keras_weight){.layer = layer,
                                            .name = variable.name,
                                            .rank = array->rank,
                                            .count = array->count,
                                            .value = array->value};
            memcpy(weight->shape, array->shape, sizeof weight->shape);
        }
    }
}

/* The layers of one class, from the first on. */
static enum status sort_class(struct sorting *sorting, const struct keras_chain *chain,
                              size_t first)
{
    const char *name = chain->layer[first].class_name;
    FREED char *class_name = snake_case(name);
    long number = -1;
    if (class_name == NULL) {
        return no_memory(sorting->file->diagnostic);
    }
    for (size_t i = first; i < chain->count; i++) {
        if (strcmp(chain->layer[i].class_name, name) != 0) {
            continue;
        }
        number = next_number(sorting, class_name, number);
        if (number < 0) {
            return STATUS_OK; /* these layers have no weights, or keras_build() misses them */
        }
        give(sorting, class_name, number, chain->layer[i].name);
    }
    return next_number(sorting, class_name, number) < 0
               ? STATUS_OK
               : keras_refuse(
                     sorting->file, &chain->layer[first], "save the whole model once more",
                     "the file has weights of more layers of this class than it describes");
}

static enum status sort_weights(struct sorting *sorting)
{
    FREED struct keras_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) {
        return no_memory(sorting->file->diagnostic);
    }
    TRY(keras_chain_read(sorting->file, chain));
    for (size_t i = 0; i < chain->count; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i; j++) {
            is_first =
                is_first && strcmp(chain->layer[j].class_name, chain->layer[i].class_name) != 0;
        }
        if (is_first) {
            TRY(sort_class(sorting, chain, i));
        }
    }
    return STATUS_OK;
}

/* ---- */

static enum status build(struct keras_file *file, const struct parts *parts)
{
    static const char *const ATTRIBUTES[] = {NULL};
    static const char *const GROUPS[] = {"layers", "_layer_checkpoint_dependencies", NULL};
    const struct hdf5_wanted wanted = {ATTRIBUTES, GROUPS};
    struct sorting sorting = {.file = file};
    TRY(hdf5_read(file->model, parts->bytes[WEIGHTS], parts->size[WEIGHTS], &wanted,
                  &sorting.content, file->diagnostic));
    sorting.weight = config_arena_take(file->model->arena,
                                       (sorting.content.array_count + 1) * sizeof *sorting.weight);
    TRY(sort_weights(&sorting));
    file->weight = sorting.weight;
    file->weight_count = sorting.count;
    return keras_build(file);
}

static void name_format(struct model *model, const struct parts *parts)
{
    json_error_t error;
    KERAS_JSON json_t *metadata =
        parts->bytes[METADATA] == NULL
            ? NULL
            : json_loadb((const char *)parts->bytes[METADATA], parts->size[METADATA], 0, &error);
    const char *version = keras_text(metadata, "keras_version");
    version = version == NULL ? NULL : model_text(model, version, strlen(version));
    model->format = version == NULL
                        ? "Keras (.keras)"
                        : config_arena_print(model->arena, "Keras %s (.keras)", version);
}

enum status keras_archive_read(struct model *model, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic)
{
    RELEASED(release_parts) struct parts parts = {.bytes = {NULL}};
    struct keras_file file = {.model = model, .diagnostic = diagnostic};
    TRY(unpack(&file, bytes, size, &parts));
    name_format(model, &parts);
    KERAS_JSON json_t *topology =
        keras_parse(model, PARTS[CONFIG], parts.bytes[CONFIG], parts.size[CONFIG], diagnostic);
    if (topology == NULL) {
        return STATUS_CONFIGURATION;
    }
    file.topology = topology;
    return build(&file, &parts);
}

/* keras_graph.c - which layer feeds which (keras.h).  A Sequential model lists its layers in order;
 * a Functional one says for each layer what it is called with, in the form of Keras 2 (lists) or of
 * Keras 3 (`__keras_tensor__` objects). */
#include "sim/file.h"
#include "sim/import/keras.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <string.h>

static const char CHAIN_HINT[] = "networks are chains here: one input, one output, each layer is "
                                 "called once, with the output of one other";
static const char DAMAGED_HINT[] = "the file is damaged, or of a version of Keras not known here";

/* A text of the file, copied; NULL if it is none, or cannot be shown. */
static const char *copy_text(const struct keras_file *file, const json_t *json)
{
    const char *text = json_string_value(json);
    return text == NULL || text[0] == '\0' ? NULL : model_text(file->model, text, strlen(text));
}

static bool is_input(const struct keras_layer *layer)
{
    return strcmp(layer->class_name, "InputLayer") == 0;
}

static const struct keras_layer *find(const struct keras_chain *all, const char *name)
{
    for (size_t i = 0; name != NULL && i < all->count; i++) {
        if (strcmp(all->layer[i].name, name) == 0) {
            return &all->layer[i];
        }
    }
    return NULL;
}

static enum status read_layer(const struct keras_file *file, const json_t *json,
                              struct keras_chain *all)
{
    const json_t *config = json_object_get(json, "config");
    const json_t *name = json_object_get(config, "name");
    const struct keras_layer layer = {
        .name = copy_text(file, name != NULL ? name : json_object_get(json, "name")),
        .class_name = copy_text(file, json_object_get(json, "class_name")),
        .json = json,
        .config = config};
    if (!json_is_object(config) || layer.name == NULL || layer.class_name == NULL) {
        return keras_refuse(file, NULL, DAMAGED_HINT,
                            "layer %zu of the model's description has no name, class or config",
                            all->count + 1);
    }
    if (find(all, layer.name) != NULL) {
        return keras_refuse(file, &layer, DAMAGED_HINT, "two layers have this name");
    }
    all->layer[all->count++] = layer;
    return STATUS_OK;
}

static enum status read_layers(const struct keras_file *file, const json_t *layers,
                               struct keras_chain *all)
{
    const size_t count = json_array_size(layers);
    if (count == 0 || count > KERAS_MOST_LAYERS) {
        return keras_refuse(file, NULL, DAMAGED_HINT,
                            "the model's description has %zu layers, 1 to %d can be read", count,
                            KERAS_MOST_LAYERS);
    }
    for (size_t i = 0; i < count; i++) {
        TRY(read_layer(file, json_array_get(layers, i), all));
    }
    return STATUS_OK;
}

/* ---- Functional ---- */

/* The layer of the only one of `input_layers` or `output_layers`: ["name", 0, 0] or a list of one.
 */
static enum status find_end(const struct keras_file *file, const struct keras_chain *all,
                            const char *key, const struct keras_layer **layer)
{
    const json_t *ends = json_object_get(json_object_get(file->topology, "config"), key);
    const json_t *first = json_array_get(ends, 0);
    if (json_is_array(first) && json_array_size(ends) != 1) {
        return keras_refuse(file, NULL, CHAIN_HINT, "the model has %zu %s, one can be read",
                            json_array_size(ends), key);
    }
    const json_t *name = json_is_array(first) ? json_array_get(first, 0) : first;
    *layer = find(all, json_string_value(name));
    return *layer != NULL ? STATUS_OK
                          : keras_refuse(file, NULL, DAMAGED_HINT,
                                         "%s of the model's description names no layer", key);
}

/* The name of what a call's first argument comes from; *count: how many arguments there are. */
static const json_t *caller_of(const json_t *call, size_t *count)
{
    if (json_is_object(call)) {
        const json_t *argument = json_array_get(json_object_get(call, "args"), 0);
        *count = json_is_array(argument) ? json_array_size(argument) : 1;
        argument = json_is_array(argument) ? json_array_get(argument, 0) : argument;
        const json_t *config = json_object_get(argument, "config");
        return json_array_get(json_object_get(config, "keras_history"), 0);
    }
    const json_t *first = json_array_get(call, 0);
    *count = json_is_array(first) ? json_array_size(call) : 1;
    return json_is_array(first) ? json_array_get(first, 0) : first;
}

static enum status find_feeder(const struct keras_file *file, const struct keras_chain *all,
                               const struct keras_layer *layer, const struct keras_layer **feeder)
{
    const json_t *calls = json_object_get(layer->json, "inbound_nodes");
    size_t arguments = 0;
    if (json_array_size(calls) != 1) {
        return keras_refuse(file, layer, CHAIN_HINT, "is called %zu times", json_array_size(calls));
    }
    const json_t *name = caller_of(json_array_get(calls, 0), &arguments);
    if (arguments != 1) {
        return keras_refuse(file, layer, CHAIN_HINT, "joins %zu values", arguments);
    }
    *feeder = find(all, json_string_value(name));
    return *feeder != NULL
               ? STATUS_OK
               : keras_refuse(file, layer, DAMAGED_HINT, "is called with no known layer's output");
}

/* From the output back to the input. */
static enum status follow(const struct keras_file *file, const struct keras_chain *all,
                          struct keras_chain *chain)
{
    const struct keras_layer *input, *layer;
    TRY(find_end(file, all, "input_layers", &input));
    TRY(find_end(file, all, "output_layers", &layer));
    size_t at = all->count;
    chain->layer[--at] = *layer;
    while (!is_input(layer)) {
        const struct keras_layer *feeder;
        TRY(find_feeder(file, all, layer, &feeder));
        if (at == 0) {
            return keras_refuse(file, layer, DAMAGED_HINT, "feeds itself");
        }
        layer = feeder;
        chain->layer[--at] = *layer;
    }
    chain->count = all->count;
    return at == 0 && layer == input
               ? STATUS_OK
               : keras_refuse(file, NULL, CHAIN_HINT,
                              "%zu layers are not on the way from the input to the output", at);
}

/* ---- */

enum status keras_chain_read(const struct keras_file *file, struct keras_chain *chain)
{
    const json_t *config = json_object_get(file->topology, "config");
    const char *class_name = copy_text(file, json_object_get(file->topology, "class_name"));
    if (class_name == NULL || config == NULL) {
        return keras_refuse(file, NULL, DAMAGED_HINT,
                            "the model's description has no class_name or no config");
    }
    /* Keras before 2.2.3 has the list of layers in place of `config`. */
    const json_t *layers = json_is_array(config) ? config : json_object_get(config, "layers");
    *chain = (struct keras_chain){.count = 0};
    if (strcmp(class_name, "Sequential") == 0) {
        return read_layers(file, layers, chain);
    }
    if (strcmp(class_name, "Functional") != 0 && strcmp(class_name, "Model") != 0) {
        return keras_refuse(file, NULL,
                            "Sequential and Functional models can be read; a model of a class of "
                            "one's own does not describe its layers",
                            "the model is of the class %s", class_name);
    }
    FREED struct keras_chain *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return no_memory(file->diagnostic);
    }
    TRY(read_layers(file, layers, all));
    return follow(file, all, chain);
}

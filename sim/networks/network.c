/* network.c - see network.h. */
#include "sim/networks/network.h"

#include "sim/config/config_load.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/file.h"
#include "sim/networks/links.h"
#include "workloads/nn/number.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_MAPS = 4096,
    LARGEST_KERNEL = 64,
    LARGEST_SIDE = 1024,
    MOST_VALUES = 1 << 24, /* of an image or a layer's output: their bytes fit 32 bits */
    MOST_FRACTION = 15
};

static const char INPUT_NAME[] = "input";

/* ---- reading ---- */

struct reader {
    struct network *network;
    const struct config_node *node[NETWORK_LAYERS]; /* of each layer, in the order of the file */
    const char *from[NETWORK_LAYERS];               /* name of the feeder; NULL: the one before */
    struct diagnostic *diagnostic;
};

static enum status read_count(const struct reader *reader, const struct config_node *map,
                              const char *name, uint64_t minimum, uint64_t maximum, bool required,
                              uint32_t *value)
{
    const struct config_node *node = config_node_given(map, name);
    if (node == NULL) {
        if (!required) {
            return STATUS_OK;
        }
        const enum status status =
            config_refuse_value(reader->diagnostic, map, "%s is missing", name);
        diagnostic_hint(reader->diagnostic, "give %s, %llu to %llu", name,
                        (unsigned long long)minimum, (unsigned long long)maximum);
        return status;
    }
    uint64_t number;
    const enum status status =
        config_whole_read(node, UNITS_COUNT, minimum, maximum, &number, reader->diagnostic);
    if (status == STATUS_OK) {
        *value = (uint32_t)number;
    }
    return status;
}

/* A text that must be one of a NULL-ended list: its index. */
static enum status read_choice(const struct reader *reader, const struct config_node *map,
                               const char *name, const char *const *choices, int default_index,
                               int *index)
{
    const struct config_node *node = config_node_given(map, name);
    *index = default_index;
    if (node == NULL && default_index >= 0) {
        return STATUS_OK;
    }
    if (node == NULL) {
        return config_refuse_value(reader->diagnostic, map, "%s is missing", name);
    }
    const char *text = config_text_read(node, reader->diagnostic);
    if (text == NULL) {
        return STATUS_CONFIGURATION;
    }
    char all[DIAGNOSTIC_TEXT_CHARS] = "";
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *index = i;
            return STATUS_OK;
        }
        const size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, "%s%s", used == 0 ? "" : ", ", choices[i]);
    }
    const enum status status =
        config_refuse_value(reader->diagnostic, node, "%s is no %s", config_show(node).text, name);
    diagnostic_hint(reader->diagnostic, "one of: %s", all);
    return status;
}

static enum status check_keys(const struct reader *reader, const struct config_node *map,
                              const char *const *names)
{
    const enum status status = config_expect(map, CONFIG_MAP, reader->diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    for (const struct config_node *child = map->first; child != NULL; child = child->next) {
        bool known = false;
        for (size_t i = 0; names[i] != NULL; i++) {
            known = known || strcmp(child->name, names[i]) == 0;
        }
        if (!known) {
            return config_refuse_unknown(child, names, reader->diagnostic);
        }
    }
    return STATUS_OK;
}

static enum status read_name(const struct reader *reader, const struct config_node *map,
                             const char *key, const char **name)
{
    const struct config_node *node = config_node_given(map, key);
    if (node == NULL) {
        return config_refuse_value(reader->diagnostic, map, "%s is missing", key);
    }
    *name = config_text_read(node, reader->diagnostic);
    if (*name == NULL) {
        return STATUS_CONFIGURATION;
    }
    if (!config_is_name(*name) || strlen(*name) > 15) {
        const enum status status =
            config_refuse_value(reader->diagnostic, node, "%s is no name", config_show(node).text);
        diagnostic_hint(reader->diagnostic, "up to 15 characters of a-z, 0-9, _ and -");
        return status;
    }
    return STATUS_OK;
}

static enum status read_input(const struct reader *reader, const struct config_node *root)
{
    static const char *const KEYS[] = {"channels", "height", "width", NULL};
    struct network_shape *input = &reader->network->input;
    const struct config_node *map = config_node_given(root, INPUT_NAME);
    if (map == NULL) {
        const enum status status =
            config_refuse_value(reader->diagnostic, root, "the network has no input");
        diagnostic_hint(reader->diagnostic, "input: {channels: 1, height: 28, width: 28}");
        return status;
    }
    enum status status = check_keys(reader, map, KEYS);
    if (status == STATUS_OK) {
        status = read_count(reader, map, "channels", 1, MOST_MAPS, true, &input->channels);
    }
    if (status == STATUS_OK) {
        status = read_count(reader, map, "height", 1, LARGEST_SIDE, true, &input->height);
    }
    if (status == STATUS_OK) {
        status = read_count(reader, map, "width", 1, LARGEST_SIDE, true, &input->width);
    }
    return status;
}

static enum status read_formats(const struct reader *reader, const struct config_node *root)
{
    static const char *const KEYS[] = {"weight_fraction", "activation_fraction", "input_shift",
                                       NULL};
    struct network *network = reader->network;
    network->weight_fraction = 13; /* see workloads/nn/README.md */
    network->activation_fraction = 11;
    network->input_shift = 3;
    const struct config_node *map = config_node_given(root, "formats");
    if (map == NULL) {
        return STATUS_OK;
    }
    enum status status = check_keys(reader, map, KEYS);
    if (status == STATUS_OK) {
        status =
            read_count(reader, map, KEYS[0], 8, MOST_FRACTION, false, &network->weight_fraction);
    }
    if (status == STATUS_OK) {
        status = read_count(reader, map, KEYS[1], 8, MOST_FRACTION, false,
                            &network->activation_fraction);
    }
    if (status == STATUS_OK) {
        status = read_count(reader, map, KEYS[2], 0, 7, false, &network->input_shift);
    }
    return status;
}

static enum status read_weights(const struct reader *reader, const struct config_node *root)
{
    static const char *const KEYS[] = {"mnist", "synthetic", NULL};
    const struct config_node *map = config_node_given(root, "weights");
    if (map == NULL) {
        return STATUS_OK;
    }
    const enum status status = check_keys(reader, map, KEYS);
    if (status != STATUS_OK) {
        return status;
    }
    const char **fields[] = {&reader->network->weights_mnist, &reader->network->weights_synthetic};
    for (size_t i = 0; i < 2; i++) {
        const struct config_node *node = config_node_given(map, KEYS[i]);
        if (node != NULL && (*fields[i] = config_text_read(node, reader->diagnostic)) == NULL) {
            return STATUS_CONFIGURATION;
        }
    }
    return STATUS_OK;
}

/* ---- layers ---- */

static const char *const TYPES[] = {"conv2d",      "max_pool2d", "average_pool2d",
                                    "subsample2d", "dense",      NULL};
static const char *const ACTIVATIONS[] = {"identity", "relu", "tanh", "sigmoid", "softmax", NULL};

static enum status read_dropout(const struct reader *reader, const struct config_node *map,
                                struct network_layer *layer)
{
    static const double MOST = 0.49; /* so that the rest is not doubled */
    const struct config_node *node = config_node_given(map, "dropout");
    if (node == NULL) {
        return STATUS_OK;
    }
    if (layer->activation == NETWORK_SOFTMAX) {
        const enum status status =
            config_refuse_value(reader->diagnostic, node, "an output cannot be left out");
        diagnostic_hint(reader->diagnostic, "dropout belongs to hidden layers");
        return status;
    }
    if (layer->activation == NETWORK_TANH || layer->activation == NETWORK_SIGMOID) {
        const enum status status =
            config_refuse_value(reader->diagnostic, node, "dropout does not go with %s",
                                ACTIVATIONS[layer->activation]);
        diagnostic_hint(reader->diagnostic, "the way back needs what was left out: use relu");
        return status;
    }
    return config_real_read(node, UNITS_COUNT, 0, MOST, &layer->dropout, reader->diagnostic);
}

/* A number, or `same`: as many outputs as inputs. */
static enum status read_padding(const struct reader *reader, const struct config_node *map,
                                struct network_layer *layer)
{
    const struct config_node *node = config_node_given(map, "padding");
    const char *text = node == NULL || node->shape != CONFIG_SCALAR ? NULL : node->text;
    if (text == NULL || strcmp(text, "same") != 0) {
        return read_count(reader, map, "padding", 0, layer->kernel - 1, false, &layer->padding);
    }
    if (layer->kernel % 2 == 0 || layer->stride != 1) {
        const enum status status = config_refuse_value(reader->diagnostic, node,
                                                       "same does not go with a window of %u "
                                                       "and a stride of %u",
                                                       layer->kernel, layer->stride);
        diagnostic_hint(reader->diagnostic, "an odd kernel and stride 1, or a number of zeros");
        return status;
    }
    layer->padding = layer->kernel / 2;
    return STATUS_OK;
}

static enum status read_sizes(const struct reader *reader, const struct config_node *node,
                              struct network_layer *layer)
{
    static const char *const CONV_KEYS[] = {"name",   "type",   "from",    "activation", "maps",
                                            "kernel", "stride", "padding", "links",      NULL};
    static const char *const POOL_KEYS[] = {"name", "type", "from", "size", "stride", NULL};
    static const char *const SUBSAMPLE_KEYS[] = {"name", "type",   "from", "activation",
                                                 "size", "stride", NULL};
    static const char *const DENSE_KEYS[] = {"name",  "type",    "from", "activation",
                                             "units", "dropout", NULL};
    enum status status;
    layer->stride = 1;
    switch (layer->type) {
    case NETWORK_CONV2D:
        status = check_keys(reader, node, CONV_KEYS);
        if (status == STATUS_OK) {
            status = read_count(reader, node, "maps", 1, MOST_MAPS, true, &layer->outputs);
        }
        if (status == STATUS_OK) {
            status = read_count(reader, node, "kernel", 1, LARGEST_KERNEL, true, &layer->kernel);
        }
        break;
    case NETWORK_MAX_POOL2D:
    case NETWORK_AVERAGE_POOL2D:
    case NETWORK_SUBSAMPLE2D:
        status = check_keys(reader, node,
                            layer->type == NETWORK_SUBSAMPLE2D ? SUBSAMPLE_KEYS : POOL_KEYS);
        if (status == STATUS_OK) {
            status = read_count(reader, node, "size", 1, LARGEST_KERNEL, true, &layer->kernel);
        }
        layer->stride = layer->kernel;
        break;
    case NETWORK_DENSE:
    default:
        status = check_keys(reader, node, DENSE_KEYS);
        if (status == STATUS_OK) {
            status = read_count(reader, node, "units", 1, MOST_MAPS, true, &layer->outputs);
        }
        return status == STATUS_OK ? read_dropout(reader, node, layer) : status;
    }
    if (status == STATUS_OK) {
        status = read_count(reader, node, "stride", 1, LARGEST_KERNEL, false, &layer->stride);
    }
    if (status == STATUS_OK && layer->type == NETWORK_CONV2D) {
        status = read_padding(reader, node, layer);
    }
    if (status == STATUS_OK && layer->type == NETWORK_CONV2D) {
        status = links_read(node, reader->network->arena, layer, reader->diagnostic);
    }
    return status;
}

static enum status read_layer(struct reader *reader, const struct config_node *node)
{
    struct network *network = reader->network;
    enum status status = config_expect(node, CONFIG_MAP, reader->diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    if (network->layer_count == NETWORK_LAYERS) {
        return config_refuse_value(reader->diagnostic, node, "more than %d layers", NETWORK_LAYERS);
    }
    struct network_layer *layer = &network->layer[network->layer_count];
    *layer = (struct network_layer){.line = node->place.line, .column = node->place.column};
    reader->node[network->layer_count] = node;
    int type = 0;
    int activation = 0;
    status = read_name(reader, node, "name", &layer->name);
    if (status == STATUS_OK) {
        status = read_choice(reader, node, "type", TYPES, -1, &type);
    }
    if (status == STATUS_OK) {
        status =
            read_choice(reader, node, "activation", ACTIVATIONS, NETWORK_IDENTITY, &activation);
    }
    layer->type = (enum network_layer_type)type;
    layer->activation = (enum network_activation)activation;
    if (status == STATUS_OK) {
        status = read_sizes(reader, node, layer);
    }
    const struct config_node *from = config_node_given(node, "from");
    if (status == STATUS_OK && from != NULL) {
        reader->from[network->layer_count] = config_text_read(from, reader->diagnostic);
        status = reader->from[network->layer_count] == NULL ? STATUS_CONFIGURATION : STATUS_OK;
    }
    network->layer_count++;
    return status;
}

/* ---- the graph ---- */

static enum status refuse_layer(const struct reader *reader, size_t index, const char *what,
                                const char *which, const char *hint)
{
    const enum status status =
        config_refuse_value(reader->diagnostic, reader->node[index], "layer %s: %s%s%s",
                            reader->network->layer[index].name, what, which == NULL ? "" : " ",
                            which == NULL ? "" : which);
    diagnostic_hint(reader->diagnostic, "%s", hint);
    return status;
}

static int find_layer(const struct network *network, const char *name)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        if (strcmp(network->layer[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -2;
}

static enum status connect(const struct reader *reader)
{
    struct network *network = reader->network;
    for (size_t i = 0; i < network->layer_count; i++) {
        struct network_layer *layer = &network->layer[i];
        if (find_layer(network, layer->name) != (int)i || strcmp(layer->name, INPUT_NAME) == 0) {
            return refuse_layer(reader, i, "the name is taken", NULL,
                                "layers need names of their own");
        }
        const char *from = reader->from[i];
        if (from == NULL) {
            layer->from = (int)i - 1;
        } else if (strcmp(from, INPUT_NAME) == 0) {
            layer->from = NETWORK_INPUT;
        } else {
            layer->from = find_layer(network, from);
            if (layer->from < 0) {
                return refuse_layer(reader, i, "there is no layer", from,
                                    "from names a layer of this file, or input");
            }
        }
    }
    return STATUS_OK;
}

/* The first layer, in the order of the file, of the cycle that feeds layer `index`. */
static size_t find_cycle(const struct network *network, size_t index)
{
    for (size_t i = 0; i < network->layer_count; i++) { /* far enough to be in it */
        index = (size_t)network->layer[index].from;
    }
    size_t first = index;
    for (size_t at = (size_t)network->layer[index].from; at != index;
         at = (size_t)network->layer[at].from) {
        first = at < first ? at : first;
    }
    return first;
}

/* Layers in an order in which feeders come first. */
static enum status sort_layers(const struct reader *reader)
{
    struct network *network = reader->network;
    struct network_layer sorted[NETWORK_LAYERS];
    int position[NETWORK_LAYERS];
    size_t count = 0;
    memset(position, -1, sizeof position);
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < network->layer_count; i++) {
            const int from = network->layer[i].from;
            const bool fed = from == NETWORK_INPUT || position[from] >= 0;
            if (position[i] < 0 && fed) {
                sorted[count] = network->layer[i];
                sorted[count].from = from == NETWORK_INPUT ? from : position[from];
                position[i] = (int)count++;
                moved = true;
            }
        }
    }
    for (size_t i = 0; i < network->layer_count; i++) {
        if (position[i] < 0) {
            const size_t in_cycle = find_cycle(network, i);
            return refuse_layer(reader, in_cycle, "feeds itself: a cycle through",
                                network->layer[network->layer[in_cycle].from].name,
                                "a network is executed once from its input to its output");
        }
    }
    memcpy(network->layer, sorted, count * sizeof *sorted);
    return STATUS_OK;
}

static enum status refuse_shape(const struct network *network, const struct network_layer *layer,
                                struct diagnostic *diagnostic)
{
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION,
                 "layer %s: a window of %u x %u does not fit its input of %u x %u", layer->name,
                 layer->kernel, layer->kernel, layer->input.height, layer->input.width);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    diagnostic_key(diagnostic, layer->name);
    diagnostic_hint(diagnostic, "its input has %u maps of %u x %u values", layer->input.channels,
                    layer->input.height, layer->input.width);
    return status;
}

static bool too_many_values(struct network_shape shape)
{
    return (uint64_t)shape.channels * shape.height * shape.width > MOST_VALUES;
}

static enum status refuse_size(const struct network *network, const struct network_layer *layer,
                               const char *what, struct network_shape shape,
                               struct diagnostic *diagnostic)
{
    const enum status status = diagnose(
        diagnostic, STATUS_CONFIGURATION, "layer %s: its %s of %u maps of %u x %u is too large",
        layer->name, what, shape.channels, shape.height, shape.width);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    diagnostic_key(diagnostic, layer->name);
    diagnostic_hint(diagnostic, "at most %d values", MOST_VALUES);
    return status;
}

static enum status infer_shapes(struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        struct network_layer *layer = &network->layer[i];
        layer->input =
            layer->from == NETWORK_INPUT ? network->input : network->layer[layer->from].output;
        if (too_many_values(layer->input)) {
            return refuse_size(network, layer, "input", layer->input, diagnostic);
        }
        if (layer->type == NETWORK_DENSE) {
            layer->output = (struct network_shape){layer->outputs, 1, 1};
            continue;
        }
        const uint32_t height = layer->input.height + 2 * layer->padding;
        const uint32_t width = layer->input.width + 2 * layer->padding;
        if (layer->kernel > height || layer->kernel > width) {
            return refuse_shape(network, layer, diagnostic);
        }
        const enum status status = layer->type == NETWORK_SUBSAMPLE2D
                                       ? links_one_to_one(network, layer, diagnostic)
                                       : links_check(network, layer, diagnostic);
        if (status != STATUS_OK) {
            return status;
        }
        if (layer->type != NETWORK_CONV2D) {
            layer->outputs = layer->input.channels;
        }
        layer->output =
            (struct network_shape){layer->outputs, (height - layer->kernel) / layer->stride + 1,
                                   (width - layer->kernel) / layer->stride + 1};
        if (too_many_values(layer->output)) {
            return refuse_size(network, layer, "output", layer->output, diagnostic);
        }
    }
    return STATUS_OK;
}

/* One layer, the last, is the output: a dense one with softmax; every other one feeds somebody. */
static enum status check_output(const struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        unsigned feeds = 0;
        for (size_t j = 0; j < network->layer_count; j++) {
            feeds += network->layer[j].from == (int)i;
        }
        const bool last = i + 1 == network->layer_count;
        const bool softmax = layer->activation == NETWORK_SOFTMAX;
        const char *wrong = NULL;
        if (last && (!softmax || layer->type != NETWORK_DENSE)) {
            wrong = "the last layer must be dense with activation: softmax";
        } else if (!last && softmax) {
            wrong = "softmax belongs to the last layer";
        } else if (!last && feeds != 1) {
            wrong =
                feeds == 0 ? "its output is used by nobody" : "its output is used more than once";
        }
        if (wrong != NULL) {
            const enum status status =
                diagnose(diagnostic, STATUS_CONFIGURATION, "layer %s: %s", layer->name, wrong);
            diagnostic_at(diagnostic, network->path, layer->line, layer->column);
            diagnostic_key(diagnostic, layer->name);
            diagnostic_hint(diagnostic, "networks of one branch from the input to one output are "
                                        "supported");
            return status;
        }
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status read_layers(struct reader *reader, const struct config_node *root)
{
    const struct config_node *list = config_node_given(root, "layers");
    if (list == NULL) {
        return config_refuse_value(reader->diagnostic, root, "the network has no layers");
    }
    enum status status = config_expect(list, CONFIG_LIST, reader->diagnostic);
    for (const struct config_node *node = list->first; node != NULL && status == STATUS_OK;
         node = node->next) {
        status = read_layer(reader, node);
    }
    if (status == STATUS_OK && reader->network->layer_count == 0) {
        status = config_refuse_value(reader->diagnostic, list, "the network has no layers");
    }
    return status;
}

static enum status read_network(struct reader *reader, const struct config_node *root)
{
    static const char *const KEYS[] = {"name",    "variant", INPUT_NAME, "formats",
                                       "weights", "layers",  NULL};
    struct network *network = reader->network;
    enum status status = check_keys(reader, root, KEYS);
    if (status == STATUS_OK) {
        status = read_name(reader, root, "name", &network->name);
    }
    if (status == STATUS_OK) {
        status = read_name(reader, root, "variant", &network->variant);
    }
    if (status == STATUS_OK) {
        status = read_input(reader, root);
    }
    if (status == STATUS_OK) {
        status = read_formats(reader, root);
    }
    if (status == STATUS_OK) {
        status = read_weights(reader, root);
    }
    if (status == STATUS_OK) {
        status = read_layers(reader, root);
    }
    if (status == STATUS_OK) {
        status = connect(reader);
    }
    if (status == STATUS_OK) {
        status = sort_layers(reader);
    }
    if (status == STATUS_OK) {
        status = infer_shapes(network, reader->diagnostic);
    }
    if (status == STATUS_OK) {
        status = check_output(network, reader->diagnostic);
    }
    return status;
}

enum status network_parse(const char *name, const char *text, size_t bytes, struct network *network,
                          struct diagnostic *diagnostic)
{
    *network = (struct network){0};
    network->arena = config_arena_create();
    const char *path =
        network->arena == NULL ? NULL : config_arena_text(network->arena, name, strlen(name));
    if (path == NULL) {
        network_deinit(network);
        return config_no_memory(diagnostic);
    }
    network->path = path;
    const struct config_node *root;
    enum status status = config_load_document(network->arena, path, text, bytes, &root, diagnostic);
    if (status == STATUS_OK) {
        struct reader reader = {.network = network, .diagnostic = diagnostic};
        status = read_network(&reader, root);
    }
    if (status != STATUS_OK) {
        network_deinit(network);
    }
    return status;
}

enum status network_load(const char *path, struct network *network, struct diagnostic *diagnostic)
{
    uint8_t *text;
    size_t bytes;
    *network = (struct network){0};
    enum status status = file_read(path, CONFIG_TEXT_BYTES, &text, &bytes, diagnostic);
    if (status == STATUS_OK) {
        status = network_parse(path, (const char *)text, bytes, network, diagnostic);
        free(text);
    }
    return status;
}

void network_use_s1615(struct network *network)
{
    network->numbers = NETWORK_S1615;
    network->input_shift += NN_S1615_FRACTION - network->activation_fraction;
    network->weight_fraction = NN_S1615_FRACTION;
    network->activation_fraction = NN_S1615_FRACTION;
}

void network_use_float32(struct network *network)
{
    network->numbers = NETWORK_FLOAT32;
    network->weight_fraction = 0;
}

void network_deinit(struct network *network)
{
    config_arena_destroy(network->arena);
    *network = (struct network){0};
}

/* ---- counting ---- */

static uint64_t links_of(const struct network_layer *layer)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < layer->outputs; m++) {
        count += layer->links == NULL ? layer->input.channels
                                      : (uint32_t)__builtin_popcount(layer->links[m]);
    }
    return count;
}

uint64_t network_layer_weights(const struct network_layer *layer)
{
    switch (layer->type) {
    case NETWORK_CONV2D:
        return links_of(layer) * layer->kernel * layer->kernel;
    case NETWORK_DENSE:
        return (uint64_t)layer->outputs * network_values(layer->input);
    case NETWORK_SUBSAMPLE2D:
        return layer->outputs;
    case NETWORK_MAX_POOL2D:
    case NETWORK_AVERAGE_POOL2D:
    default:
        return 0;
    }
}

uint64_t network_layer_macs(const struct network_layer *layer)
{
    const uint64_t places = (uint64_t)layer->output.height * layer->output.width;
    const uint64_t uses = layer->type == NETWORK_SUBSAMPLE2D ? layer->kernel * layer->kernel : 1;
    return network_layer_weights(layer) * uses * places;
}

uint64_t network_parameters(const struct network *network)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < network->layer_count; i++) {
        sum += network_layer_weights(&network->layer[i]) + network_layer_biases(&network->layer[i]);
    }
    return sum;
}

uint64_t network_macs(const struct network *network)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < network->layer_count; i++) {
        sum += network_layer_macs(&network->layer[i]);
    }
    return sum;
}

bool network_has_dropout(const struct network *network)
{
    bool has = false;
    for (size_t i = 0; i < network->layer_count; i++) {
        has = has || network->layer[i].dropout > 0;
    }
    return has;
}

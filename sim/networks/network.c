/* network.c - see network.h. */
#include "sim/networks/network.h"

#include "sim/config/config_load.h"
#include "sim/config/config_read.h"
#include "sim/file.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"
#include "workloads/nn/number.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_SIDE = 1024,
    MOST_VALUES =
        1 << 24, /* values of an image or a layer's output: their size in bytes fits 32 bits */
    LEAST_FRACTION = 8,
    MOST_FRACTION = 15,
    MOST_SHIFT = 7,
    MOST_PATH_CHARS = 4096
};

#define LEAST_LOGIT_FACTOR 1e-30 /* of any finite model */

static const char INPUT_NAME[] = "input";

/* A network as read from its file. */
struct reader {
    struct network network;
    const struct config_node *layers;
    const char *from[NETWORK_LAYERS]; /* name of the feeding layer; NULL: the previous layer */
    struct diagnostic *diagnostic;
};

/* ---- keys ---- */

#define VALUE(name_, kind_, member, standard, least, most)                                         \
    .name = (name_), .kind = (kind_), .whole = {standard, least, most},                            \
    CONFIG_FIELD(struct reader, network.member)

static const struct config_key INPUT_KEYS[] = {
    {VALUE("channels", KIND_COUNT, input.channels, 0, 1, LAYER_MOST_MAPS), .need = NEED_REQUIRED},
    {VALUE("height", KIND_COUNT, input.height, 0, 1, LARGEST_SIDE), .need = NEED_REQUIRED},
    {VALUE("width", KIND_COUNT, input.width, 0, 1, LARGEST_SIDE), .need = NEED_REQUIRED},
    LAYER_KEYS_END};

/* The defaults: workloads/nn/README.md. */
static const struct config_key FORMAT_KEYS[] = {
    {VALUE("weight_fraction", KIND_COUNT, weight_fraction, 13, LEAST_FRACTION, MOST_FRACTION)},
    {VALUE("activation_fraction", KIND_COUNT, activation_fraction, 11, LEAST_FRACTION,
           MOST_FRACTION)},
    {VALUE("input_shift", KIND_COUNT, input_shift, 3, 0, MOST_SHIFT)},
    {.name = "logit_factor",
     .kind = KIND_FRACTION,
     .real = {1, LEAST_LOGIT_FACTOR, 1},
     CONFIG_FIELD(struct reader, network.logit_factor)},
    LAYER_KEYS_END};

static const struct config_key WEIGHTS_KEYS[] = {
    {VALUE("mnist", KIND_TEXT, weights_mnist, 0, 1, MOST_PATH_CHARS)},
    {VALUE("synthetic", KIND_TEXT, weights_synthetic, 0, 1, MOST_PATH_CHARS)},
    LAYER_KEYS_END};

static const struct config_group INPUT = {.rows = INPUT_KEYS}, FORMATS = {.rows = FORMAT_KEYS},
                                 WEIGHTS = {.rows = WEIGHTS_KEYS};

static const struct config_key KEYS[] = {
    {VALUE("name", KIND_NAME, name, 0, 1, NETWORK_NAME_CHARS - 1), .need = NEED_REQUIRED},
    {VALUE("variant", KIND_NAME, variant, 0, 1, NETWORK_NAME_CHARS - 1), .need = NEED_REQUIRED},
    {.name = INPUT_NAME,
     .kind = KIND_MAP,
     .group = &INPUT,
     .need = NEED_REQUIRED,
     .help = "{channels: 1, height: 28, width: 28}"},
    {.name = "formats", .kind = KIND_MAP, .group = &FORMATS},
    {.name = "weights", .kind = KIND_MAP, .group = &WEIGHTS},
    {.name = "layers",
     .kind = KIND_NODE,
     .need = NEED_REQUIRED,
     .help = "a list, from the input to the output",
     CONFIG_FIELD(struct reader, layers)},
    LAYER_KEYS_END};

static enum status read_layer(struct reader *reader, const struct config_node *node)
{
    static const struct config_key TYPE = LAYER_TYPE;
    struct network *network = &reader->network;
    struct diagnostic *diagnostic = reader->diagnostic;
    struct layer_entry entry = {
        .node = node,
        .layer = {.stride = 1, .line = node->place.line, .column = node->place.column}};
    TRY(config_expect(node, CONFIG_MAP, diagnostic));
    if (network->layer_count == NETWORK_LAYERS) {
        return config_refuse_value(diagnostic, node, "more than %d layers", NETWORK_LAYERS);
    }
    TRY(config_table_read_key(node, &TYPE, &entry, network->arena, diagnostic));
    const struct layer_kind *kind = layer_kind_of(entry.layer.type);
    TRY(config_table_read(node, kind->keys, &entry, network->arena, diagnostic));
    if (kind->finish != NULL) {
        TRY(kind->finish(&entry, network->arena, diagnostic));
    }
    reader->from[network->layer_count] = entry.from;
    network->layer[network->layer_count++] = entry.layer;
    return STATUS_OK;
}

static enum status read_layers(struct reader *reader)
{
    TRY(config_expect(reader->layers, CONFIG_LIST, reader->diagnostic));
    if (reader->layers->count == 0) {
        return config_refuse_value(reader->diagnostic, reader->layers, "the network has no layers");
    }
    for (const struct config_node *node = reader->layers->first; node != NULL; node = node->next) {
        TRY(read_layer(reader, node));
    }
    return STATUS_OK;
}

/* ---- the graph ---- */

static int find_layer(const struct network *network, const char *name)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        if (strcmp(network->layer[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -2;
}

static enum status connect(struct reader *reader)
{
    struct network *network = &reader->network;
    for (size_t i = 0; i < network->layer_count; i++) {
        struct network_layer *layer = &network->layer[i];
        const char *from = reader->from[i];
        if (find_layer(network, layer->name) != (int)i || strcmp(layer->name, INPUT_NAME) == 0) {
            return layer_refuse(network, layer, "layers need names of their own",
                                reader->diagnostic, "the name is taken");
        }
        layer->from = from == NULL                    ? (int)i - 1
                      : strcmp(from, INPUT_NAME) == 0 ? NETWORK_INPUT
                                                      : find_layer(network, from);
        if (layer->from < NETWORK_INPUT) {
            return layer_refuse(network, layer, "from names a layer of this file, or input",
                                reader->diagnostic, "there is no layer %s", from);
        }
    }
    return STATUS_OK;
}

/* The first layer, in file order, of the cycle that feeds layer `index`. */
static size_t find_cycle(const struct network *network, size_t index)
{
    for (size_t i = 0; i < network->layer_count; i++) { /* enough steps to be inside the cycle */
        index = (size_t)network->layer[index].from;
    }
    size_t first = index;
    for (size_t at = (size_t)network->layer[index].from; at != index;
         at = (size_t)network->layer[at].from) {
        first = at < first ? at : first;
    }
    return first;
}

/* Sorts the layers so that feeding layers come first. */
static enum status sort_layers(struct reader *reader)
{
    struct network *network = &reader->network;
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
            return layer_refuse(network, &network->layer[in_cycle],
                                "a network is executed once from its input to its output",
                                reader->diagnostic, "feeds itself: a cycle through %s",
                                network->layer[network->layer[in_cycle].from].name);
        }
    }
    memcpy(network->layer, sorted, count * sizeof *sorted);
    return STATUS_OK;
}

static enum status refuse_size(const struct network *network, const struct network_layer *layer,
                               const char *what, struct network_shape shape,
                               struct diagnostic *diagnostic)
{
    const enum status status =
        layer_refuse(network, layer, NULL, diagnostic, "its %s of %u maps of %u x %u is too large",
                     what, shape.channels, shape.height, shape.width);
    diagnostic_hint(diagnostic, "at most %d values", MOST_VALUES);
    return status;
}

static bool too_many_values(struct network_shape shape)
{
    return (uint64_t)shape.channels * shape.height * shape.width > MOST_VALUES;
}

static enum status infer_shapes(struct reader *reader)
{
    struct network *network = &reader->network;
    for (size_t i = 0; i < network->layer_count; i++) {
        struct network_layer *layer = &network->layer[i];
        layer->input =
            layer->from == NETWORK_INPUT ? network->input : network->layer[layer->from].output;
        if (too_many_values(layer->input)) {
            return refuse_size(network, layer, "input", layer->input, reader->diagnostic);
        }
        TRY(layer_kind_of(layer->type)->shape(network, layer, reader->diagnostic));
        if (too_many_values(layer->output)) {
            return refuse_size(network, layer, "output", layer->output, reader->diagnostic);
        }
    }
    return STATUS_OK;
}

/* Checks that exactly one layer, the last, feeds no other: the output, a dense layer with softmax.
 */
static enum status check_output(struct reader *reader)
{
    const struct network *network = &reader->network;
    unsigned feeds[NETWORK_LAYERS] = {0};
    for (size_t i = 0; i < network->layer_count; i++) {
        if (network->layer[i].from != NETWORK_INPUT) {
            feeds[network->layer[i].from]++;
        }
    }
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const bool last = i + 1 == network->layer_count;
        const bool ends = activation_of(layer->activation)->ends;
        const char *wrong = NULL;
        const bool is_rbf = layer->type == NETWORK_RBF;
        if (last && !is_rbf && (!ends || layer->type != NETWORK_DENSE)) {
            wrong = "the last layer must be dense with activation: softmax, or rbf";
        } else if (!last && (ends || is_rbf)) {
            wrong = is_rbf ? "rbf is a last layer" : "softmax belongs to the last layer";
        } else if (!last && feeds[i] != 1) {
            wrong = feeds[i] == 0 ? "its output is used by nobody"
                                  : "its output is used more than once";
        }
        if (wrong != NULL) {
            return layer_refuse(network, layer,
                                "networks of one branch from the input to one output are supported",
                                reader->diagnostic, "%s", wrong);
        }
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status read_network(struct reader *reader, const char *text, size_t bytes)
{
    struct network *network = &reader->network;
    const struct config_node *root;
    TRY(config_load_document(network->arena, network->path, text, bytes, &root,
                             reader->diagnostic));
    TRY(config_table_read(root, KEYS, reader, network->arena, reader->diagnostic));
    TRY(read_layers(reader));
    TRY(connect(reader));
    TRY(sort_layers(reader));
    TRY(infer_shapes(reader));
    return check_output(reader);
}

enum status network_parse(const char *name, const char *text, size_t bytes, struct network *network,
                          struct diagnostic *diagnostic)
{
    struct reader reader = {.network.arena = config_arena_create(), .diagnostic = diagnostic};
    struct network *made = &reader.network;
    made->path = made->arena == NULL ? NULL : config_arena_text(made->arena, name, strlen(name));
    const enum status status =
        made->path == NULL ? no_memory(diagnostic) : read_network(&reader, text, bytes);
    if (status != STATUS_OK) {
        network_deinit(made);
    }
    *network = *made;
    return status;
}

enum status network_load(const char *path, struct network *network, struct diagnostic *diagnostic)
{
    uint8_t *text;
    size_t bytes;
    *network = (struct network){0};
    TRY(file_read(path, CONFIG_TEXT_BYTES, &text, &bytes, diagnostic));
    const enum status status = network_parse(path, (const char *)text, bytes, network, diagnostic);
    free(text);
    return status;
}

void network_use(struct network *network, enum network_numbers numbers)
{
    const uint32_t fraction = NUMBER_FORMAT[numbers].fraction;
    network->numbers = numbers;
    if (fraction > 0) {
        network->input_shift += fraction - network->activation_fraction;
        network->weight_fraction = fraction;
        network->activation_fraction = fraction;
    } else if (numbers == NETWORK_FLOAT32) {
        network->weight_fraction = 0;
    }
}

void network_deinit(struct network *network)
{
    config_arena_destroy(network->arena);
    *network = (struct network){0};
}

/* ---- counting ---- */

static uint64_t links_of(const struct network_layer *layer)
{
    uint64_t links = 0;
    for (uint32_t m = 0; m < layer->outputs; m++) {
        links += layer->links == NULL ? layer->input.channels
                                      : (uint32_t)__builtin_popcount(layer->links[m]);
    }
    return links;
}

uint64_t network_layer_weights(const struct network_layer *layer)
{
    return links_of(layer) * layer->link_weights;
}

uint64_t network_layer_macs(const struct network_layer *layer)
{
    return links_of(layer) * layer->link_products * layer->output.height * layer->output.width;
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

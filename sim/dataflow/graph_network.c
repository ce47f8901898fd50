/* graph_network.c - see graph_network.h. */
#include "sim/dataflow/graph_network.h"

#include "models/common/memory.h"
#include "sim/dataflow/graph_check.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_CHARS = 64, X = 0, W = 1, E = 0 };

struct maker {
    const struct dataflow_network_request *request;
    struct dataflow_graph *graph;
    uint32_t *feed; /* the nodes that give the next layer its input */
    uint32_t feeds;
    uint32_t label; /* the source's last word */
};

/* The nodes of a layer that the backward pass comes back to. */
struct layer {
    const struct network_layer *network;
    const struct nn_layer *row;
    uint32_t *from;          /* [inputs]: who gives its input */
    uint32_t *out;           /* [outputs]: who gives its output */
    uint32_t *weight, *read; /* [outputs], unrolled: the variable, and its Read */
    uint32_t *phase;         /* [outputs], machines: forward; backward is the next */
    uint32_t inputs, outputs;
};

/* ---- nodes ---- */

static uint32_t add(const struct maker *maker, struct dataflow_node node, const char *layer,
                    uint32_t number, const char *part)
{
    char name[NAME_CHARS];
    (void)snprintf(name, sizeof name, "%s_%u%s", layer, number, part);
    node.name = name;
    return dataflow_add_node(maker->graph, &node);
}

static uint32_t add_operation(const struct maker *maker, enum dataflow_action action,
                              struct dataflow_words parameters, const char *layer, uint32_t number,
                              const char *part)
{
    return add(maker,
               (struct dataflow_node){
                   .kind = DATAFLOW_OPERATION, .action = action, .parameters = parameters},
               layer, number, part);
}

static struct dataflow_words words_of(const struct maker *maker, const int32_t *word,
                                      uint32_t count)
{
    return dataflow_add_parameters(maker->graph, word, count);
}

/* Parameter number `at` of the block, from the byte offset `from`. */
static int32_t parameter(const struct maker *maker, uint32_t from, uint32_t at)
{
    const int16_t *block = maker->request->parameters;
    return block == NULL ? 0 : block[from / sizeof *block + at];
}

/* A neuron's weights and bias. */
static int32_t *weights_of(const struct maker *maker, const struct layer *layer, uint32_t neuron)
{
    int32_t *weight = malloc((layer->inputs + 1) * sizeof *weight);
    memory_need(weight);
    for (uint32_t i = 0; i < layer->inputs; i++) {
        weight[i] = parameter(maker, layer->row->weights, neuron * layer->inputs + i);
    }
    weight[layer->inputs] = parameter(maker, layer->row->biases, neuron);
    return weight;
}

static void connect_all(const struct maker *maker, const uint32_t *from, uint32_t count,
                        uint32_t to, uint8_t port)
{
    for (uint32_t i = 0; i < count; i++) {
        dataflow_connect(maker->graph, from[i], to, port);
    }
}

static int32_t shift_of(const struct nn_layer *row)
{
    return row->weight_fraction + row->input_fraction - row->output_fraction;
}

/* ---- forward ---- */

static uint32_t add_neuron(const struct maker *maker, const struct layer *layer, uint32_t number)
{
    const bool last = layer->row->is_last;
    FREED int32_t *weight = weights_of(maker, layer, number);
    const int32_t own[] = {weight[layer->inputs], layer->row->input_fraction, shift_of(layer->row)};
    struct dataflow_words words = words_of(maker, own, last ? 2 : 3);
    words.count += words_of(maker, weight, layer->inputs).count;
    const uint32_t node = add_operation(maker, last ? DATAFLOW_LAST_NEURON : DATAFLOW_NEURON, words,
                                        layer->network->name, number, "");
    connect_all(maker, layer->from, layer->inputs, node, X);
    return node;
}

static uint32_t add_unrolled(const struct maker *maker, struct layer *layer, uint32_t number)
{
    struct dataflow_graph *graph = maker->graph;
    const char *name = layer->network->name;
    FREED int32_t *weight = weights_of(maker, layer, number);
    const int32_t lift = layer->row->input_fraction, shift = shift_of(layer->row);
    const uint32_t variable =
        add(maker,
            (struct dataflow_node){.kind = DATAFLOW_VARIABLE,
                                   .state = dataflow_add_state(graph, weight, layer->inputs + 1)},
            name, number, "_w");
    const uint32_t read =
        add(maker, (struct dataflow_node){.kind = DATAFLOW_READ}, name, number, "_read");
    const uint32_t sum = add_operation(maker, DATAFLOW_WEIGHTED_SUM, words_of(maker, &lift, 1),
                                       name, number, "_sum");
    dataflow_connect(graph, variable, read, DATAFLOW_REFERENCE);
    connect_all(maker, layer->from, layer->inputs, sum, X);
    dataflow_connect(graph, read, sum, W);
    layer->weight[number] = variable;
    layer->read[number] = read;
    if (layer->row->is_last) {
        return sum;
    }
    const uint32_t out =
        add_operation(maker, DATAFLOW_RECTIFY, words_of(maker, &shift, 1), name, number, "");
    dataflow_connect(graph, sum, out, X);
    return out;
}

static uint32_t add_machine(const struct maker *maker, struct layer *layer, uint32_t number)
{
    char name[NAME_CHARS];
    FREED int32_t *weight = weights_of(maker, layer, number);
    const int32_t own[] = {layer->row->input_fraction, layer->row->weight_fraction,
                           (int32_t)maker->request->rate};
    (void)snprintf(name, sizeof name, "%s_%u", layer->network->name, number);
    const struct dataflow_machine machine = {
        .name = name,
        .row =
            layer->row->is_last ? DATAFLOW_MACHINE_OUTPUT_NEURON : DATAFLOW_MACHINE_HIDDEN_NEURON,
        .parameters = words_of(maker, own, sizeof own / sizeof *own),
        .weights = words_of(maker, weight, layer->inputs + 1)};
    const uint32_t made = dataflow_add_machine(maker->graph, &machine);
    layer->phase[number] = maker->graph->machine[made].first;
    connect_all(maker, layer->from, layer->inputs, layer->phase[number], X);
    return layer->phase[number];
}

static void add_layer(const struct maker *maker, struct layer *layer)
{
    for (uint32_t i = 0; i < layer->outputs; i++) {
        layer->out[i] = maker->request->form == DATAFLOW_FORWARD    ? add_neuron(maker, layer, i)
                        : maker->request->form == DATAFLOW_UNROLLED ? add_unrolled(maker, layer, i)
                                                                    : add_machine(maker, layer, i);
    }
}

/* ---- backward ---- */

/* The errors of the last layer: one word for each neuron. */
static uint32_t add_loss(const struct maker *maker, const struct layer *last)
{
    const int32_t own[] = {last->row->weight_fraction + last->row->input_fraction,
                           (int32_t)maker->request->error_fraction};
    const struct dataflow_node node = {.name = "loss",
                                       .kind = DATAFLOW_OPERATION,
                                       .action = DATAFLOW_SOFTMAX_ERROR,
                                       .parameters = words_of(maker, own, 2)};
    const uint32_t loss = dataflow_add_node(maker->graph, &node);
    connect_all(maker, last->out, last->outputs, loss, X);
    dataflow_connect_part(maker->graph, maker->graph->source, maker->label, 1, loss, 1);
    return loss;
}

/* A neuron's gradient and update, and what goes back through its weights; returns the node of the
 * latter, for which there is no use in the first layer. */
static uint32_t add_update(const struct maker *maker, const struct layer *layer, uint32_t number,
                           uint32_t error, uint32_t word, bool first)
{
    struct dataflow_graph *graph = maker->graph;
    const char *name = layer->network->name;
    const int32_t rate = (int32_t)maker->request->rate;
    const struct dataflow_words none = {0, 0};
    const uint32_t gradient =
        add_operation(maker, DATAFLOW_GRADIENT, none, name, number, "_gradient");
    dataflow_connect_part(graph, error, word, 1, gradient, E);
    connect_all(maker, layer->from, layer->inputs, gradient, 1);
    const uint32_t update = add(maker,
                                (struct dataflow_node){.kind = DATAFLOW_ASSIGN,
                                                       .action = DATAFLOW_DESCEND,
                                                       .parameters = words_of(maker, &rate, 1)},
                                name, number, "_update");
    dataflow_connect(graph, layer->weight[number], update, DATAFLOW_REFERENCE);
    dataflow_connect(graph, gradient, update, X);
    if (first) {
        return 0;
    }
    const uint32_t back = add_operation(maker, DATAFLOW_WEIGH_BACK, none, name, number, "_back");
    dataflow_connect_part(graph, error, word, 1, back, E);
    dataflow_connect(graph, layer->read[number], back, W);
    return back;
}

/* From the products that come back, a layer's error. */
static uint32_t add_error(const struct maker *maker, const struct layer *layer, uint32_t number,
                          const struct layer *next, const uint32_t *back)
{
    const int32_t shift = next->row->weight_fraction;
    const uint32_t error = add_operation(maker, DATAFLOW_GATHER_ERROR, words_of(maker, &shift, 1),
                                         layer->network->name, number, "_error");
    for (uint32_t k = 0; k < next->outputs; k++) {
        dataflow_connect_part(maker->graph, back[k], number, 1, error, 0);
    }
    dataflow_connect(maker->graph, layer->out[number], error, 1);
    return error;
}

static void go_back_unrolled(const struct maker *maker, const struct layer *layer, size_t layers,
                             uint32_t loss)
{
    uint32_t *back = NULL; /* of the layer behind */
    for (size_t l = layers; l-- > 0;) {
        uint32_t *own = calloc(layer[l].outputs, sizeof *own);
        memory_need(own);
        for (uint32_t i = 0; i < layer[l].outputs; i++) {
            const bool last = l + 1 == layers;
            const uint32_t error =
                last ? loss : add_error(maker, &layer[l], i, &layer[l + 1], back);
            own[i] = add_update(maker, &layer[l], i, error, last ? i : 0, l == 0);
        }
        free(back);
        back = own;
    }
    free(back);
}

static void go_back_in_machines(const struct maker *maker, const struct layer *layer, size_t layers,
                                uint32_t loss)
{
    for (size_t l = 0; l < layers; l++) {
        for (uint32_t i = 0; i < layer[l].outputs; i++) {
            const uint32_t backward = layer[l].phase[i] + 1;
            if (l + 1 == layers) {
                dataflow_connect_part(maker->graph, loss, i, 1, backward, E);
                continue;
            }
            for (uint32_t k = 0; k < layer[l + 1].outputs; k++) {
                dataflow_connect_part(maker->graph, layer[l + 1].phase[k] + 1, i, 1, backward, 0);
            }
        }
    }
}

/* ---- the whole ---- */

static enum status refuse(const struct network_layer *layer, const char *what,
                          const struct network *network, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "layer %s %s\va graph is made of dense layers with ReLU between them, and "
                   "softmax at the end",
                   layer->name, what);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    return STATUS_CONFIGURATION;
}

static enum status check_layers(const struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const bool last = i + 1 == network->layer_count;
        if (layer->type != NETWORK_DENSE) {
            return refuse(layer, "is not dense", network, diagnostic);
        }
        if (layer->from != (int)i - 1) {
            return refuse(layer, "is not fed by the one before", network, diagnostic);
        }
        if (layer->dropout > 0) {
            return refuse(layer, "has dropout", network, diagnostic);
        }
        if (!last && layer->activation != NETWORK_RELU) {
            return refuse(layer, "has no ReLU", network, diagnostic);
        }
    }
    return STATUS_OK;
}

static void add_input(const struct maker *maker, uint32_t pixels)
{
    const struct dataflow_network_request *request = maker->request;
    for (uint32_t n = 0; n < maker->graph->steps; n++) {
        for (uint32_t i = 0; i < pixels; i++) {
            const int32_t pixel = request->images == 0 ? 0 : request->pixels[n * pixels + i];
            const int32_t value = pixel << request->network->input_shift;
            dataflow_add_input(maker->graph, &value, 1);
        }
        if (request->form != DATAFLOW_FORWARD) {
            const int32_t label = request->images == 0 ? 0 : request->labels[n];
            dataflow_add_input(maker->graph, &label, 1);
        }
    }
}

/* The source, and a node for each pixel. */
static void add_pixels(struct maker *maker)
{
    const struct dataflow_network_request *request = maker->request;
    const uint32_t pixels = network_values(request->network->input);
    const bool learns = request->form != DATAFLOW_FORWARD;
    const struct dataflow_node source = {
        .name = "source", .kind = DATAFLOW_SOURCE, .words = pixels + (learns ? 1 : 0)};
    maker->graph->source = dataflow_add_node(maker->graph, &source);
    maker->graph->steps = request->images == 0 ? 1 : request->images;
    maker->label = pixels;
    maker->feed = calloc(pixels, sizeof *maker->feed);
    memory_need(maker->feed);
    maker->feeds = pixels;
    for (uint32_t i = 0; i < pixels; i++) {
        maker->feed[i] =
            add_operation(maker, DATAFLOW_COPY, (struct dataflow_words){0, 0}, "pixel", i, "");
        dataflow_connect_part(maker->graph, maker->graph->source, i, 1, maker->feed[i], X);
    }
    add_input(maker, pixels);
}

static void make_layer(const struct maker *maker, size_t number, const struct layer *before,
                       struct layer *layer)
{
    const struct dataflow_network_request *request = maker->request;
    *layer = (struct layer){.network = &request->network->layer[number],
                            .row = &request->table->layer[number],
                            .from = before == NULL ? maker->feed : before->out,
                            .inputs = before == NULL ? maker->feeds : before->outputs,
                            .outputs = request->network->layer[number].outputs};
    layer->out = calloc(layer->outputs, sizeof *layer->out);
    layer->weight = calloc(layer->outputs, sizeof *layer->weight);
    layer->read = calloc(layer->outputs, sizeof *layer->read);
    layer->phase = calloc(layer->outputs, sizeof *layer->phase);
    memory_need(layer->out);
    memory_need(layer->weight);
    memory_need(layer->read);
    memory_need(layer->phase);
    add_layer(maker, layer);
}

static void make(struct maker *maker)
{
    const struct dataflow_network_request *request = maker->request;
    const size_t layers = request->network->layer_count;
    struct layer layer[NETWORK_LAYERS];
    add_pixels(maker);
    for (size_t l = 0; l < layers; l++) {
        make_layer(maker, l, l == 0 ? NULL : &layer[l - 1], &layer[l]);
    }
    const struct layer *last = &layer[layers - 1];
    if (request->form != DATAFLOW_FORWARD) {
        const uint32_t loss = add_loss(maker, last);
        (request->form == DATAFLOW_UNROLLED ? go_back_unrolled : go_back_in_machines)(maker, layer,
                                                                                      layers, loss);
    }
    const struct dataflow_node sink = {.name = "sink", .kind = DATAFLOW_SINK};
    connect_all(maker, last->out, last->outputs, dataflow_add_node(maker->graph, &sink), X);
    for (size_t l = 0; l < layers; l++) {
        free(layer[l].out);
        free(layer[l].weight);
        free(layer[l].read);
        free(layer[l].phase);
    }
    free(maker->feed);
}

enum status dataflow_of_network(const struct dataflow_network_request *request,
                                struct dataflow_graph *graph, struct diagnostic *diagnostic)
{
    struct maker maker = {.request = request, .graph = graph};
    *graph = (struct dataflow_graph){.name = NULL};
    TRY(check_layers(request->network, diagnostic));
    TRY(dataflow_graph_init(graph, request->network->name, request->network->path, diagnostic));
    make(&maker);
    const enum status status = dataflow_check(graph, diagnostic);
    if (status != STATUS_OK) {
        dataflow_graph_deinit(graph);
    }
    return status;
}

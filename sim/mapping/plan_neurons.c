/* plan_neurons.c - see plan_neurons.h. */
#include "sim/mapping/plan_neurons.h"

#include "sim/mapping/plan_kinds.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 2, OUTPUT = 1, VALUE_BYTES = 2 /* in the network's table */ };

static enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- shape ---- */

static uint32_t hidden_of(const struct load_plan *plan)
{
    return plan->table->layer[0].output.channels;
}

static uint32_t neurons_of(const struct load_plan *plan)
{
    return hidden_of(plan) + plan->table->classes;
}

uint32_t plan_neurons_row_of(const struct load_plan *plan, size_t core)
{
    return core < hidden_of(plan) ? 0 : OUTPUT;
}

/* Of its layer. */
static uint32_t number_of(const struct load_plan *plan, size_t core)
{
    return (uint32_t)core - (core < hidden_of(plan) ? 0 : hidden_of(plan));
}

static bool fits(const struct nn_table *table)
{
    return table->layers == LAYERS && table->layer[0].kind == NN_DENSE &&
           table->layer[OUTPUT].kind == NN_DENSE && table->layer[0].activation == NN_RELU &&
           table->classes > 1;
}

static uint32_t shares(uint32_t count, size_t among)
{
    return (uint32_t)((count + among - 1) / among);
}

enum status plan_neurons_choose(struct load_plan *plan, const struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    const size_t given = config->mapping_cores_per_chip;
    if (!fits(plan->table)) {
        return config_refuse(
            config, "mapping.kind", "replica_per_chip trains other networks", diagnostic,
            "network %s is not two dense layers with ReLU between them", plan->network->name);
    }
    if (config->train_exchange != CONFIG_EXCHANGE_RINGS) {
        return config_refuse(config, "train.exchange", "leave it out", diagnostic,
                             "neurons have no gradients to exchange");
    }
    const uint32_t neurons = neurons_of(plan);
    const uint32_t each = shares(neurons, plan->chip_count);
    if (each > given) {
        return config_refuse(
            config, "mapping.chips",
            "every neuron takes a core: use more chips, or mapping.kind: neuron_blocks", diagnostic,
            "network %s has %u neurons, %zu chips have %zu cores: %zu short", plan->network->name,
            neurons, plan->chip_count, plan->core_count, neurons - plan->core_count);
    }
    if (nn_neuron_buffer_words(hidden_of(plan), plan->table->classes) > NN_NEURON_PLACES) {
        return config_refuse(config, "mapping.kind", "neuron_blocks trains larger networks",
                             diagnostic,
                             "network %s has %u neurons, keys have room for the values of %d",
                             plan->network->name, neurons, NN_NEURON_PLACES / 2);
    }
    for (size_t i = 0; i < neurons; i++) {
        plan->core[i] = plan->core[i / each * given + i % each];
    }
    plan->core_count = neurons;
    plan->chip_count = shares(neurons, each);
    plan->train->cores = each;
    plan->train->members = each;
    plan->train->pieces = neurons;
    return STATUS_OK;
}

size_t plan_neurons_logging_chips(const struct load_plan *plan)
{
    return shares(hidden_of(plan), plan->train->cores);
}

void plan_neurons_describe(const struct load_plan *plan, size_t core, char *text, size_t size)
{
    (void)snprintf(text, size, "%s neuron %u",
                   plan->table->layer[plan_neurons_row_of(plan, core)].name, number_of(plan, core));
}

/* ---- pieces ---- */

/* One row of the layer, then its bias; whole words. */
static enum status make_piece(const struct load_plan *plan, size_t core, struct train_piece *piece,
                              struct diagnostic *diagnostic)
{
    const struct nn_layer *whole = &plan->table->layer[plan_neurons_row_of(plan, core)];
    const uint32_t inputs = nn_values(whole->input);
    const uint32_t number = number_of(plan, core);
    const uint32_t bias = (inputs + 1) & ~1u;
    piece->count = (bias + TRAIN_PIECE_BLOCK) / TRAIN_PIECE_BLOCK * TRAIN_PIECE_BLOCK;
    piece->weights_end = bias;
    piece->table = malloc(plan->table->bytes);
    piece->origin = malloc(piece->count * sizeof *piece->origin);
    if (piece->table == NULL || piece->origin == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        piece->origin[i] =
            i < inputs ? whole->weights / VALUE_BYTES + number * inputs + i : TRAIN_PIECE_FILLER;
    }
    piece->origin[bias] = whole->biases / VALUE_BYTES + number;
    memcpy(piece->table, plan->table, plan->table->bytes);
    piece->table->layers = 1;
    piece->table->parameter_bytes = piece->count * VALUE_BYTES;
    piece->table->layer[0] = *whole;
    piece->table->layer[0].output.channels = 1;
    piece->table->layer[0].weights = 0;
    piece->table->layer[0].biases = bias * VALUE_BYTES;
    return STATUS_OK;
}

enum status plan_neurons_make_pieces(struct load_plan *plan, struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    enum status status = STATUS_OK;
    train->stages = 1;
    train->bounds = calloc(train->pieces + 1, sizeof *train->bounds);
    train->piece = calloc(train->pieces, sizeof *train->piece);
    if (train->bounds == NULL || train->piece == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < train->pieces && status == STATUS_OK; i++) {
        status = make_piece(plan, i, &train->piece[i], diagnostic);
    }
    return status;
}

/* ---- memory ---- */

void plan_neurons_place(struct load_plan *plan, uint32_t *next)
{
    for (uint32_t c = 0; c < plan->train->cores; c++) {
        plan->train->record[c].blocks = plan_take(next, sizeof(struct nn_neuron_plan));
    }
}

uint32_t plan_neurons_dtcm_bytes(const struct load_plan *plan)
{
    return nn_neuron_bytes(hidden_of(plan), plan->table->classes, plan->train->value_bytes);
}

enum status plan_neurons_write(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const size_t first = chip * train->cores;
    enum status status = STATUS_OK;
    for (size_t i = first; i < first + train->cores && i < plan->core_count && status == STATUS_OK;
         i++) {
        const uint32_t row = plan_neurons_row_of(plan, i);
        const struct nn_neuron_plan record = {
            .is_output = row == OUTPUT,
            .number = number_of(plan, i),
            .hidden = hidden_of(plan),
            .classes = plan->table->classes,
            .row = row,
            .error_shift = plan->table->layer[OUTPUT].weight_fraction,
            .logs = i == first && row != OUTPUT,
            .slot_cycles = train->slot_cycles,
        };
        status = machine_write(machine, plan->core[i].core, train->record[i].blocks, &record,
                               sizeof record);
    }
    return status;
}

enum status plan_neurons_read_results(const struct load_plan *plan, const struct machine *machine,
                                      struct nn_result *results)
{
    return machine_read(machine, plan->core[hidden_of(plan)].core, plan->run.results, results,
                        plan->images->count * (uint32_t)sizeof *results);
}

/* ---- routes ---- */

struct edges {
    struct routing_edge *edge;
    size_t count;
    struct machine_core *neuron; /* all of them */
    struct machine_core *target; /* the other output neurons of each */
    char (*name)[64];
};

static void add_edge(struct edges *edges, const struct load_plan *plan, size_t from,
                     const char *what, struct routing_edge edge)
{
    edge.name = edges->name[edges->count];
    edge.source = plan->core[from].core;
    edge.fixed = true;
    (void)snprintf(edges->name[edges->count], sizeof edges->name[0], "%s of %.16s neuron %u", what,
                   plan->table->layer[plan_neurons_row_of(plan, from)].name, number_of(plan, from));
    edges->edge[edges->count++] = edge;
}

static void add_hidden(struct edges *edges, const struct load_plan *plan, uint32_t number)
{
    const uint32_t place = nn_neuron_value_place(number, 0);
    add_edge(edges, plan, number, "values",
             (struct routing_edge){
                 .purpose = ROUTING_FORWARD,
                 .target = edges->neuron + hidden_of(plan),
                 .target_count = plan->table->classes,
                 .key = nn_neuron_key(NN_NEURON_VALUES, place, NN_NEURON_FOR_ALL),
                 .mask = NN_VALUES_MASK,
             });
}

static void add_output(struct edges *edges, const struct load_plan *plan, uint32_t number)
{
    const uint32_t hidden = hidden_of(plan);
    const uint32_t classes = plan->table->classes;
    const uint32_t place = nn_neuron_logit_place(hidden, number);
    struct machine_core *others = edges->target + (size_t)number * classes;
    size_t count = 0;
    for (uint32_t k = 0; k < classes; k++) {
        if (k != number) {
            others[count++] = edges->neuron[hidden + k];
        }
    }
    add_edge(edges, plan, hidden + number, "logit",
             (struct routing_edge){
                 .purpose = ROUTING_FORWARD,
                 .target = others,
                 .target_count = count,
                 .key = nn_neuron_key(NN_NEURON_LOGITS, place, NN_NEURON_FOR_ALL),
                 .mask = NN_LOGIT_MASK,
             });
    add_edge(edges, plan, hidden + number, "products",
             (struct routing_edge){
                 .purpose = ROUTING_ERROR,
                 .target = edges->neuron,
                 .target_count = hidden,
                 .key = nn_neuron_key(NN_NEURON_PRODUCTS, number, NN_NEURON_FOR_ALL),
                 .mask = NN_PRODUCTS_MASK,
             });
}

/* What a packet with a payload takes on the slowest link there is, and what else shall have room on
 * it; on one chip there is no link. */
static uint32_t slot_cycles_of(const struct load_plan *plan, const struct sim_config *config,
                               const struct topology *topology)
{
    enum { SYMBOLS = 11, PAYLOAD_SYMBOLS = 19 }; /* of a packet without and with a payload */
    uint64_t packet_ps = config->machine.link_packet_ps;
    for (size_t i = 0; i < topology->count; i++) {
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            packet_ps = topology->chip[i].between_boards[link]
                            ? config->machine.link_packet_between_boards_ps
                            : packet_ps;
        }
    }
    const double seconds = (double)packet_ps * PAYLOAD_SYMBOLS / SYMBOLS / 1e12;
    const double cycles = seconds / config->train_pace * (double)config->machine.clock_cpu_hz;
    return plan->chip_count == 1 ? 0 : (uint32_t)ceil(cycles);
}

enum status plan_neurons_make_routes(struct load_plan *plan, const struct sim_config *config,
                                     const struct topology *topology, struct diagnostic *diagnostic)
{
    const size_t hidden = hidden_of(plan);
    const size_t classes = plan->table->classes;
    const size_t most = hidden + 2 * classes;
    struct edges edges = {.edge = calloc(most, sizeof *edges.edge),
                          .neuron = calloc(hidden + classes, sizeof *edges.neuron),
                          .target = calloc(classes * classes, sizeof *edges.target),
                          .name = calloc(most, sizeof *edges.name)};
    enum status status = STATUS_OK;
    if (edges.edge == NULL || edges.neuron == NULL || edges.target == NULL || edges.name == NULL) {
        status = no_memory(diagnostic);
    } else {
        for (size_t i = 0; i < plan->core_count; i++) {
            edges.neuron[i] = plan->core[i].core;
        }
        for (uint32_t n = 0; n < hidden; n++) {
            add_hidden(&edges, plan, n);
        }
        for (uint32_t k = 0; k < classes; k++) {
            add_output(&edges, plan, k);
        }
        plan->train->slot_cycles = slot_cycles_of(plan, config, topology);
        status = routing_make(&plan->routing, topology, edges.edge, edges.count, diagnostic);
    }
    free(edges.edge);
    free(edges.neuron);
    free(edges.target);
    free(edges.name);
    return status;
}

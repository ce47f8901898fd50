/* plan_neurons.c - mapping neuron_per_core: each neuron of a network of two dense layers is a core
 * with its own row of weights: hidden neurons first, the same number on each chip; each chip has
 * all images (workloads/nn/neuron_plan.h). */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/mapping/rows.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/neuron_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MAPPING(NEURON_PER_CORE, TRAIN, MAPPING_NEURONS, "mapping.chips")
PROGRAM(neurons, MAPPING_NEURONS, RINGS, "int16 s16.15", "", "",
        "lenet/roles/train_neurons.c lenet/roles/train_core.c exchange/word_inbox.c "
        "exchange/word_packets.S")

enum { OUTPUT = 1, VALUE_BYTES = 2 /* in the network's table */ };

static uint32_t hidden_of(const struct load_plan *plan)
{
    return plan->table->layer[0].output.channels;
}

/* Layer of neuron `core`. */
static uint32_t row_of(const struct load_plan *plan, size_t core)
{
    return core < hidden_of(plan) ? 0 : OUTPUT;
}

/* Its number within its layer. */
static uint32_t number_of(const struct load_plan *plan, size_t core)
{
    return (uint32_t)core - (core < hidden_of(plan) ? 0 : hidden_of(plan));
}

static uint32_t shares(uint32_t count, size_t among)
{
    return (uint32_t)((count + among - 1) / among);
}

/* Makes a neuron's piece: one row of the layer's weights, then its bias, padded to whole words. */
static enum status make_piece(const struct load_plan *plan, size_t core, struct train_piece *piece,
                              struct diagnostic *diagnostic)
{
    const struct nn_layer *whole = &plan->table->layer[row_of(plan, core)];
    const uint32_t inputs = nn_values(whole->input);
    const uint32_t number = number_of(plan, core);
    const uint32_t bias = (inputs + 1) & ~1u;
    piece->count = (bias + TRAIN_PIECE_BLOCK) / TRAIN_PIECE_BLOCK * TRAIN_PIECE_BLOCK;
    piece->weights_end = bias;
    piece->first_layer = row_of(plan, core);
    piece->table = malloc(plan->table->bytes);
    piece->origin = malloc(piece->count * sizeof *piece->origin);
    piece->owned_origin = malloc(piece->count * sizeof *piece->owned_origin);
    if (piece->table == NULL || piece->origin == NULL || piece->owned_origin == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        piece->origin[i] =
            i < inputs ? whole->weights / VALUE_BYTES + number * inputs + i : TRAIN_PIECE_FILLER;
    }
    piece->origin[bias] = whole->biases / VALUE_BYTES + number;
    memcpy(piece->owned_origin, piece->origin, piece->count * sizeof *piece->origin);
    memcpy(piece->table, plan->table, plan->table->bytes);
    piece->table->layers = 1;
    piece->table->parameter_bytes = piece->count * VALUE_BYTES;
    piece->table->layer[0] = *whole;
    piece->table->layer[0].output.channels = 1;
    piece->table->layer[0].weights = 0;
    piece->table->layer[0].biases = bias * VALUE_BYTES;
    return STATUS_OK;
}

/* Assigns neuron i to core i of the plan; drops cores and chips without neurons. */
static enum status choose_cores(struct load_plan *plan, const struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    const size_t given = config->mapping_cores_per_chip;
    const uint32_t neurons = hidden_of(plan) + plan->table->classes;
    const uint32_t each = shares(neurons, plan->chip_count);
    if (each > given) {
        return config_refuse(config, "mapping.chips", NULL, diagnostic,
                             "network %s has %u neurons, %zu chips have %zu cores: %zu short",
                             plan->network->name, neurons, plan->chip_count, plan->core_count,
                             neurons - plan->core_count);
    }
    if (nn_neuron_buffer_words(hidden_of(plan), plan->table->classes) > NN_NEURON_PLACES) {
        return config_refuse(config, "mapping.kind", NULL, diagnostic,
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
    plan->train->groups = 1;
    plan->train->logging_chips = shares(hidden_of(plan), each); /* chips with hidden neurons */
    return plan_train_allocate(plan, neurons, 1, diagnostic);
}

/* A piece for each neuron: its weights and its bias. */
static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    TRY(plan_train_dense(plan, request, 2, diagnostic));
    TRY(plan_train_begin(plan, request, 1, diagnostic));
    TRY(choose_cores(plan, request->config, diagnostic));
    struct plan_train *train = plan->train;
    train->stages = 1;
    train->bounds = calloc(train->pieces + 1, sizeof *train->bounds);
    if (train->bounds == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < train->pieces; i++) {
        TRY(make_piece(plan, i, &train->piece[i], diagnostic));
    }
    return STATUS_OK;
}

/* Each core is a group of one, although its record is laid out as for a member. */
static void complete(const struct load_plan *plan, struct nn_train_core *record)
{
    (void)plan;
    record->members = record->at_once = 1;
}

static void place(struct load_plan *plan)
{
    for (uint32_t c = 0; c < plan->train->cores; c++) {
        plan->train->record[c].blocks =
            plan_take_read(plan, "neuron plan", sizeof(struct nn_neuron_plan));
    }
}

static uint32_t dtcm_bytes(const struct load_plan *plan)
{
    return nn_neuron_bytes(hidden_of(plan), plan->table->classes, plan->train->value_bytes);
}

static void describe(const struct load_plan *plan, size_t core, char *text, size_t size)
{
    (void)snprintf(text, size, "%s neuron %u", plan->table->layer[row_of(plan, core)].name,
                   number_of(plan, core));
}

static struct machine_core core_of(const struct load_plan *plan, uint32_t piece)
{
    return plan->core[piece].core;
}

/* ---- writing and reading ---- */

static enum status write_plans(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const size_t first = chip * train->cores;
    for (size_t i = first; i < first + train->cores && i < plan->core_count; i++) {
        const uint32_t row = row_of(plan, i);
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
        TRY(machine_write(machine, plan->core[i].core, train->record[i].blocks, &record,
                          sizeof record));
    }
    return STATUS_OK;
}

/* Reads all results from the first output neuron, which computes them. */
static enum status read_results(const struct load_plan *plan, const struct machine *machine,
                                struct nn_result *results)
{
    return plan_read_results(plan, machine, plan->core[hidden_of(plan)].core,
                             (struct plan_slice){0, plan->images->count}, results);
}

/* ---- routes ---- */

/* Adds the edge for a neuron's values, logit or products. */
static void add_edge(struct routing_edges *edges, const struct load_plan *plan, size_t from,
                     const char *what, struct routing_edge edge)
{
    edge.source = plan->core[from].core;
    edge.fixed = true;
    routing_edges_add(edges, edge, "%s of %.16s neuron %u", what,
                      plan->table->layer[row_of(plan, from)].name, number_of(plan, from));
}

/* `core`: cores of all neurons; `others`: scratch array with room for all output neurons. */
static void add_edges(struct routing_edges *edges, const struct load_plan *plan, uint32_t neuron,
                      const struct machine_core *core, struct machine_core *others)
{
    const uint32_t hidden = hidden_of(plan);
    const uint32_t number = number_of(plan, neuron);
    if (neuron < hidden) {
        const uint32_t place = nn_neuron_value_place(number, 0);
        add_edge(edges, plan, neuron, "values",
                 (struct routing_edge){
                     .purpose = ROUTING_FORWARD,
                     .target = core + hidden,
                     .target_count = plan->table->classes,
                     .key = nn_neuron_key(NN_NEURON_VALUES, place, NN_NEURON_FOR_ALL),
                     .mask = NN_VALUES_MASK,
                 });
        return;
    }
    size_t count = 0;
    for (uint32_t k = 0; k < plan->table->classes; k++) {
        if (k != number) {
            others[count++] = core[hidden + k];
        }
    }
    const uint32_t place = nn_neuron_logit_place(hidden, number);
    add_edge(edges, plan, neuron, "logit",
             (struct routing_edge){
                 .purpose = ROUTING_FORWARD,
                 .target = others,
                 .target_count = count,
                 .key = nn_neuron_key(NN_NEURON_LOGITS, place, NN_NEURON_FOR_ALL),
                 .mask = NN_LOGIT_MASK,
             });
    add_edge(edges, plan, neuron, "products",
             (struct routing_edge){
                 .purpose = ROUTING_ERROR,
                 .target = core,
                 .target_count = hidden,
                 .key = nn_neuron_key(NN_NEURON_PRODUCTS, number, NN_NEURON_FOR_ALL),
                 .mask = NN_PRODUCTS_MASK,
             });
}

/* Length of a turn: the time that a packet with a payload takes on the slowest link, plus a margin
 * for other packets.  On one chip there is no link. */
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

static enum status route(struct load_plan *plan, const struct plan_request *request,
                         struct diagnostic *diagnostic)
{
    struct routing_edges edges = {0};
    struct topology topology = {0};
    TRY(config_topology(request->config, &topology, diagnostic));
    struct machine_core *core = calloc(plan->core_count + plan->table->classes, sizeof *core);
    enum status status = core == NULL ? no_memory(diagnostic) : STATUS_OK;
    if (status == STATUS_OK) {
        for (size_t i = 0; i < plan->core_count; i++) {
            core[i] = plan->core[i].core;
        }
        for (uint32_t i = 0; i < plan->core_count; i++) {
            add_edges(&edges, plan, i, core, core + plan->core_count);
        }
        plan->train->slot_cycles = slot_cycles_of(plan, request->config, &topology);
        status = routing_of(&plan->routing, &topology, &edges, diagnostic);
    }
    routing_edges_deinit(&edges);
    topology_deinit(&topology);
    free(core);
    return status;
}

/* ---- the mapping ---- */

static const struct mapping_training TRAINING = {
    .piece = "neuron",
    .complete = complete,
    .place = place,
    .dtcm_bytes = dtcm_bytes,
    .describe = describe,
    .core_of = core_of,
    .write = write_plans,
};

const struct mapping MAPPING_NEURONS = {
    .role = "train_neurons",
    .networks = "two dense layers with ReLU between them",
    .all_images = true,
    .divide = divide,
    .place = plan_train_place,
    .describe = plan_train_describe,
    .add_tensors = plan_train_add_tensors,
    .route = route,
    .write = plan_train_write,
    .read_results = read_results,
    .deinit = plan_train_deinit,
    .training = &TRAINING,
};

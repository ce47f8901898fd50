/* plan_train_routes.c - see plan_train.h: who sends to whom in trainings with rings or trees. */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/mapping/tree_plan.h"

#include <stdlib.h>

/* Signals between the cores of a chip: to the rest of the group, and to those with the same piece.
 * Keys: bit 31 clear, the chip in bits 30:16, the core in 12:8, the counter in 5:0. */
struct edges {
    struct routing_edge *edge;
    size_t count;
    struct machine_core *target;
    size_t targets;
    char (*name)[64];
};

enum { CHIP_SHIFT = 16, CORE_SHIFT = 8 };
#define PAIR_MASK 0xfffffffeu

static void add_edge(struct load_plan *plan, struct edges *edges, size_t from, bool peers)
{
    const struct plan_train *train = plan->train;
    struct nn_train_core *record = &train->record[from];
    const size_t cores = train->cores;
    const size_t first = from / cores * cores;
    struct routing_edge *edge = &edges->edge[edges->count];
    *edge = (struct routing_edge){.name = edges->name[edges->count],
                                  .purpose = ROUTING_CONTROL,
                                  .source = plan->core[from].core,
                                  .target = &edges->target[edges->targets],
                                  .fixed = true,
                                  .mask = PAIR_MASK};
    edge->key = (uint32_t)(from / cores) << CHIP_SHIFT | (uint32_t)(from % cores) << CORE_SHIFT |
                (peers ? NN_SIGNAL_PEERS : NN_SIGNAL_GROUP);
    for (size_t to = first; to < first + cores; to++) {
        const struct nn_train_core *other = &train->record[to];
        const bool wanted = peers ? other->member == record->member : other->group == record->group;
        if (wanted && to != from) {
            edges->target[edges->targets++] = plan->core[to].core;
            edge->target_count++;
        }
    }
    (void)snprintf(edges->name[edges->count], sizeof edges->name[0],
                   "%s signal of chip %u,%u core %u", peers ? "peers'" : "group's", edge->source.x,
                   edge->source.y, edge->source.p);
    if (edge->target_count > 0) {
        *(peers ? &record->peers_key : &record->group_key) = edge->key;
        edges->count++;
    }
}

/* On rings or trees, as the configuration says. */
static enum status plan_exchange(struct load_plan *plan, const struct sim_config *config,
                                 struct ring_plan_request *request, const uint32_t *chip,
                                 struct ring_plan *made, struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    struct rings orders = {0};
    enum status status;
    if (config->train_exchange == CONFIG_EXCHANGE_TREE) {
        status = trees_make(&train->trees, request->topology, chip, plan->chip_count, diagnostic);
        return status == STATUS_OK
                   ? tree_plan_make(made, request, &train->trees, train->nodes, diagnostic)
                   : status;
    }
    status = rings_make(&orders, request->topology, chip, plan->chip_count, diagnostic);
    if (status == STATUS_OK) {
        request->rings = &orders;
        status = ring_plan_make(made, request, diagnostic);
    }
    request->rings = NULL;
    rings_deinit(&orders);
    return status;
}

/* The rings between the chips: what each core has to do with them goes into its record. */
static enum status make_rings(struct load_plan *plan, const struct sim_config *config,
                              const struct topology *topology, struct ring_plan *rings,
                              struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    const size_t cores = train->cores;
    uint32_t *chip = calloc(plan->chip_count, sizeof *chip);
    uint8_t *physical = calloc(topology->count * cores, 1);
    uint32_t words[NN_TRAIN_MEMBERS];
    enum status status = STATUS_OK;
    if (chip == NULL || physical == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        const struct machine_core core = plan->core[i].core;
        chip[i / cores] = (uint32_t)topology_find(topology, core.x, core.y);
        physical[chip[i / cores] * cores + i % cores] = core.p;
        words[i % cores] = plan->mapping->training->exchange_words(plan, i);
    }
    if (status == STATUS_OK) {
        struct ring_plan_request request = {.topology = topology,
                                            .cores = cores,
                                            .physical = physical,
                                            .words = words,
                                            .counter = NN_SIGNAL_OPEN,
                                            .pace = config->train_pace,
                                            .link_packet_ps = config->machine.link_packet_ps,
                                            .link_packet_between_boards_ps =
                                                config->machine.link_packet_between_boards_ps,
                                            .clock_hz = config->machine.clock_cpu_hz};
        status = plan_exchange(plan, config, &request, chip, rings, diagnostic);
    }
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        train->record[i].exchange = rings->plan[chip[i / cores] * cores + i % cores];
    }
    free(chip);
    free(physical);
    return status;
}

/* The cores' signals and the rings' words. */
static enum status collect_edges(struct load_plan *plan, const struct routing_edge *others,
                                 size_t other_count, const struct topology *topology,
                                 struct diagnostic *diagnostic)
{
    const size_t cores = plan->core_count;
    struct edges edges = {.edge = calloc(2 * cores + other_count + 1, sizeof *edges.edge),
                          .target = calloc(2 * cores * NN_TRAIN_MEMBERS, sizeof *edges.target),
                          .name = calloc(2 * cores + 1, sizeof *edges.name)};
    enum status status = STATUS_OK;
    if (edges.edge == NULL || edges.target == NULL || edges.name == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < cores && status == STATUS_OK; i++) {
        add_edge(plan, &edges, i, false);
        add_edge(plan, &edges, i, true);
    }
    if (status == STATUS_OK) {
        for (size_t i = 0; i < other_count; i++) {
            edges.edge[edges.count++] = others[i];
        }
        status = routing_make(&plan->routing, topology, edges.edge, edges.count, diagnostic);
    }
    free(edges.edge);
    free(edges.target);
    free(edges.name);
    return status;
}

enum status plan_train_route(struct load_plan *plan, const struct plan_request *request,
                             struct diagnostic *diagnostic)
{
    struct topology topology = {0};
    struct ring_plan rings = {0};
    enum status status = config_topology(request->config, &topology, diagnostic);
    if (status == STATUS_OK) {
        status = make_rings(plan, request->config, &topology, &rings, diagnostic);
    }
    if (status == STATUS_OK) {
        status = collect_edges(plan, rings.edge, rings.edge_count, &topology, diagnostic);
    }
    ring_plan_deinit(&rings);
    topology_deinit(&topology);
    return status;
}

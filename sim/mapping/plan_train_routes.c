/* plan_train_routes.c - see plan_train.h: edges of trainings with rings or trees. */
#include "sim/mapping/exchange_plans.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Signals between the cores of a chip: to the other members of the group, to those of the team
 * where a group has several, and to the other cores with the same piece.  Keys: bit 31 clear, the
 * chip in bits 30:16, the core in 12:8, the counter in 5:0. */
enum { CHIP_SHIFT = 16, CORE_SHIFT = 8 };
#define PAIR_MASK 0xfffffffeu

/* Who hears a signal. */
struct signal {
    const char *of;
    uint32_t counter;
    bool (*hears)(const struct nn_train_core *from, const struct nn_train_core *to);
    size_t key; /* offset in struct nn_train_core */
};

static bool same_group(const struct nn_train_core *from, const struct nn_train_core *to)
{
    return to->group == from->group;
}

static bool same_team(const struct nn_train_core *from, const struct nn_train_core *to)
{
    return from->at_once > 1 && same_group(from, to) && nn_team(from) == nn_team(to);
}

static bool same_piece(const struct nn_train_core *from, const struct nn_train_core *to)
{
    return to->member == from->member;
}

static const struct signal SIGNALS[] = {
    {"group's", NN_SIGNAL_GROUP, same_group, offsetof(struct nn_train_core, group_key)},
    {"team's", NN_SIGNAL_TEAM, same_team, offsetof(struct nn_train_core, team_key)},
    {"peers'", NN_SIGNAL_PEERS, same_piece, offsetof(struct nn_train_core, peers_key)},
};

static void add_signal(struct load_plan *plan, struct routing_edges *edges, size_t from,
                       const struct signal *signal)
{
    const struct plan_train *train = plan->train;
    struct nn_train_core *record = &train->record[from];
    struct machine_core target[NN_TRAIN_MEMBERS];
    const size_t first = from / train->cores * train->cores;
    struct routing_edge edge = {
        .purpose = ROUTING_CONTROL,
        .source = plan->core[from].core,
        .target = target,
        .fixed = true,
        .key = (uint32_t)(from / train->cores) << CHIP_SHIFT |
               (uint32_t)(from % train->cores) << CORE_SHIFT | signal->counter,
        .mask = PAIR_MASK,
    };
    for (size_t to = first; to < first + train->cores; to++) {
        if (to != from && signal->hears(record, &train->record[to])) {
            target[edge.target_count++] = plan->core[to].core;
        }
    }
    if (edge.target_count > 0) {
        memcpy((uint8_t *)record + signal->key, &edge.key, sizeof edge.key);
        routing_edges_add(edges, edge, "%s signal of chip %u,%u core %u", signal->of, edge.source.x,
                          edge.source.y, edge.source.p);
    }
}

/* The plan's chips as indices in the topology; its cores as physical core numbers. */
struct places {
    uint32_t *chip;
    uint8_t *physical;
    uint32_t words[NN_TRAIN_MEMBERS];
};

/* Plans the exchange between the chips, and enters each core's exchange plan in its record. */
static enum status exchange(struct load_plan *plan, const struct sim_config *config,
                            const struct topology *topology, struct places *places,
                            struct exchange_plans *made, struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    const size_t cores = train->cores;
    for (size_t i = 0; i < plan->core_count; i++) {
        const struct machine_core core = plan->core[i].core;
        places->chip[i / cores] = (uint32_t)topology_find(topology, core.x, core.y);
        places->physical[places->chip[i / cores] * cores + i % cores] = core.p;
        places->words[i % cores] = plan->mapping->training->exchange_words(plan, i);
    }
    const struct exchange_request request = {.topology = topology,
                                             .cores = cores,
                                             .physical = places->physical,
                                             .words = places->words,
                                             .counter = NN_SIGNAL_OPEN,
                                             .by_board = plan->mapping->training->by_board,
                                             .pace = config->train_pace,
                                             .link_packet_ps = config->machine.link_packet_ps,
                                             .link_packet_between_boards_ps =
                                                 config->machine.link_packet_between_boards_ps,
                                             .clock_hz = config->machine.clock_cpu_hz,
                                             .config = config};
    const struct exchange_chips chips = {.chip = places->chip,
                                         .count = plan->chip_count,
                                         .rings_most = RINGS_MAX,
                                         .data = train->exchange_address};
    TRY(train->exchange->make(made, &request, &chips, diagnostic));
    for (size_t i = 0; i < plan->core_count; i++) {
        const size_t place = places->chip[i / cores] * cores + i % cores;
        train->record[i].exchange = made->plan[place];
        if (made->between_boards != NULL) {
            train->record[i].between_boards = made->between_boards[place];
        }
    }
    train->exchange_data = made->data;
    made->data = (struct exchange_data){0};
    TRY(routing_of(&plan->routing, topology, &made->edges, diagnostic));
    return train->exchange->route == NULL
               ? STATUS_OK
               : train->exchange->route(&plan->routing, &request, &chips, diagnostic);
}

enum status plan_train_route(struct load_plan *plan, const struct plan_request *request,
                             struct diagnostic *diagnostic)
{
    struct topology topology = {0};
    struct exchange_plans made = {0};
    TRY(config_topology(request->config, &topology, diagnostic));
    struct places places = {.chip = calloc(plan->chip_count, sizeof *places.chip),
                            .physical = calloc(topology.count, plan->train->cores)};
    for (size_t i = 0; i < plan->core_count; i++) {
        for (size_t k = 0; k < sizeof SIGNALS / sizeof *SIGNALS; k++) {
            add_signal(plan, &made.edges, i, &SIGNALS[k]);
        }
    }
    const enum status status =
        places.chip == NULL || places.physical == NULL
            ? no_memory(diagnostic)
            : exchange(plan, request->config, &topology, &places, &made, diagnostic);
    free(places.chip);
    free(places.physical);
    exchange_plans_deinit(&made);
    topology_deinit(&topology);
    return status;
}

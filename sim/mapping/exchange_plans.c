/* exchange_plans.c - see exchange_plans.h and exchange_steps.h. */
#include "sim/mapping/exchange_plans.h"

#include "sim/mapping/exchange_steps.h"
#include "sim/steps.h"

#include <stdlib.h>

uint32_t exchange_stream_of(uint32_t chip, size_t core)
{
    return chip << EXCHANGE_CHIP_SHIFT | (uint32_t)core << EXCHANGE_CORE_SHIFT;
}

double exchange_packet_seconds(uint64_t packet_ps)
{
    return (double)packet_ps * 19 / 11 / 1e12;
}

enum status exchange_begin(struct exchange_plans *plans, const struct exchange_request *request,
                           const char *what, size_t chips_most, size_t cores_most,
                           struct diagnostic *diagnostic)
{
    if (request->topology->count > chips_most || request->cores > cores_most) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "no keys for %s of %zu chips with %zu cores: up to %zu with %zu", what,
                        request->topology->count, request->cores, chips_most, cores_most);
    }
    for (size_t k = 0; k < request->cores; k++) {
        if (request->words[k] > EXCHANGE_WORDS_MAX) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "core %zu has %u words to exchange: up to %d", k, request->words[k],
                            EXCHANGE_WORDS_MAX);
        }
    }
    plans->plan = calloc(request->topology->count * request->cores + 1, sizeof *plans->plan);
    return plans->plan == NULL ? no_memory(diagnostic) : STATUS_OK;
}

struct machine_core exchange_place_of(const struct exchange_request *request, uint32_t chip,
                                      size_t core)
{
    const struct topology_chip *at = &request->topology->chip[chip];
    return (struct machine_core){at->x, at->y, request->physical[chip * request->cores + core]};
}

/* An edge to one target, without keys and purpose. */
static struct routing_edge edge_of(const struct exchange_request *request,
                                   struct exchange_step step, const struct machine_core *target)
{
    const bool turns = step.turn != TOPOLOGY_NO_CHIP;
    const struct topology_chip *turn = &request->topology->chip[turns ? step.turn : 0];
    return (struct routing_edge){.source = exchange_place_of(request, step.from, step.core),
                                 .target = target,
                                 .target_count = 1,
                                 .turns = turns,
                                 .turn_x = turn->x,
                                 .turn_y = turn->y};
}

void exchange_add_step(struct routing_edges *steps, const struct exchange_request *request,
                       struct exchange_step step)
{
    const struct machine_core target = exchange_place_of(request, step.to, step.core);
    struct routing_edge edge = edge_of(request, step, &target);
    edge.keys = 1;
    routing_edges_add(steps, edge, "a step of a ring");
}

void exchange_add_edge(struct exchange_plans *plans, const struct exchange_request *request,
                       struct exchange_step step, uint32_t key, uint32_t mask, const char *ring,
                       const char *link)
{
    const struct machine_core target = exchange_place_of(request, step.to, step.core);
    const bool words = (key & EXCHANGE_DATA) != 0;
    struct routing_edge edge = edge_of(request, step, &target);
    edge.purpose = words ? ROUTING_GRADIENT : ROUTING_CONTROL;
    edge.fixed = true;
    edge.key = key;
    edge.mask = mask;
    routing_edges_add(&plans->edges, edge, "%s %s of %u,%u,%u%s", ring, words ? "words" : "signal",
                      edge.source.x, edge.source.y, edge.source.p, link);
}

enum status exchange_data_write(const struct exchange_data *data, size_t place,
                                struct machine *machine, struct machine_core core, uint32_t address)
{
    return data->bytes == NULL ? STATUS_OK
                               : machine_write(machine, core, address,
                                               data->bytes + place * data->of_chip, data->of_chip);
}

void exchange_data_deinit(struct exchange_data *data)
{
    free(data->bytes);
    *data = (struct exchange_data){0};
}

void exchange_plans_deinit(struct exchange_plans *plans)
{
    free(plans->plan);
    free(plans->between_boards);
    routing_edges_deinit(&plans->edges);
    exchange_data_deinit(&plans->data);
    *plans = (struct exchange_plans){0};
}

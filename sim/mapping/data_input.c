/* data_input.c - see data_input.h. */
#include "sim/mapping/data_input.h"

#include "models/common/units.h"
#include "models/network/packet.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"

#include <stdlib.h>

enum {
    BITS_PER_BYTE = 8,
    WORD_BYTES = 4, /* a packet's payload */
    SYMBOLS_SHORT = 11,
    SYMBOLS_LONG = 19 /* of a packet with a payload, as in models/machine/fabric.c */
};

static uint64_t bytes_of(const struct load_plan *plan, size_t chip)
{
    uint64_t bytes = (uint64_t)plan->chip[chip].image_count * plan->run.image_bytes;
    if (plan->train != NULL) {
        bytes += (uint64_t)plan_train_images_of(plan, chip) * plan->train->record[0].image_bytes;
    }
    return bytes;
}

/* Words that an Ethernet chip sends on to the same chips: an edge of `edges`. */
struct way {
    const struct load_plan *plan;
    const struct sim_config *config;
    const struct topology *topology;
    struct routing_edges edges;
    uint64_t *words;             /* [edge] */
    struct machine_core *target; /* room for a core of each chip of the plan */
    uint64_t *bytes, *sent; /* [Ethernet chip, index in the topology]: bytes from the host, words
                               sent on */
};

static enum status gate_of(const struct way *way, size_t chip, uint32_t *gate,
                           struct diagnostic *diagnostic)
{
    const struct machine_core core = way->plan->chip[chip].core;
    const struct topology_chip *at =
        &way->topology->chip[topology_find(way->topology, core.x, core.y)];
    const int32_t found = topology_find(way->topology, at->ethernet_x, at->ethernet_y);
    if (found == TOPOLOGY_NO_CHIP) {
        return config_refuse(way->config, "data.input", "data.input: preload", diagnostic,
                             "chip %u,%u, which has the Ethernet of its board, is down",
                             at->ethernet_x, at->ethernet_y);
    }
    *gate = (uint32_t)found;
    return STATUS_OK;
}

/* The host sends `bytes` to an Ethernet chip, for the first `count` of way->target and, if that is
 * one of them, for itself. */
static void host_sends(struct way *way, uint32_t gate, size_t count, uint64_t bytes)
{
    const struct topology_chip *chip = &way->topology->chip[gate];
    struct routing_edge edge = {.purpose = ROUTING_CONTROL, .target = way->target, .keys = 1};
    edge.source = (struct machine_core){chip->x, chip->y, 0};
    while ((chip->cores >> edge.source.p & 1) == 0) {
        edge.source.p++;
    }
    for (size_t i = 0; i < count; i++) {
        if (way->target[i].x != chip->x || way->target[i].y != chip->y) {
            way->target[edge.target_count++] = way->target[i];
        }
    }
    way->bytes[gate] += bytes;
    if (edge.target_count > 0) {
        const uint64_t words = (bytes + WORD_BYTES - 1) / WORD_BYTES;
        way->words[way->edges.count] = words;
        way->sent[gate] += words;
        routing_edges_add(&way->edges, edge, "images of chip %u,%u", way->target[0].x,
                          way->target[0].y);
    }
}

/* Each chip's own images. */
static enum status send_shares(struct way *way, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < way->plan->chip_count; i++) {
        uint32_t gate;
        TRY(gate_of(way, i, &gate, diagnostic));
        way->target[0] = way->plan->chip[i].core;
        host_sends(way, gate, 1, bytes_of(way->plan, i));
    }
    return STATUS_OK;
}

/* All images to all chips of each board. */
static enum status send_copies(struct way *way, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < way->plan->chip_count; i++) {
        uint32_t gate;
        size_t count = 0;
        TRY(gate_of(way, i, &gate, diagnostic));
        for (size_t j = i; way->bytes[gate] == 0 && j < way->plan->chip_count; j++) {
            uint32_t other;
            TRY(gate_of(way, j, &other, diagnostic));
            if (other == gate) {
                way->target[count++] = way->plan->chip[j].core;
            }
        }
        if (count > 0) {
            host_sends(way, gate, count, bytes_of(way->plan, i));
        }
    }
    return STATUS_OK;
}

static uint64_t times_over(uint64_t count, uint64_t times, uint64_t over)
{
    return (uint64_t)(((uint128)count * times + over - 1) / over);
}

/* What Ethernet and links take, at the same time: each packet on the slower of a board's links. */
static uint64_t time_of(const struct way *way, size_t gate)
{
    const struct machine_parameters *machine = &way->config->machine;
    const uint64_t short_ps = later_of(machine->link_packet_ps, machine->link_packet_north_ps);
    return later_of(
        times_over(way->bytes[gate] * BITS_PER_BYTE, PS_PER_S, way->config->data_input_rate),
        times_over(way->sent[gate] * SYMBOLS_LONG, short_ps, SYMBOLS_SHORT));
}

static enum status follow(struct way *way, struct data_input *input, struct diagnostic *diagnostic)
{
    struct routing routing = {0};
    TRY(way->plan->mapping->all_images ? send_copies(way, diagnostic)
                                       : send_shares(way, diagnostic));
    TRY(routing_of(&routing, way->topology, &way->edges, diagnostic));
    for (size_t i = 0; i < routing.edge_count; i++) {
        input->router_bits += way->words[i] * PACKET_BITS_LONG * routing.tree[i].count;
    }
    for (size_t i = 0; i < way->topology->count; i++) {
        input->ethernet_bytes += way->bytes[i];
        input->time_ps = later_of(input->time_ps, time_of(way, i));
    }
    routing_deinit(&routing);
    return STATUS_OK;
}

enum status data_input_of(const struct load_plan *plan, const struct sim_config *config,
                          const struct topology *topology, struct data_input *input,
                          struct diagnostic *diagnostic)
{
    *input = (struct data_input){.images = plan->images->count +
                                           (plan->train != NULL ? plan->train_images->count : 0),
                                 .copies = plan->mapping->all_images ? plan->chip_count : 1};
    for (size_t i = 0; i < plan->chip_count; i++) {
        input->sdram_bytes += bytes_of(plan, i);
    }
    if (config->data_input == CONFIG_DATA_INPUT_PRELOAD) {
        return STATUS_OK;
    }
    struct way way = {.plan = plan,
                      .config = config,
                      .topology = topology,
                      .words = calloc(plan->chip_count + 1, sizeof *way.words),
                      .target = calloc(plan->chip_count + 1, sizeof *way.target),
                      .bytes = calloc(topology->count + 1, sizeof *way.bytes),
                      .sent = calloc(topology->count + 1, sizeof *way.sent)};
    const bool room =
        way.words != NULL && way.target != NULL && way.bytes != NULL && way.sent != NULL;
    const enum status status = room ? follow(&way, input, diagnostic) : no_memory(diagnostic);
    routing_edges_deinit(&way.edges);
    free(way.words);
    free(way.target);
    free(way.bytes);
    free(way.sent);
    return status;
}

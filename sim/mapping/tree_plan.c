/* tree_plan.c - see tree_plan.h. */
#include "sim/mapping/tree_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHIP_SHIFT = 23,
    CORE_SHIFT = 19,
    SIGNAL_CHIP_SHIFT = 21,
    SIGNAL_CORE_SHIFT = 16,
    SIGNAL_BIT = 0x4000,
    CHIPS_MAX = 1 << (31 - CHIP_SHIFT),
    CORES_MAX = 1 << (CHIP_SHIFT - CORE_SHIFT),
    NAME_CHARS = 56
};

static enum status check(const struct ring_plan_request *request, struct diagnostic *diagnostic)
{
    if (request->topology->count > CHIPS_MAX || request->cores > CORES_MAX) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "no keys for trees of %zu chips with %zu cores: up to %d with %d",
                        request->topology->count, request->cores, CHIPS_MAX, CORES_MAX);
    }
    for (size_t k = 0; k < request->cores; k++) {
        if (request->words[k] > EXCHANGE_WORDS_MAX) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "core %zu has %u words to exchange: up to %d", k, request->words[k],
                            EXCHANGE_WORDS_MAX);
        }
    }
    return STATUS_OK;
}

static uint32_t words_key(uint32_t chip, size_t core, unsigned link)
{
    return EXCHANGE_DATA | chip << CHIP_SHIFT | (uint32_t)core << CORE_SHIFT |
           link << EXCHANGE_TREE_LINK_SHIFT;
}

static uint32_t signal_key(uint32_t chip, size_t core, unsigned link)
{
    return chip << SIGNAL_CHIP_SHIFT | (uint32_t)core << SIGNAL_CORE_SHIFT | SIGNAL_BIT |
           link << EXCHANGE_OPEN_LINK_SHIFT;
}

static struct machine_core place_of(const struct ring_plan_request *request, uint32_t chip,
                                    size_t core)
{
    const struct topology_chip *at = &request->topology->chip[chip];
    return (struct machine_core){at->x, at->y, request->physical[chip * request->cores + core]};
}

static void add_edge(struct ring_plan *plan, struct machine_core source, struct machine_core target,
                     unsigned link, uint32_t key, uint32_t mask)
{
    char *name = &plan->names[plan->edge_count * NAME_CHARS];
    const bool words = (key & EXCHANGE_DATA) != 0;
    (void)snprintf(name, NAME_CHARS, "tree %s of %u,%u,%u by link %u", words ? "words" : "signal",
                   source.x, source.y, source.p, link);
    plan->targets[plan->edge_count] = target;
    plan->edge[plan->edge_count] = (struct routing_edge){
        .name = name,
        .purpose = words ? ROUTING_GRADIENT : ROUTING_CONTROL,
        .source = source,
        .target = &plan->targets[plan->edge_count],
        .target_count = 1,
        .fixed = true,
        .key = key,
        .mask = mask,
    };
    plan->edge_count++;
}

/* Links that any tree takes from this chip. */
static unsigned links_of(const struct trees *trees, size_t place)
{
    unsigned links = 0;
    for (size_t root = 0; root < trees->chips; root++) {
        const struct exchange_tree_node *node = trees_node(trees, root, place);
        links |= node->children;
        links |= root == place ? 0 : 1u << node->parent;
    }
    return links;
}

static void add_edges(struct ring_plan *plan, const struct ring_plan_request *request,
                      const struct trees *trees, size_t place, size_t core)
{
    const uint32_t chip = trees->chip[place];
    const unsigned links = links_of(trees, place);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        if ((links >> link & 1) != 0) {
            const struct machine_core source = place_of(request, chip, core);
            const struct machine_core target =
                place_of(request, (uint32_t)request->topology->chip[chip].neighbour[link], core);
            add_edge(plan, source, target, link, words_key(chip, core, link), 0xffff0000u);
            add_edge(plan, source, target, link, signal_key(chip, core, link),
                     ~(EXCHANGE_COUNTERS - 1u));
        }
    }
}

/* A chip sends all slices but its own; `most` of them over the fullest link. */
static double slot_cycles(const struct ring_plan_request *request, const struct trees *trees)
{
    const double packet_s = (double)request->link_packet_ps * 19 / 11 / 1e12;
    const double turn = packet_s / request->pace * (double)request->clock_hz;
    const double others = trees->chips > 1 ? (double)(trees->chips - 1) : 1;
    const double slot = ceil(turn * (double)request->cores * (double)trees->most / others);
    return slot < 1 ? 1 : slot;
}

static void plan_core(struct ring_plan *plan, const struct ring_plan_request *request,
                      const struct trees *trees, uint32_t address, size_t place, size_t core)
{
    const uint32_t chip = trees->chip[place];
    const double slot = slot_cycles(request, trees);
    plan->plan[chip * request->cores + core] = (struct exchange_plan){
        .chips = (uint32_t)trees->chips,
        .position = (uint32_t)place,
        .words = request->words[core],
        .send_key = words_key(chip, core, 0),
        .receive_key = words_key(0, core, 0),
        .open_key = signal_key(chip, core, 0) | TREE_PLAN_COUNTER,
        .slot_cycles = (uint32_t)slot,
        .phase_cycles = (uint32_t)(slot * (double)core / (double)request->cores),
        .tree = address,
        .tree_first = (uint32_t)(core * trees->chips / request->cores),
    };
    add_edges(plan, request, trees, place, core);
}

enum status tree_plan_make(struct ring_plan *plan, const struct ring_plan_request *request,
                           const struct trees *trees, uint32_t address,
                           struct diagnostic *diagnostic)
{
    *plan = (struct ring_plan){.cores = request->cores};
    const enum status status = check(request, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    const size_t edges = trees->chips * request->cores * TOPOLOGY_LINKS * 2 + 1;
    plan->plan = calloc(request->topology->count * request->cores + 1, sizeof *plan->plan);
    plan->edge = calloc(edges, sizeof *plan->edge);
    plan->names = calloc(edges, NAME_CHARS);
    plan->targets = calloc(edges, sizeof *plan->targets);
    if (plan->plan == NULL || plan->edge == NULL || plan->names == NULL || plan->targets == NULL) {
        ring_plan_deinit(plan);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t place = 0; place < trees->chips; place++) {
            plan_core(plan, request, trees, address, place, core);
        }
    }
    return STATUS_OK;
}

void tree_plan_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node)
{
    for (size_t slice = 0; slice < trees->chips; slice++) {
        const size_t root = (slice + trees->chips - 1) % trees->chips;
        node[slice] = *trees_node(trees, root, place);
    }
}

uint32_t tree_plan_node_bytes(size_t chips)
{
    return (uint32_t)(chips * sizeof(struct exchange_tree_node) + 3) & ~3u;
}

enum status tree_plan_write(const struct trees *trees, size_t place, struct machine *machine,
                            struct machine_core core, uint32_t address)
{
    const uint32_t bytes = tree_plan_node_bytes(trees->chips);
    struct exchange_tree_node *node = calloc(1, bytes);
    if (node == NULL) {
        return STATUS_INTERNAL;
    }
    tree_plan_nodes(trees, place, node);
    const enum status status = machine_write(machine, core, address, node, bytes);
    free(node);
    return status;
}

uint32_t tree_plan_dtcm_bytes(size_t chips, uint32_t words)
{
    enum { HEAP_BLOCK = 16, BLOCKS = 3 };
    return chips == 1 ? 0
                      : tree_plan_node_bytes(chips) + 2 * ((words + 3) & ~3u) + BLOCKS * HEAP_BLOCK;
}

/* exchange_tree.c - exchange `tree`: on trees, one to each chip, whose root owns a slice. */
#include "models/common/check.h"
#include "sim/mapping/exchange_steps.h"
#include "sim/mapping/rows.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

EXCHANGE(TREE, "tree", EXCHANGE_ON_TREES)
PROGRAM(train_tree, MAPPING_GROUPS, TREE, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "exchange/exchange.c exchange/exchange_packets.S exchange/exchange_tree.c "
        "exchange/exchange_tree_packets.S")

enum {
    TREE_CHIP_SHIFT = 23, /* of words */
    TREE_CORE_SHIFT = 19,
    TREE_CHIPS_MAX = 1 << (31 - TREE_CHIP_SHIFT),
    TREE_CORES_MAX = 1 << (TREE_CHIP_SHIFT - TREE_CORE_SHIFT),
    TREE_SIGNAL_BIT = 0x4000
};

#define TREE_WORDS_MASK 0xffff0000u

static uint32_t words_key(uint32_t chip, size_t core, unsigned link)
{
    return EXCHANGE_DATA | chip << TREE_CHIP_SHIFT | (uint32_t)core << TREE_CORE_SHIFT |
           link << EXCHANGE_TREE_LINK_SHIFT;
}

static uint32_t signal_key(uint32_t chip, size_t core, unsigned link)
{
    return exchange_stream_of(chip, core) | TREE_SIGNAL_BIT | link << EXCHANGE_OPEN_LINK_SHIFT;
}

/* Number of links from this chip that trees use. */
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

/* A chip sends all slices but its own; `most` of them cross the busiest link. */
static double slot_cycles(const struct exchange_request *request, const struct trees *trees)
{
    const double packet_s = exchange_packet_seconds(request->link_packet_ps);
    const double turn = packet_s / request->pace * (double)request->clock_hz;
    const double others = trees->chips > 1 ? (double)(trees->chips - 1) : 1;
    const double slot = ceil(turn * (double)request->cores * (double)trees->most / others);
    return slot < 1 ? 1 : slot;
}

static void plan_on_tree(struct exchange_plans *plans, const struct exchange_request *request,
                         const struct trees *trees, uint32_t nodes, size_t place, size_t core)
{
    const uint32_t chip = trees->chip[place];
    const double slot = slot_cycles(request, trees);
    const unsigned links = links_of(trees, place);
    plans->plan[chip * request->cores + core] = (struct exchange_plan){
        .chips = (uint32_t)trees->chips,
        .position = (uint32_t)place,
        .words = request->words[core],
        .send_key = words_key(chip, core, 0),
        .receive_key = words_key(0, core, 0),
        .open_key = signal_key(chip, core, 0) | EXCHANGE_TREE_COUNTER,
        .slot_cycles = (uint32_t)slot,
        .phase_cycles = (uint32_t)(slot * (double)core / (double)request->cores),
        .tree = nodes,
        .tree_first = (uint32_t)(core * trees->chips / request->cores),
    };
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const int32_t to = request->topology->chip[chip].neighbour[link];
        const struct exchange_step step = {core, chip, (uint32_t)to, TOPOLOGY_NO_CHIP};
        char name[32];
        (void)snprintf(name, sizeof name, " by link %u", link);
        if ((links >> link & 1) != 0) {
            exchange_add_edge(plans, request, step, words_key(chip, core, link), TREE_WORDS_MASK,
                              "tree", name);
            exchange_add_edge(plans, request, step, signal_key(chip, core, link),
                              EXCHANGE_SIGNAL_MASK, "tree", name);
        }
    }
}

enum status exchange_plans_on_trees(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    const struct trees *trees, uint32_t nodes,
                                    struct diagnostic *diagnostic)
{
    TRY(exchange_begin(plans, request, "trees", TREE_CHIPS_MAX, TREE_CORES_MAX, diagnostic));
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t place = 0; place < trees->chips; place++) {
            plan_on_tree(plans, request, trees, nodes, place, core);
        }
    }
    return STATUS_OK;
}

/* ---- a chip's nodes ---- */

void exchange_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node)
{
    for (size_t slice = 0; slice < trees->chips; slice++) {
        const size_t root = (slice + trees->chips - 1) % trees->chips;
        node[slice] = *trees_node(trees, root, place);
    }
}

uint32_t exchange_node_bytes(size_t chips)
{
    return (uint32_t)(chips * sizeof(struct exchange_tree_node) + 3) & ~3u;
}

static uint32_t dtcm_bytes(size_t chips, uint32_t words)
{
    enum { HEAP_BLOCK = 16, BLOCKS = 3 };
    return chips == 1 ? 0
                      : exchange_node_bytes(chips) + 2 * ((words + 3) & ~3u) + BLOCKS * HEAP_BLOCK;
}

/* Fills in the nodes of each chip, in the order of `chips`. */
static enum status tell_chips(struct exchange_data *data, const struct trees *trees,
                              const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    data->of_chip = exchange_node_bytes(trees->chips);
    CHECK(data->of_chip > 0 && chips->count > 0, "a tree has nodes");
    data->bytes = calloc(chips->count, data->of_chip);
    if (data->bytes == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < chips->count; i++) {
        const uint32_t *found = bsearch(&chips->chip[i], trees->chip, trees->chips,
                                        sizeof *trees->chip, chip_orders_compare);
        CHECK(found != NULL, "the trees have all chips");
        exchange_nodes(trees, (size_t)(found - trees->chip),
                       (struct exchange_tree_node *)(data->bytes + i * data->of_chip));
    }
    return STATUS_OK;
}

static enum status make(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct trees trees;
    TRY(trees_make(&trees, request->topology, chips->chip, chips->count, diagnostic));
    enum status status = exchange_plans_on_trees(plans, request, &trees, chips->data, diagnostic);
    if (status == STATUS_OK) {
        status = tell_chips(&plans->data, &trees, chips, diagnostic);
    }
    trees_deinit(&trees);
    return status;
}

const struct exchange_kind EXCHANGE_ON_TREES = {
    .text = " with trees",
    .make = make,
    .data_bytes = exchange_node_bytes,
    .dtcm_bytes = dtcm_bytes,
};

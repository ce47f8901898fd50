/* exchange_plans.c - see exchange_plans.h. */
#include "sim/mapping/exchange_plans.h"

#include "models/common/bits.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHIP_SHIFT = 22, /* of signals, and of words on rings */
    CORE_SHIFT = 17,
    CHIPS_MAX = 1 << (31 - CHIP_SHIFT),
    CORES_MAX = 1 << (CHIP_SHIFT - CORE_SHIFT),
    OPEN_BIT = 0x8000,
    TREE_CHIP_SHIFT = 23, /* of words on trees */
    TREE_CORE_SHIFT = 19,
    TREE_CHIPS_MAX = 1 << (31 - TREE_CHIP_SHIFT),
    TREE_CORES_MAX = 1 << (TREE_CHIP_SHIFT - TREE_CORE_SHIFT),
    TREE_SIGNAL_BIT = 0x4000
};

#define TREE_WORDS_MASK 0xffff0000u
#define SIGNAL_MASK     (~(EXCHANGE_COUNTERS - 1u))

/* Transmission time of a packet with a payload: 19 symbols; packet_ps is for 11 symbols, without a
 * payload. */
static double payload_packet_seconds(uint64_t packet_ps)
{
    return (double)packet_ps * 19 / 11 / 1e12;
}

static enum status begin(struct exchange_plans *plans, const struct exchange_request *request,
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

static struct machine_core place_of(const struct exchange_request *request, uint32_t chip,
                                    size_t core)
{
    const struct topology_chip *at = &request->topology->chip[chip];
    return (struct machine_core){at->x, at->y, request->physical[chip * request->cores + core]};
}

/* Adds an edge from core `core` of a chip to the core of the same number on another chip; `ring`
 * and `link` only enter the edge's name. */
static void add_edge(struct exchange_plans *plans, const struct exchange_request *request,
                     size_t core, uint32_t from, uint32_t to, uint32_t key, uint32_t mask,
                     const char *ring, const char *link)
{
    const struct machine_core target = place_of(request, to, core);
    const bool words = (key & EXCHANGE_DATA) != 0;
    const struct routing_edge edge = {.purpose = words ? ROUTING_GRADIENT : ROUTING_CONTROL,
                                      .source = place_of(request, from, core),
                                      .target = &target,
                                      .target_count = 1,
                                      .fixed = true,
                                      .key = key,
                                      .mask = mask};
    routing_edges_add(&plans->edges, edge, "%s %s of %u,%u,%u%s", ring, words ? "words" : "signal",
                      edge.source.x, edge.source.y, edge.source.p, link);
}

/* ---- rings ---- */

static uint32_t stream_of(uint32_t chip, size_t core)
{
    return chip << CHIP_SHIFT | (uint32_t)core << CORE_SHIFT;
}

/* Number of cores on each chip that serve a ring. */
static size_t cores_of(const struct exchange_request *request, size_t ring)
{
    const size_t rings = request->rings->count;
    return (request->cores + rings - 1 - ring) / rings;
}

/* Adds an edge for each step of each ring that has cores. */
static void list_steps(const struct exchange_request *request, struct routing_edges *edges)
{
    const struct rings *rings = request->rings;
    for (size_t ring = 0; ring < rings->count && ring < request->cores; ring++) {
        for (size_t i = 0; i < rings->chips; i++) {
            const struct machine_core after =
                place_of(request, rings->chip[ring][(i + 1) % rings->chips], ring);
            routing_edges_add(
                edges,
                (struct routing_edge){.source = place_of(request, rings->chip[ring][i], ring),
                                      .target = &after,
                                      .target_count = 1,
                                      .keys = 1},
                "a step of a ring");
        }
    }
}

/* First pass: adds up, for each link of each chip, the time in ps of one packet of every stream
 * that crosses it.  Second pass: a ring's load is the largest such sum on any link that it uses. */
static void add_up(const struct exchange_request *request, const struct routing *routing,
                   uint64_t *taken_ps, uint64_t *load_ps)
{
    enum { LINK_BITS = (1 << TOPOLOGY_LINKS) - 1 };
    for (size_t e = 0; e < routing->edge_count; e++) {
        const size_t ring = e / request->rings->chips;
        for (size_t h = 0; h < routing->tree[e].count; h++) {
            const struct routing_hop *hop = &routing->tree[e].hop[h];
            if ((hop->route & LINK_BITS) == 0) {
                continue;
            }
            const unsigned link = bits_lowest(hop->route & LINK_BITS);
            const bool slow = request->topology->chip[hop->chip].between_boards[link];
            uint64_t *on_link = &taken_ps[hop->chip * TOPOLOGY_LINKS + link];
            if (load_ps == NULL) {
                *on_link += cores_of(request, ring) * (slow ? request->link_packet_between_boards_ps
                                                            : request->link_packet_ps);
            } else if (*on_link > load_ps[ring]) {
                load_ps[ring] = *on_link;
            }
        }
    }
}

/* Finds each ring's load: the time that one packet from each core takes on the busiest link of the
 * ring. */
static enum status find_loads(const struct exchange_request *request, uint64_t *load_ps,
                              struct diagnostic *diagnostic)
{
    uint64_t *taken_ps = calloc(request->topology->count * TOPOLOGY_LINKS, sizeof *taken_ps);
    struct routing_edges steps = {0};
    struct routing routing = {0};
    enum status status = taken_ps == NULL ? no_memory(diagnostic) : STATUS_OK;
    if (status == STATUS_OK && request->rings->chips > 1) {
        list_steps(request, &steps);
        status = routing_of(&routing, request->topology, &steps, diagnostic);
    }
    if (status == STATUS_OK) {
        add_up(request, &routing, taken_ps, NULL);
        add_up(request, &routing, taken_ps, load_ps);
    }
    routing_edges_deinit(&steps);
    routing_deinit(&routing);
    free(taken_ps);
    return status;
}

/* Cycles between two packets of a core. */
static double slot_of(const struct exchange_request *request, uint64_t load_ps)
{
    return ceil(payload_packet_seconds(load_ps) / request->pace * (double)request->clock_hz);
}

/* Cores whose streams share links take turns. */
static void set_slot(const struct exchange_request *request, size_t core, uint64_t load_ps,
                     struct exchange_plan *plan)
{
    const size_t rings = request->rings->count;
    const double slot = slot_of(request, load_ps);
    const size_t turns_before = core / rings;
    const double place = (double)turns_before / (double)cores_of(request, core % rings);
    plan->slot_cycles = slot < 1 ? 1 : (uint32_t)slot;
    plan->phase_cycles = (uint32_t)(slot * place);
    plan->open_slots = (uint32_t)turns_before;
}

static void plan_on_ring(struct exchange_plans *plans, const struct exchange_request *request,
                         const uint64_t *load_ps, size_t position, size_t core)
{
    const size_t ring = core % request->rings->count;
    const size_t chips = request->rings->chips;
    const uint32_t *order = request->rings->chip[ring];
    const uint32_t here = order[position];
    const uint32_t before = order[(position + chips - 1) % chips];
    const uint32_t after = order[(position + 1) % chips];
    const uint32_t open = OPEN_BIT | request->counter;
    struct exchange_plan *own = &plans->plan[here * request->cores + core];
    *own = (struct exchange_plan){
        .chips = (uint32_t)chips,
        .position = (uint32_t)position,
        .words = request->words[core],
        .send_key = EXCHANGE_DATA | stream_of(here, core),
        .receive_key = EXCHANGE_DATA | stream_of(before, core),
        .open_key = stream_of(here, core) | open,
        .opened_key = stream_of(after, core) | open,
    };
    set_slot(request, core, load_ps[ring], own);
    if (chips > 1) {
        char name[32];
        (void)snprintf(name, sizeof name, "ring %zu", ring);
        add_edge(plans, request, core, here, after, own->send_key, EXCHANGE_STREAM_MASK, name, "");
        add_edge(plans, request, core, here, before, own->open_key & SIGNAL_MASK, SIGNAL_MASK, name,
                 "");
    }
}

enum status exchange_plans_on_rings(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    struct diagnostic *diagnostic)
{
    uint64_t load_ps[RINGS_MAX] = {0};
    TRY(begin(plans, request, "rings", CHIPS_MAX - 1, CORES_MAX, diagnostic));
    TRY(find_loads(request, load_ps, diagnostic));
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t position = 0; position < request->rings->chips; position++) {
            plan_on_ring(plans, request, load_ps, position, core);
        }
    }
    return STATUS_OK;
}

/* ---- trees ---- */

static uint32_t words_key(uint32_t chip, size_t core, unsigned link)
{
    return EXCHANGE_DATA | chip << TREE_CHIP_SHIFT | (uint32_t)core << TREE_CORE_SHIFT |
           link << EXCHANGE_TREE_LINK_SHIFT;
}

static uint32_t signal_key(uint32_t chip, size_t core, unsigned link)
{
    return stream_of(chip, core) | TREE_SIGNAL_BIT | link << EXCHANGE_OPEN_LINK_SHIFT;
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
    const double packet_s = payload_packet_seconds(request->link_packet_ps);
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
        char name[32];
        (void)snprintf(name, sizeof name, " by link %u", link);
        if ((links >> link & 1) != 0) {
            add_edge(plans, request, core, chip, (uint32_t)to, words_key(chip, core, link),
                     TREE_WORDS_MASK, "tree", name);
            add_edge(plans, request, core, chip, (uint32_t)to, signal_key(chip, core, link),
                     SIGNAL_MASK, "tree", name);
        }
    }
}

enum status exchange_plans_on_trees(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    const struct trees *trees, uint32_t nodes,
                                    struct diagnostic *diagnostic)
{
    TRY(begin(plans, request, "trees", TREE_CHIPS_MAX, TREE_CORES_MAX, diagnostic));
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t place = 0; place < trees->chips; place++) {
            plan_on_tree(plans, request, trees, nodes, place, core);
        }
    }
    return STATUS_OK;
}

/* ---- both ---- */

static enum status rings_of(struct rings *rings, const struct exchange_request *request,
                            const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    TRY(rings_make(rings, request->topology, chips->chip, chips->count, diagnostic));
    rings->count = rings->count < chips->rings_most ? rings->count : chips->rings_most;
    return STATUS_OK;
}

enum status exchange_slots(const struct exchange_request *request,
                           const struct exchange_chips *chips, double slot_s[RINGS_MAX],
                           size_t *count, struct diagnostic *diagnostic)
{
    uint64_t load_ps[RINGS_MAX] = {0};
    struct rings rings;
    struct exchange_request on_rings = *request;
    TRY(rings_of(&rings, request, chips, diagnostic));
    on_rings.rings = &rings;
    const enum status status = find_loads(&on_rings, load_ps, diagnostic);
    for (size_t r = 0; r < rings.count; r++) {
        slot_s[r] = slot_of(request, load_ps[r]) / (double)request->clock_hz;
    }
    *count = rings.count;
    rings_deinit(&rings);
    return status;
}

enum status exchange_plans_make(struct exchange_plans *plans,
                                const struct exchange_request *request,
                                const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    if (chips->trees) {
        TRY(trees_make(&plans->trees, request->topology, chips->chip, chips->count, diagnostic));
        return exchange_plans_on_trees(plans, request, &plans->trees, chips->nodes, diagnostic);
    }
    struct rings rings;
    struct exchange_request on_rings = *request;
    TRY(rings_of(&rings, request, chips, diagnostic));
    on_rings.rings = &rings;
    const enum status status = exchange_plans_on_rings(plans, &on_rings, diagnostic);
    rings_deinit(&rings);
    return status;
}

void exchange_plans_deinit(struct exchange_plans *plans)
{
    free(plans->plan);
    routing_edges_deinit(&plans->edges);
    trees_deinit(&plans->trees);
    *plans = (struct exchange_plans){0};
}

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

enum status exchange_nodes_write(const struct trees *trees, size_t place, struct machine *machine,
                                 struct machine_core core, uint32_t address)
{
    const uint32_t bytes = exchange_node_bytes(trees->chips);
    struct exchange_tree_node *node = calloc(1, bytes);
    if (node == NULL) {
        return STATUS_INTERNAL;
    }
    exchange_nodes(trees, place, node);
    const enum status status = machine_write(machine, core, address, node, bytes);
    free(node);
    return status;
}

uint32_t exchange_tree_dtcm_bytes(size_t chips, uint32_t words)
{
    enum { HEAP_BLOCK = 16, BLOCKS = 3 };
    return chips == 1 ? 0
                      : exchange_node_bytes(chips) + 2 * ((words + 3) & ~3u) + BLOCKS * HEAP_BLOCK;
}

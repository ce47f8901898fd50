/* ring_plan.c - see ring_plan.h. */
#include "sim/mapping/ring_plan.h"

#include "models/common/bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHIP_SHIFT = 21,
    CORE_SHIFT = 16,
    CHIPS_MAX = 1 << (31 - CHIP_SHIFT),
    CORES_MAX = 1 << (CHIP_SHIFT - CORE_SHIFT),
    OPEN_BIT = 0x8000,
    NAME_CHARS = 48,
    EDGES_PER_CORE = 2
};

static uint32_t stream_of(uint32_t chip, size_t core)
{
    return chip << CHIP_SHIFT | (uint32_t)core << CORE_SHIFT;
}

static enum status check(const struct ring_plan_request *request, struct diagnostic *diagnostic)
{
    if (request->topology->count >= CHIPS_MAX || request->cores > CORES_MAX) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "no keys for rings of %zu chips with %zu cores: up to %d with %d",
                        request->topology->count, request->cores, CHIPS_MAX - 1, CORES_MAX);
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

static struct machine_core place_of(const struct ring_plan_request *request, uint32_t chip,
                                    size_t core)
{
    const struct topology_chip *at = &request->topology->chip[chip];
    return (struct machine_core){at->x, at->y, request->physical[chip * request->cores + core]};
}

/* Cores of each chip that serve a ring. */
static size_t cores_of(const struct ring_plan_request *request, size_t ring)
{
    const size_t rings = request->rings->count;
    return (request->cores + rings - 1 - ring) / rings;
}

/* ---- what links carry ---- */

/* An edge for each step of each ring that has cores. */
static size_t list_steps(const struct ring_plan_request *request, struct routing_edge *edge,
                         struct machine_core *target)
{
    const struct rings *rings = request->rings;
    size_t count = 0;
    for (size_t ring = 0; ring < rings->count && ring < request->cores; ring++) {
        for (size_t i = 0; i < rings->chips; i++, count++) {
            const uint32_t after = rings->chip[ring][(i + 1) % rings->chips];
            target[count] = place_of(request, after, ring);
            edge[count] = (struct routing_edge){
                .name = "a step of a ring",
                .source = place_of(request, rings->chip[ring][i], ring),
                .target = &target[count],
                .target_count = 1,
                .keys = 1,
            };
        }
    }
    return count;
}

/* What a packet takes on the link that it leaves a chip by, in ps. */
static uint64_t packet_time(const struct ring_plan_request *request, const struct routing_hop *hop,
                            unsigned link)
{
    const bool between = request->topology->chip[hop->chip].between_boards[link];
    return between ? request->link_packet_between_boards_ps : request->link_packet_ps;
}

/* Adds up what a packet of each stream takes on each link of each chip; the most on any link of a
 * ring is its load. */
static void add_up(const struct ring_plan_request *request, const struct routing *routing,
                   uint64_t *taken_ps, uint64_t *load_ps)
{
    enum { LINK_BITS = (1 << TOPOLOGY_LINKS) - 1 };
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < routing->edge_count; e++) {
            const size_t ring = e / request->rings->chips;
            for (size_t h = 0; h < routing->tree[e].count; h++) {
                const struct routing_hop *hop = &routing->tree[e].hop[h];
                if ((hop->route & LINK_BITS) == 0) {
                    continue;
                }
                const unsigned link = bits_lowest(hop->route & LINK_BITS);
                uint64_t *on_link = &taken_ps[hop->chip * TOPOLOGY_LINKS + link];
                if (pass == 0) {
                    *on_link += cores_of(request, ring) * packet_time(request, hop, link);
                } else if (*on_link > load_ps[ring]) {
                    load_ps[ring] = *on_link;
                }
            }
        }
    }
}

/* What a packet of each core of a ring takes on its fullest link. */
static enum status find_loads(const struct ring_plan_request *request, uint64_t *load_ps,
                              struct diagnostic *diagnostic)
{
    const size_t steps = request->rings->count * request->rings->chips;
    struct routing_edge *edge = calloc(steps, sizeof *edge);
    struct machine_core *target = calloc(steps, sizeof *target);
    uint64_t *taken_ps = calloc(request->topology->count * TOPOLOGY_LINKS, sizeof *taken_ps);
    struct routing routing = {0};
    enum status status = STATUS_OK;
    if (edge == NULL || target == NULL || taken_ps == NULL) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else if (request->rings->chips > 1) {
        status = routing_make(&routing, request->topology, edge, list_steps(request, edge, target),
                              diagnostic);
    }
    for (size_t ring = 0; ring < request->rings->count; ring++) {
        load_ps[ring] = 0;
    }
    if (status == STATUS_OK) {
        add_up(request, &routing, taken_ps, load_ps);
    }
    routing_deinit(&routing);
    free(edge);
    free(target);
    free(taken_ps);
    return status;
}

/* ---- plans ---- */

/* Cores whose streams share links take turns. */
static void set_slot(const struct ring_plan_request *request, size_t core, uint64_t load_ps,
                     struct exchange_plan *plan)
{
    const size_t rings = request->rings->count;
    const double payload_packet_s = (double)load_ps * 19 / 11 / 1e12;
    const double slot = ceil(payload_packet_s / request->pace * (double)request->clock_hz);
    const size_t turns_before = core / rings;
    const double place = (double)turns_before / (double)cores_of(request, core % rings);
    plan->slot_cycles = slot < 1 ? 1 : (uint32_t)slot;
    plan->phase_cycles = (uint32_t)(slot * place);
    plan->open_slots = (uint32_t)turns_before;
}

static void add_edge(struct ring_plan *plan, const struct ring_plan_request *request, uint32_t from,
                     uint32_t to, size_t core, uint32_t key, uint32_t mask)
{
    const struct machine_core source = place_of(request, from, core);
    struct machine_core *target = &plan->targets[plan->edge_count];
    char *name = &plan->names[plan->edge_count * NAME_CHARS];
    const bool words = (key & EXCHANGE_DATA) != 0;
    *target = place_of(request, to, core);
    (void)snprintf(name, NAME_CHARS, "ring %zu %s of %u,%u,%u", core % request->rings->count,
                   words ? "words" : "signal", source.x, source.y, source.p);
    plan->edge[plan->edge_count++] = (struct routing_edge){
        .name = name,
        .purpose = words ? ROUTING_GRADIENT : ROUTING_CONTROL,
        .source = source,
        .target = target,
        .target_count = 1,
        .fixed = true,
        .key = key,
        .mask = mask,
    };
}

static void plan_core(struct ring_plan *plan, const struct ring_plan_request *request,
                      const uint64_t *load_ps, size_t position, size_t core)
{
    const size_t ring = core % request->rings->count;
    const size_t chips = request->rings->chips;
    const uint32_t *order = request->rings->chip[ring];
    const uint32_t here = order[position];
    const uint32_t before = order[(position + chips - 1) % chips];
    const uint32_t after = order[(position + 1) % chips];
    const uint32_t open = OPEN_BIT | request->counter;
    struct exchange_plan *own = &plan->plan[here * request->cores + core];
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
        add_edge(plan, request, here, after, core, own->send_key, 0xffff0000u);
        add_edge(plan, request, here, before, core, own->open_key & ~(EXCHANGE_COUNTERS - 1u),
                 ~(EXCHANGE_COUNTERS - 1u));
    }
}

enum status ring_plan_make(struct ring_plan *plan, const struct ring_plan_request *request,
                           struct diagnostic *diagnostic)
{
    *plan = (struct ring_plan){.cores = request->cores};
    uint64_t load_ps[RINGS_MAX];
    enum status status = check(request, diagnostic);
    if (status == STATUS_OK) {
        status = find_loads(request, load_ps, diagnostic);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const size_t edges = request->rings->chips * request->cores * EDGES_PER_CORE + 1;
    plan->plan = calloc(request->topology->count * request->cores + 1, sizeof *plan->plan);
    plan->edge = calloc(edges, sizeof *plan->edge);
    plan->names = calloc(edges, NAME_CHARS);
    plan->targets = calloc(edges, sizeof *plan->targets);
    if (plan->plan == NULL || plan->edge == NULL || plan->names == NULL || plan->targets == NULL) {
        ring_plan_deinit(plan);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t position = 0; position < request->rings->chips; position++) {
            plan_core(plan, request, load_ps, position, core);
        }
    }
    return STATUS_OK;
}

void ring_plan_deinit(struct ring_plan *plan)
{
    free(plan->plan);
    free(plan->edge);
    free(plan->names);
    free(plan->targets);
    *plan = (struct ring_plan){0};
}

/* exchange_rings.c - exchange `rings`: from neighbour to neighbour.  Core k serves ring k modulo
 * the number of rings. */
#include "models/common/bits.h"
#include "sim/mapping/exchange_steps.h"
#include "sim/mapping/rows.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

EXCHANGE(RINGS, "rings", EXCHANGE_ON_RINGS)

enum {
    CHIPS_MAX = 1 << (31 - EXCHANGE_CHIP_SHIFT),
    CORES_MAX = 1 << (EXCHANGE_CHIP_SHIFT - EXCHANGE_CORE_SHIFT),
    OPEN_BIT = 0x8000
};

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
                exchange_place_of(request, rings->chip[ring][(i + 1) % rings->chips], ring);
            routing_edges_add(edges,
                              (struct routing_edge){
                                  .source = exchange_place_of(request, rings->chip[ring][i], ring),
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
    return ceil(exchange_packet_seconds(load_ps) / request->pace * (double)request->clock_hz);
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
        .send_key = EXCHANGE_DATA | exchange_stream_of(here, core),
        .receive_key = EXCHANGE_DATA | exchange_stream_of(before, core),
        .open_key = exchange_stream_of(here, core) | open,
        .opened_key = exchange_stream_of(after, core) | open,
    };
    set_slot(request, core, load_ps[ring], own);
    if (chips > 1) {
        char name[32];
        (void)snprintf(name, sizeof name, "ring %zu", ring);
        exchange_add_edge(plans, request, core, here, after, own->send_key, EXCHANGE_STREAM_MASK,
                          name, "");
        exchange_add_edge(plans, request, core, here, before, own->open_key & EXCHANGE_SIGNAL_MASK,
                          EXCHANGE_SIGNAL_MASK, name, "");
    }
}

enum status exchange_plans_on_rings(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    struct diagnostic *diagnostic)
{
    uint64_t load_ps[RINGS_MAX] = {0};
    TRY(exchange_begin(plans, request, "rings", CHIPS_MAX - 1, CORES_MAX, diagnostic));
    TRY(find_loads(request, load_ps, diagnostic));
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t position = 0; position < request->rings->chips; position++) {
            plan_on_ring(plans, request, load_ps, position, core);
        }
    }
    return STATUS_OK;
}

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

static enum status make(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct rings rings;
    struct exchange_request on_rings = *request;
    TRY(rings_of(&rings, request, chips, diagnostic));
    on_rings.rings = &rings;
    const enum status status = exchange_plans_on_rings(plans, &on_rings, diagnostic);
    rings_deinit(&rings);
    return status;
}

const struct exchange_kind EXCHANGE_ON_RINGS = {.text = "", .on_rings = true, .make = make};

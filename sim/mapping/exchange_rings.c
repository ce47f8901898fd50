/* exchange_rings.c - exchange `rings`: from neighbour to neighbour.  Core k serves ring k modulo
 * the number of rings. */
#include "sim/mapping/exchange_steps.h"
#include "sim/mapping/rows.h"
#include "sim/steps.h"

#include <stdio.h>

EXCHANGE(RINGS, "rings", EXCHANGE_ON_RINGS)

enum {
    CHIPS_MAX = 1 << (31 - EXCHANGE_CHIP_SHIFT),
    CORES_MAX = 1 << (EXCHANGE_CHIP_SHIFT - EXCHANGE_CORE_SHIFT)
};

/* Finds each ring's load. */
static enum status find_loads(const struct exchange_request *request,
                              struct exchange_streams streams[RINGS_MAX],
                              struct diagnostic *diagnostic)
{
    const struct rings *rings = request->rings;
    const size_t used = rings->count < request->cores ? rings->count : request->cores;
    struct routing_edges steps = {0};
    struct routing routing;
    for (size_t ring = 0; ring < used; ring++) {
        streams[ring] =
            (struct exchange_streams){exchange_cores_of(request, rings->count, ring), 0};
        for (size_t i = 0; i < rings->chips && rings->chips > 1; i++) {
            exchange_add_step(&steps, request,
                              (struct exchange_step){ring, rings->chip[ring][i],
                                                     rings->chip[ring][(i + 1) % rings->chips],
                                                     TOPOLOGY_NO_CHIP});
        }
    }
    const enum status status = exchange_loads(request, &steps, streams, used, &routing, diagnostic);
    routing_edges_deinit(&steps);
    routing_deinit(&routing);
    return status;
}

static void plan_chip(struct exchange_plans *plans, const struct exchange_request *request,
                      const struct exchange_streams *streams, size_t position, size_t core)
{
    const size_t ring = core % request->rings->count;
    const size_t chips = request->rings->chips;
    const uint32_t *order = request->rings->chip[ring];
    const uint32_t here = order[position];
    const uint32_t before = order[(position + chips - 1) % chips];
    const uint32_t after = order[(position + 1) % chips];
    exchange_plan_on_ring(plans, request,
                          &(struct exchange_ring_place){.rings = request->rings->count,
                                                        .chips = chips,
                                                        .position = position,
                                                        .here = here,
                                                        .before = before,
                                                        .after = after,
                                                        .stream = {here, before, after},
                                                        .load_ps = streams[ring].load_ps},
                          core);
}

static enum status begin(struct exchange_plans *plans, const struct exchange_request *request,
                         struct diagnostic *diagnostic)
{
    const enum status status =
        exchange_begin(plans, request, "rings", CHIPS_MAX - 1, CORES_MAX, diagnostic);
    if (request->topology->count >= CHIPS_MAX) {
        diagnostic_key(diagnostic, "mapping.chips");
        diagnostic_hint(diagnostic,
                        "a larger machine of boards without faults trains with replicas on all of "
                        "its chips");
    }
    return status;
}

enum status exchange_plans_on_rings(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    struct diagnostic *diagnostic)
{
    struct exchange_streams streams[RINGS_MAX] = {{0}};
    TRY(begin(plans, request, diagnostic));
    TRY(find_loads(request, streams, diagnostic));
    for (size_t core = 0; core < request->cores; core++) {
        for (size_t position = 0; position < request->rings->chips; position++) {
            plan_chip(plans, request, streams, position, core);
        }
    }
    return STATUS_OK;
}

/* ---- of some chips ---- */

static enum status rings_of(struct rings *rings, const struct exchange_request *request,
                            const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    TRY(rings_make(rings, request->topology, chips->chip, chips->count, diagnostic));
    rings->count = rings->count < chips->rings_most ? rings->count : chips->rings_most;
    return STATUS_OK;
}

/* The rings of several whole boards, if that is what the chips are, and it is wanted. */
static enum status boards_of(struct board_rings *boards, const struct exchange_request *request,
                             const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    *boards = (struct board_rings){0};
    return request->by_board && chips->rings_most == RINGS_MAX
               ? board_rings_make(boards, request->topology, chips->count, diagnostic)
               : STATUS_OK;
}

static enum status ring_slots(const struct exchange_request *request,
                              const struct exchange_chips *chips, struct exchange_pace *pace,
                              struct diagnostic *diagnostic)
{
    struct exchange_streams streams[RINGS_MAX] = {{0}};
    struct rings rings;
    struct exchange_request on_rings = *request;
    TRY(rings_of(&rings, request, chips, diagnostic));
    on_rings.rings = &rings;
    const enum status status = find_loads(&on_rings, streams, diagnostic);
    *pace = (struct exchange_pace){.rings = rings.count, .chips = rings.chips, .boards = 1};
    for (size_t r = 0; r < rings.count; r++) {
        pace->slot_s[r] = exchange_slot(request, streams[r].load_ps) / (double)request->clock_hz;
    }
    rings_deinit(&rings);
    return status;
}

enum status exchange_slots(const struct exchange_request *request,
                           const struct exchange_chips *chips, struct exchange_pace *pace,
                           struct diagnostic *diagnostic)
{
    struct board_rings boards;
    TRY(boards_of(&boards, request, chips, diagnostic));
    const enum status status = boards.boards > 0
                                   ? exchange_board_slots(request, &boards, pace, diagnostic)
                                   : ring_slots(request, chips, pace, diagnostic);
    board_rings_deinit(&boards);
    return status;
}

static enum status make(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct board_rings boards;
    struct rings rings;
    struct exchange_request on_rings = *request;
    TRY(boards_of(&boards, request, chips, diagnostic));
    if (boards.boards > 0) {
        const enum status status = exchange_plans_on_boards(plans, request, &boards, diagnostic);
        board_rings_deinit(&boards);
        return status;
    }
    TRY(rings_of(&rings, request, chips, diagnostic));
    on_rings.rings = &rings;
    const enum status status = exchange_plans_on_rings(plans, &on_rings, diagnostic);
    rings_deinit(&rings);
    return status;
}

const struct exchange_kind EXCHANGE_ON_RINGS = {.text = "", .on_rings = true, .make = make};

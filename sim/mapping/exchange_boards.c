/* exchange_boards.c - exchange `rings` on several whole boards: rings of each board, and rings of
 * counterparts, once around the boards.  See exchange_steps.h. */
#include "sim/mapping/exchange_steps.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHIPS_MAX = 1 << (31 - EXCHANGE_CHIP_SHIFT),
    CORES_MAX = 1 << (EXCHANGE_CHIP_SHIFT - EXCHANGE_CORE_SHIFT),
    COLOURS = CHIPS_MAX / BOARD_CHIPS - 1,
    SIGNALS = BOARD_WAYS, /* kinds of steps: words on each way, then signals on each */
    KINDS = SIGNALS + BOARD_WAYS,
    STREAMS = BOARD_CHIPS + BOARD_CHIPS /* of a board: words, signals */
};

/* Shares of the pace of rings.  On a board: signals between other boards need room beside its
 * words; with 1 packets are lost.  Between boards: turns of cores are not set apart there. */
static const double PACE_WITHIN = 0.88;
static const double PACE_BETWEEN = 0.62;

/* What the plans of all cores need.  Core k is on way k modulo BOARD_WAYS. */
struct parts {
    const struct exchange_request *request;
    const struct board_rings *boards;
    struct exchange_streams within[RINGS_MAX], between[KINDS];
    uint8_t *colour; /* [way][place of a board on it] */
};

_Static_assert((int)RINGS_MAX == (int)BOARD_WAYS, "a core's ring is its way, too");

static uint32_t chip_at(const struct parts *parts, size_t ring, size_t board, size_t position)
{
    return parts->boards->chip[ring][board * BOARD_CHIPS + position];
}

/* A board on a way. */
static uint32_t board_at(const struct parts *parts, size_t way, size_t place)
{
    return parts->boards->step[way][place % parts->boards->boards].board;
}

static size_t before(const struct parts *parts, size_t place)
{
    return (place + parts->boards->boards - 1) % parts->boards->boards;
}

/* A step to the next board on a way, from the chip at a position. */
static struct exchange_step step_at(const struct parts *parts, size_t way, size_t place,
                                    size_t position, size_t core)
{
    const uint32_t from = chip_at(parts, way, board_at(parts, way, place), position);
    return (struct exchange_step){
        core, from, chip_at(parts, way, board_at(parts, way, place + 1), position),
        board_rings_turn(&parts->boards->step[way][place], parts->request->topology, from)};
}

/* The way back. */
static struct exchange_step reversed(struct exchange_step step)
{
    return (struct exchange_step){step.core, step.to, step.from, step.turn};
}

/* ---- loads, colours ---- */

static enum status find_within(struct parts *parts, struct diagnostic *diagnostic)
{
    const struct exchange_request *request = parts->request;
    const size_t used = request->cores < RINGS_MAX ? request->cores : RINGS_MAX;
    struct routing_edges steps = {0};
    struct routing routing;
    for (size_t ring = 0; ring < used; ring++) {
        parts->within[ring].cores = exchange_cores_of(request, RINGS_MAX, ring);
        for (size_t i = 0; i < parts->boards->boards * BOARD_CHIPS; i++) {
            const size_t board = i / BOARD_CHIPS;
            exchange_add_step(
                &steps, request,
                (struct exchange_step){ring, chip_at(parts, ring, board, i % BOARD_CHIPS),
                                       chip_at(parts, ring, board, (i + 1) % BOARD_CHIPS),
                                       TOPOLOGY_NO_CHIP});
        }
    }
    const enum status status =
        exchange_loads(request, &steps, parts->within, used, &routing, diagnostic);
    routing_edges_deinit(&steps);
    routing_deinit(&routing);
    return status;
}

/* The colours that streams of a board, its words to the next one and its signals to the one before,
 * meet on their ways.  These are bits of `used`, for each chip and position; `marked` are added. */
static uint32_t meet(const struct parts *parts, const struct routing *routing, size_t way,
                     size_t place, uint16_t *used, uint16_t marked)
{
    const size_t boards = parts->boards->boards;
    const size_t first[] = {way * boards + place, (SIGNALS + way) * boards + before(parts, place)};
    uint32_t met = 0;
    for (size_t i = 0; i < STREAMS; i++) {
        const size_t position = i % BOARD_CHIPS;
        const struct routing_tree *tree =
            &routing->tree[first[i / BOARD_CHIPS] * BOARD_CHIPS + position];
        for (size_t h = 0; h < tree->count; h++) {
            uint16_t *at = &used[(size_t)tree->hop[h].chip * BOARD_CHIPS + position];
            met |= *at;
            *at |= marked;
        }
    }
    return met;
}

/* Gives each board of each way the first colour that its streams do not meet. */
static enum status colour(struct parts *parts, const struct routing *routing,
                          struct diagnostic *diagnostic)
{
    const size_t boards = parts->boards->boards;
    const size_t places = parts->request->topology->count * BOARD_CHIPS;
    uint16_t *used = calloc(BOARD_WAYS * places, sizeof *used);
    enum status status = used == NULL ? no_memory(diagnostic) : STATUS_OK;
    for (size_t i = 0; i < BOARD_WAYS * boards && status == STATUS_OK; i++) {
        uint16_t *of_way = used + i / boards * places;
        const uint32_t met = meet(parts, routing, i / boards, i % boards, of_way, 0);
        uint8_t unmet = 0;
        while ((met >> unmet & 1) != 0) {
            unmet++;
        }
        if (unmet >= COLOURS) {
            status = diagnose(diagnostic, STATUS_CONFIGURATION,
                              "no keys for the rings of %zu boards: more than %d of them meet on a "
                              "chip",
                              boards, COLOURS);
        } else {
            parts->colour[i] = unmet;
            (void)meet(parts, routing, i / boards, i % boards, of_way, (uint16_t)(1u << unmet));
        }
    }
    free(used);
    return status;
}

static enum status find_between(struct parts *parts, struct diagnostic *diagnostic)
{
    const struct exchange_request *request = parts->request;
    const size_t boards = parts->boards->boards;
    struct routing_edges steps = {0};
    struct routing routing;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const size_t way = kind % BOARD_WAYS;
        const bool words = kind < SIGNALS;
        parts->between[kind].cores = words ? exchange_cores_of(request, BOARD_WAYS, way) : 0;
        for (size_t i = 0; i < boards * BOARD_CHIPS; i++) {
            const struct exchange_step step =
                step_at(parts, way, i / BOARD_CHIPS, i % BOARD_CHIPS, 0);
            exchange_add_step(&steps, request, words ? step : reversed(step));
        }
    }
    enum status status =
        exchange_loads(request, &steps, parts->between, KINDS, &routing, diagnostic);
    status = status == STATUS_OK ? colour(parts, &routing, diagnostic) : status;
    routing_edges_deinit(&steps);
    routing_deinit(&routing);
    return status;
}

static enum status make_parts(struct parts *parts, const struct exchange_request *request,
                              const struct board_rings *boards, struct diagnostic *diagnostic)
{
    *parts = (struct parts){.request = request,
                            .boards = boards,
                            .colour = calloc(BOARD_WAYS * boards->boards, sizeof *parts->colour)};
    const enum status status =
        parts->colour == NULL ? no_memory(diagnostic) : find_within(parts, diagnostic);
    return status == STATUS_OK ? find_between(parts, diagnostic) : status;
}

/* ---- slots ---- */

static struct exchange_request slowed(const struct exchange_request *request, double share)
{
    struct exchange_request slower = *request;
    slower.pace *= share;
    return slower;
}

static double slot_within(const struct parts *parts, size_t core)
{
    const struct exchange_request slower = slowed(parts->request, PACE_WITHIN);
    return fmax(exchange_slot(&slower, parts->within[core % RINGS_MAX].load_ps), 1);
}

/* Whole slots of the board's ring: then a core is still in its turn when it returns to these. */
static double slot_between(const struct parts *parts, size_t core)
{
    const struct exchange_request slower = slowed(parts->request, PACE_BETWEEN);
    const double within = slot_within(parts, core);
    const double between = exchange_slot(&slower, parts->between[core % BOARD_WAYS].load_ps);
    return within * fmax(ceil(between / within), 1);
}

enum status exchange_board_slots(const struct exchange_request *request,
                                 const struct board_rings *boards, struct exchange_pace *pace,
                                 struct diagnostic *diagnostic)
{
    struct parts parts;
    const enum status status = make_parts(&parts, request, boards, diagnostic);
    *pace =
        (struct exchange_pace){.rings = RINGS_MAX, .chips = BOARD_CHIPS, .boards = boards->boards};
    for (size_t core = 0; core < request->cores && status == STATUS_OK; core++) {
        const double hz = (double)request->clock_hz;
        pace->slot_s[core % RINGS_MAX] = slot_within(&parts, core) / hz;
        pace->between_boards_s = fmax(pace->between_boards_s, slot_between(&parts, core) / hz);
    }
    free(parts.colour);
    return status;
}

/* ---- plans ---- */

static void plan_within(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct parts *parts, size_t board, size_t position, size_t core)
{
    const size_t ring = core % RINGS_MAX;
    const uint32_t behind = (uint32_t)((position + BOARD_CHIPS - 1) % BOARD_CHIPS);
    const uint32_t after = (uint32_t)((position + 1) % BOARD_CHIPS);
    exchange_plan_on_ring(plans, request,
                          &(struct exchange_ring_place){
                              .rings = RINGS_MAX,
                              .chips = BOARD_CHIPS,
                              .position = position,
                              .here = chip_at(parts, ring, board, position),
                              .before = chip_at(parts, ring, board, behind),
                              .after = chip_at(parts, ring, board, after),
                              .stream = {(uint32_t)position, behind, after},
                              .load_ps = parts->within[ring].load_ps,
                          },
                          core);
}

/* Key of the first packet of a board's stream between boards, without its kind. */
static uint32_t stream_between(const struct parts *parts, size_t place, size_t position,
                               size_t core)
{
    const size_t boards = parts->boards->boards;
    const uint32_t number = parts->colour[core % BOARD_WAYS * boards + place % boards] + 1u;
    return exchange_stream_of(number * BOARD_CHIPS + (uint32_t)position, core);
}

static void plan_between(struct exchange_plans *plans, const struct parts *parts, size_t place,
                         size_t position, size_t core)
{
    const struct exchange_request *request = parts->request;
    const size_t way = core % BOARD_WAYS;
    const size_t behind = before(parts, place);
    const struct exchange_step step = step_at(parts, way, place, position, core);
    const uint32_t words = request->words[core];
    const uint32_t slice = (uint32_t)(position + 1) % BOARD_CHIPS;
    const uint32_t open = EXCHANGE_OPEN | (request->counter + 1);
    const double slot = slot_between(parts, core);
    struct exchange_plan *own = &plans->between_boards[step.from * request->cores + core];
    *own = (struct exchange_plan){
        .chips = (uint32_t)parts->boards->boards,
        .position = (uint32_t)place,
        .words = exchange_bound(words, BOARD_CHIPS, slice + 1) -
                 exchange_bound(words, BOARD_CHIPS, slice),
        .send_key = EXCHANGE_DATA | stream_between(parts, place, position, core),
        .receive_key = EXCHANGE_DATA | stream_between(parts, behind, position, core),
        .open_key = stream_between(parts, place, position, core) | open,
        .opened_key = stream_between(parts, place + 1, position, core) | open,
        .slot_cycles = (uint32_t)slot,
        .phase_cycles = (uint32_t)(slot * (double)core / (double)request->cores),
    };
    exchange_add_edge(plans, request, step, own->send_key, EXCHANGE_STREAM_MASK, "boards", "");
    exchange_add_edge(plans, request, reversed(step_at(parts, way, behind, position, core)),
                      own->open_key & EXCHANGE_SIGNAL_MASK, EXCHANGE_SIGNAL_MASK, "boards", "");
}

enum status exchange_plans_on_boards(struct exchange_plans *plans,
                                     const struct exchange_request *request,
                                     const struct board_rings *boards,
                                     struct diagnostic *diagnostic)
{
    struct parts parts;
    const struct exchange_request on_board = slowed(request, PACE_WITHIN);
    const size_t chips = request->topology->count;
    TRY(exchange_begin(plans, request, "rings", chips, CORES_MAX, diagnostic));
    enum status status = make_parts(&parts, request, boards, diagnostic);
    plans->between_boards = calloc(chips * request->cores + 1, sizeof *plans->between_boards);
    status = status == STATUS_OK && plans->between_boards == NULL ? no_memory(diagnostic) : status;
    for (size_t i = 0; i < request->cores * chips && status == STATUS_OK; i++) {
        const size_t place = i % chips;
        plan_within(plans, &on_board, &parts, place / BOARD_CHIPS, place % BOARD_CHIPS, i / chips);
        plan_between(plans, &parts, place / BOARD_CHIPS, place % BOARD_CHIPS, i / chips);
    }
    free(parts.colour);
    return status;
}

/* exchange_steps.h - what the exchanges of sim/mapping/exchange_*.c share: keys, edges, the time of
 * a packet. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/exchange.h"
C_LINKAGE_BEGIN

/* Of the keys of signals, and of words on rings. */
enum {
    EXCHANGE_CHIP_SHIFT = 22,
    EXCHANGE_CORE_SHIFT = 17,
    EXCHANGE_OPEN = 0x8000 /* bit of a signal on rings */
};
#define EXCHANGE_SIGNAL_MASK (~(EXCHANGE_COUNTERS - 1u))

/* The first key of a core by its chip and its number there. */
uint32_t exchange_stream_of(uint32_t chip, size_t core);

/* Transmission time of a packet with a payload: 19 symbols; packet_ps is for 11 symbols, without a
 * payload. */
double exchange_packet_seconds(uint64_t packet_ps);

/* A step from core `core` of a chip to the core of the same number on another chip. */
struct exchange_step {
    size_t core;
    uint32_t from, to; /* chips */
    int32_t turn;      /* chip that its packets come over; TOPOLOGY_NO_CHIP: any */
};

/* ---- loads of links (exchange_loads.c) ---- */

/* Streams of a kind: those of a ring. */
struct exchange_streams {
    size_t cores;     /* of each chip that have such a stream */
    uint64_t load_ps; /* time that one packet of each of all streams takes on the busiest link that
                         these use; 0 at first */
};

/* Adds a step to the edges of exchange_loads(). */
void exchange_add_step(struct routing_edges *steps, const struct exchange_request *request,
                       struct exchange_step step);

/* Finds the streams' loads.  The steps are those of the first of `kinds`, then as many of the next.
 * The caller frees `routing`, which has the steps' trees, even after a failure. */
enum status exchange_loads(const struct exchange_request *request,
                           const struct routing_edges *steps, struct exchange_streams *streams,
                           size_t kinds, struct routing *routing, struct diagnostic *diagnostic);

/* Cycles between two packets of a core. */
double exchange_slot(const struct exchange_request *request, uint64_t load_ps);

/* ---- plans ---- */

/* Number of cores on each chip that serve one of `rings` rings. */
size_t exchange_cores_of(const struct exchange_request *request, size_t rings, size_t ring);

/* A core's place on its ring. */
struct exchange_ring_place {
    size_t rings, chips, position;
    uint32_t here, before, after; /* chips */
    uint32_t stream[3];           /* numbers of these chips in keys */
    uint64_t load_ps;
};

/* A core's plan, and the edges of its words and its signal. */
void exchange_plan_on_ring(struct exchange_plans *plans, const struct exchange_request *request,
                           const struct exchange_ring_place *place, size_t core);

/* The plans of all cores on rings of boards (exchange_boards.c). */
enum status exchange_plans_on_boards(struct exchange_plans *plans,
                                     const struct exchange_request *request,
                                     const struct board_rings *boards,
                                     struct diagnostic *diagnostic);

/* Slots of a core on rings of boards. */
enum status exchange_board_slots(const struct exchange_request *request,
                                 const struct board_rings *boards, struct exchange_pace *pace,
                                 struct diagnostic *diagnostic);

/* Makes room for the cores' plans.  STATUS_CONFIGURATION when an array is too long, or when there
 * are more chips or cores than keys; `what`: "rings". */
enum status exchange_begin(struct exchange_plans *plans, const struct exchange_request *request,
                           const char *what, size_t chips_most, size_t cores_most,
                           struct diagnostic *diagnostic);

struct machine_core exchange_place_of(const struct exchange_request *request, uint32_t chip,
                                      size_t core);

/* Adds an edge for a step; `ring` and `link` only enter its name. */
void exchange_add_edge(struct exchange_plans *plans, const struct exchange_request *request,
                       struct exchange_step step, uint32_t key, uint32_t mask, const char *ring,
                       const char *link);

C_LINKAGE_END

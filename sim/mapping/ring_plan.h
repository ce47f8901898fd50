/* ring_plan.h - what each core of a chip has to do with the rings: its plan
 * (workloads/nn/exchange_plan.h), and the edges of its packets.
 *
 * The cores of each chip are numbered from 0, and core number k serves ring k modulo the rings.
 * Its stream of words has keys 0x80000000 | chip << 21 | k << 16 and the next 65,535, its signal to
 * the predecessor the key chip << 21 | k << 16 | 0x8000 | counter; chip: index in the topology. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/mapping/rings.h"
#include "sim/routing/routing.h"
#include "workloads/nn/exchange_plan.h"
C_LINKAGE_BEGIN

struct ring_plan_request {
    const struct topology *topology;
    const struct rings *rings;
    size_t cores;            /* of each chip */
    const uint8_t *physical; /* [chip of the topology][cores]: their numbers there */
    const uint32_t *words;   /* [cores]: lengths of their arrays, up to EXCHANGE_WORDS_MAX */
    uint32_t counter;        /* of signals, below EXCHANGE_COUNTERS */
    double pace;             /* packets sent, of those that a link carries; above 0 */
    uint64_t link_packet_ps; /* machine_parameters: a packet of 40 bits */
    uint64_t link_packet_between_boards_ps;
    uint64_t clock_hz; /* of the cores */
};

struct ring_plan {
    size_t cores;
    struct exchange_plan *plan; /* [chip of the topology][cores]; of chips on no ring: all zero */
    struct routing_edge *edge;  /* words, signals to predecessors */
    size_t edge_count;
    char *names;                  /* of the edges */
    struct machine_core *targets; /* of the edges */
};

/* STATUS_CONFIGURATION when an array is too long, or there are more chips or cores than keys. */
enum status ring_plan_make(struct ring_plan *plan, const struct ring_plan_request *request,
                           struct diagnostic *diagnostic);
void ring_plan_deinit(struct ring_plan *plan);

C_LINKAGE_END

/* exchange_steps.h - what the exchanges of sim/mapping/exchange_*.c share: keys, edges, the time of
 * a packet. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/exchange.h"
C_LINKAGE_BEGIN

/* Of the keys of signals, and of words on rings. */
enum { EXCHANGE_CHIP_SHIFT = 22, EXCHANGE_CORE_SHIFT = 17 };
#define EXCHANGE_SIGNAL_MASK (~(EXCHANGE_COUNTERS - 1u))

/* The first key of a core by its chip and its number there. */
uint32_t exchange_stream_of(uint32_t chip, size_t core);

/* Transmission time of a packet with a payload: 19 symbols; packet_ps is for 11 symbols, without a
 * payload. */
double exchange_packet_seconds(uint64_t packet_ps);

/* Makes room for the cores' plans.  STATUS_CONFIGURATION when an array is too long, or when there
 * are more chips or cores than keys; `what`: "rings". */
enum status exchange_begin(struct exchange_plans *plans, const struct exchange_request *request,
                           const char *what, size_t chips_most, size_t cores_most,
                           struct diagnostic *diagnostic);

struct machine_core exchange_place_of(const struct exchange_request *request, uint32_t chip,
                                      size_t core);

/* Adds an edge from core `core` of a chip to the core of the same number on another chip; `ring`
 * and `link` only enter the edge's name. */
void exchange_add_edge(struct exchange_plans *plans, const struct exchange_request *request,
                       size_t core, uint32_t from, uint32_t to, uint32_t key, uint32_t mask,
                       const char *ring, const char *link);

C_LINKAGE_END

/* exchange.h - sums over the chips of a ring: what every chip has added up becomes the whole's, and
 * what one chip has made of it goes to all of them.
 *
 * The same core of every chip of the ring calls the same functions with arrays of the same length.
 * An array has a slice for each chip.  exchange_reduce_scatter() leaves the sum over all chips in
 * the core's own slice (exchange_owned()); exchange_all_gather() brings everybody's own slice to
 * all.  Both are one conveyor: packets of one word go to the successor on the ring, in one known
 * order; what has come is added or stored in place by the fast interrupt, which never waits; what
 * is to be passed on is sent from there in the core's time slots, by the second timer's interrupt.
 *
 * A chip tells its predecessor that it is open; before that nothing is sent to it.  A stream begins
 * with a header (which array, how long, of which version of the weights) that must be the one that
 * the receiver would have sent.  Keys have bit 31 set: the stream in bits 30:16, EXCHANGE_GATHER,
 * the packet's number in the stream.  Any other packet, or one out of its order, ends the program.
 * A key with bit 31 clear is a signal.  While it waits, a core says in its wait note (wait_note.h)
 * for what. */
#pragma once
#include "exchange_plan.h"

#include <spin1_api.h>

/* What each counter's signals have come to. */
extern volatile uint32_t exchange_count[EXCHANGE_COUNTERS];

/* Takes the fast interrupt and lets packets in. */
void exchange_packets_begin(void);

/* Starts the clock of the time slots, on the second timer.  All programs of the chip call it: it is
 * a barrier between them. */
void exchange_slots_begin(const struct exchange_plan *plan);

/* Sends a packet without payload. */
void exchange_signal(uint32_t key);

void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count);

/* How often weights have been gathered: what a predecessor's header must say too. */
extern uint32_t exchange_version;

/* Both return when this core's part is over, having sent what others wait for.
 *
 * `values` is the array that exchange_all_gather() will be called with next: all of it but the
 * core's own slice may be overwritten from now on.  NULL if that is not so; the gathering is then
 * opened by itself. */
void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values);

/* Values are nn_value: one a packet, or two of int16, whose array lies on a word and has room for
 * an even number. */
void exchange_all_gather(const struct exchange_plan *plan, void *values);

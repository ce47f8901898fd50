/* exchange.h - reduce-scatter and all-gather over the chips of a ring: arrays are summed over all
 * chips, and what the owner of a slice computes from its sums is copied to all chips.
 *
 * The same core of every chip of the ring calls the same functions with arrays of the same length.
 * An array has one slice for each chip.  exchange_reduce_scatter() leaves the sum over all chips in
 * the core's own slice (exchange_owned()); exchange_all_gather() copies every core's own slice to
 * all chips.  In both a core sends packets of one word to its successor on the ring, in a fixed
 * order.  The fast interrupt adds or stores each received word in place and never waits.  The
 * interrupt of the second timer sends words from the array in the core's time slots.
 *
 * A chip signals its predecessor when it is ready to receive; the predecessor sends nothing
 * before.  A stream begins with a header (which array, how long, of which version of the weights),
 * which must equal the header that the receiver would have sent.  Keys of words have bit 31 set;
 * then come the stream (bits 30:16), EXCHANGE_GATHER, and the packet's number in the stream.  Any
 * other packet, or one out of order, ends the program.  A key with bit 31 clear is a signal.  A
 * waiting core's wait note (wait_note.h) says which packets it waits for. */
#pragma once
#include "exchange_plan.h"

#include <spin1_api.h>

/* Number of signals that each counter has received. */
extern volatile uint32_t exchange_count[EXCHANGE_COUNTERS];

/* Installs the fast interrupt's state and starts receiving packets. */
void exchange_packets_begin(void);

/* Starts the clock of the time slots on the second timer.  All programs of the chip must call it:
 * it includes a barrier between them. */
void exchange_slots_begin(const struct exchange_plan *plan);

/* Sends a packet without payload. */
void exchange_signal(uint32_t key);

void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count);

/* Number of all-gathers so far; the predecessor's header must contain the same number. */
extern uint32_t exchange_version;

/* Both functions return when this core has sent and received all its words.
 *
 * `values` is the array of the next exchange_all_gather(): everything but the core's own slice may
 * be overwritten from now on.  NULL if it must not be; the all-gather is then opened separately. */
void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values);

/* Values are nn_value.  A packet carries one value, or two int16 values: their array is
 * word-aligned and has room for an even number of values. */
void exchange_all_gather(const struct exchange_plan *plan, void *values);

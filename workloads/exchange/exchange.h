/* exchange.h - reduce-scatter and all-gather over the chips of a ring: arrays are summed over all
 * chips, and what the owner of a slice computes from its sums is copied to all chips.
 *
 * The same core of every chip of the ring calls the same functions with arrays of the same length.
 * An array has one slice for each chip.  exchange_reduce_scatter() leaves the sum over all chips in
 * the core's own slice (exchange_owned()); exchange_all_gather() copies every core's own slice to
 * all chips.  In both a core sends packets to its successor on the ring, in a fixed order, each
 * with 32 bits of the array in its payload and 16 in its key (exchange_state.h): two packets have
 * three words.  The fast interrupt adds or stores them in place and never waits.  The interrupt of
 * the second timer sends packets from the array in the core's time slots.
 *
 * A chip signals its predecessor when it is ready to receive; the predecessor sends nothing
 * before.  A stream begins with a header (which array, how long, of which version of the weights),
 * which must equal the header that the receiver would have sent, and ends with a trailer, a check
 * of all its packets and their order.  Keys of words have bit 31 set; then come the stream (bits
 * 30:17), EXCHANGE_CONTROL for header and trailer, and the data, with EXCHANGE_GATHER inverted in
 * all-gather.  Any other packet, and a header or trailer at the wrong place or with other contents,
 * ends the program.  A key with bit 31 clear is a signal.  A waiting core's wait note (wait_note.h)
 * says which packets it waits for. */
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

/* Changes from the slots of a plan to those of another, which are multiples or divisors, after as
 * many slots as there are in the other's phase: so the cores of a chip begin one after the other.
 */
void exchange_pace(const struct exchange_plan *from, const struct exchange_plan *to);

/* Waits until all cores of a ring have called it.  On a ring of three or more the first signal of
 * what follows is one of the rounds. */
void exchange_meet(const struct exchange_plan *plan);

/* Sends a packet without payload. */
void exchange_signal(uint32_t key);

void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count);

/* Number of all-gathers so far; the predecessor's header must contain the same number. */
extern uint32_t exchange_version;

/* Both functions return when this core has sent and received all its words.  Arrays are
 * word-aligned; the 4 bytes behind their last word may be overwritten.
 *
 * `values` is the array of the next exchange_all_gather(): everything but the core's own slice may
 * be overwritten from now on.  NULL if it must not be; the all-gather is then opened separately. */
void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values);

/* Values are nn_value; an array of int16 values has room for an even number of them. */
void exchange_all_gather(const struct exchange_plan *plan, void *values);

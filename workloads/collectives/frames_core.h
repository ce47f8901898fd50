/* frames_core.h - frames and collective operations on a core: they wait.
 *
 * The fast interrupt receives packets, the second timer says when to ask again.  A waiting core
 * sleeps.  Packets without bit 31 in their key are signals, counted by the key's last bits: of
 * programs that have them.  When a packet is missing for good, the program ends with a message, an
 * error, and the packet in its wait note (wait_note.h); its peers then end in the same way. */
#pragma once
#include "collectives.h"

#include <spin1_api.h>

/* This core's state, for looking at counters. */
extern struct frames frames_core;

/* Signals received, by the last bits of their keys. */
extern volatile uint32_t frames_signals[COLLECTIVES_SIGNALS];

/* Starts receiving.  The plan must stay where it is.  Takes frames_bytes() from the heap. */
void frames_core_begin(const struct collectives_plan *plan);

/* Returns when the transfer is over. */
void frames_core_transfer(const struct frames_transfer *transfer);

/* Does all steps of an operation; fills in rank, size and neighbours of the call. */
void collectives_do(collective_step *step, struct collective_call *call);

/* Goes on answering until it has heard nothing for some timeouts.  Call before the program ends: a
 * peer may have lost the last answer. */
void frames_core_end(void);

/* Sends a packet without payload. */
void frames_signal(uint32_t key);

/* collectives_plan.h - a core's rank among those that work together, written by the host, and the
 * keys of their packets: words in the core's memory, little-endian.
 *
 * Any rank may send to any other.  A key names the receiver, by which the routers route, and the
 * sender:
 *
 *     31      1; a key with bit 31 clear is a signal, counted by its last bits
 *     30:20   the receiver's address: number of its chip in the plan << core_bits | of its core
 *     19:10   the sender's rank
 *     9       0: a word of a frame
 *     8:6     step: number of the frame from this sender to this receiver, modulo 8
 *     5:0     sequence: number of the word in the frame, modulo 64
 *
 *     9       1: control; bits 2:0 say what (enum collectives_control)
 *
 * A word's payload is the word.  Payload of control: the frame's number (bits 31:16), and a word's
 * number or the frame's length (15:0). */
#pragma once
#include <stdint.h>

#define COLLECTIVES_MAGIC    0x4c4c4f43u /* "COLL" */
#define COLLECTIVES_DATA     0x80000000u
#define COLLECTIVES_RECEIVER 0x7ff00000u /* bits of a key by which routers route */
#define COLLECTIVES_NOBODY   0xffffffffu /* no rank */

enum {
    COLLECTIVES_RECEIVER_SHIFT = 20,
    COLLECTIVES_ADDRESS_BITS = 11,
    COLLECTIVES_SENDER_SHIFT = 10,
    COLLECTIVES_RANKS_MOST = 1024,
    COLLECTIVES_CONTROL = 0x200,
    COLLECTIVES_STEP_SHIFT = 6,
    COLLECTIVES_STEP_MASK = 7,
    COLLECTIVES_SEQUENCE_MASK = 63,
    COLLECTIVES_WINDOW = 32, /* words of a frame that are asked for at a time */
    COLLECTIVES_LINKS = 6,
    COLLECTIVES_SIGNALS = 64 /* counters of signals */
};

enum collectives_control {
    COLLECTIVES_OFFER, /* sender: the frame is ready; its length */
    COLLECTIVES_STILL, /* sender: the same again, it has heard nothing */
    COLLECTIVES_ASK,   /* receiver: send from this word on */
    COLLECTIVES_MORE,  /* receiver: go on; all before this word have come */
    COLLECTIVES_DONE,  /* receiver: the frame is complete */
    COLLECTIVES_LATER  /* either: not yet */
};

struct collectives_plan {
    uint32_t magic;
    uint32_t rank, size;
    uint32_t cores;          /* ranks on a chip: rank / cores is the chip's number in the plan */
    uint32_t first;          /* number of a chip's first rank among the cores that have addresses */
    uint32_t core_bits;      /* of these numbers */
    uint32_t timeout_cycles; /* after which a core asks again, at least 1 */
    uint32_t tries;          /* times in a row that it asks before it gives up, at least 1 */
    uint32_t neighbour[COLLECTIVES_LINKS]; /* rank on the chip behind each link: the core of the
                                              same number; COLLECTIVES_NOBODY: none */
    uint32_t lose; /* for tests: number of this core's packet that it does not send, from 1; 0: it
                      sends all */
};

/* The first key of packets from one rank to another. */
static inline uint32_t collectives_key(const struct collectives_plan *plan, uint32_t from,
                                       uint32_t to)
{
    const uint32_t chip = to / plan->cores;
    const uint32_t core = plan->first + to - chip * plan->cores;
    const uint32_t address = chip << plan->core_bits | core;
    return COLLECTIVES_DATA | address << COLLECTIVES_RECEIVER_SHIFT |
           from << COLLECTIVES_SENDER_SHIFT;
}

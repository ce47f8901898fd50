/* exchange_plan.h - a core's place on a ring of chips, written by the host: words in the core's
 * memory, little-endian. */
#pragma once
#include <stdint.h>

#define EXCHANGE_DATA   0x80000000u /* bit of a key: a word; else a signal */
#define EXCHANGE_GATHER 0x00008000u /* bit of a word's key: all-gather */

/* On rings: the bits of a key that name a stream; a header or trailer; which of them. */
#define EXCHANGE_STREAM_MASK 0xfffe0000u
#define EXCHANGE_CONTROL     0x00010000u
#define EXCHANGE_TRAILER     0x00000001u

enum {
    EXCHANGE_COUNTERS = 64,      /* a signal adds 1 to the counter: its key modulo this */
    EXCHANGE_WORDS_MAX = 0x7ffe, /* headers, and keys on trees, have 15 bits for them */
    EXCHANGE_TENSORS = 16,
    EXCHANGE_PACKET_BYTES = 6, /* on rings: 4 in the payload, 2 in the key */
    EXCHANGE_UNIT = 6 /* bounds of slices are multiples: whole packets, and pairs of int16 values */
};

struct exchange_plan {
    uint32_t chips;        /* on the ring; 1: nothing is sent */
    uint32_t position;     /* on it */
    uint32_t words;        /* of the array, the same on all chips */
    uint32_t tensor;       /* which array: a number below EXCHANGE_TENSORS, the same on all chips */
    uint32_t send_key;     /* of this core's words; its low bits are free */
    uint32_t receive_key;  /* of the predecessor's */
    uint32_t open_key;     /* signal to the predecessor that this core is ready */
    uint32_t opened_key;   /* key of the successor's signal */
    uint32_t slot_cycles;  /* between two packets of this core, at least 1 */
    uint32_t phase_cycles; /* from the start of all cores' clock to this core's slot; between
                              boards: from the end of its stream on the board */
    uint32_t open_slots;   /* that pass before the signal to the predecessor */
    uint32_t tree;         /* address of an exchange_tree_node for each slice; 0: a ring */
    uint32_t tree_first;   /* the slice that this core begins with, on trees */
};

/* Where slice number `slice` of so many words begins; slice number `chips` is their end. */
static inline uint32_t exchange_bound(uint32_t words, uint32_t chips, uint32_t slice)
{
    const uint32_t units = (words + EXCHANGE_UNIT - 1) / EXCHANGE_UNIT;
    const uint32_t bound = units * slice / chips * EXCHANGE_UNIT;
    return bound < words ? bound : words;
}

/* On trees a core's keys, of words and of signals, include the number of one of its chip's six
 * links.  The chip at position p is the root of slice p + 1. */
enum { EXCHANGE_LINKS = 6, EXCHANGE_TREE_LINK_SHIFT = 16, EXCHANGE_OPEN_LINK_SHIFT = 8 };

/* A chip's node in the tree of a slice. */
struct exchange_tree_node {
    uint8_t parent;   /* link; the root has none */
    uint8_t children; /* links */
};

/* wait_note.h - the packets that a program waits for, for the host to read when nothing happens any
 * more: a table in the core's own memory or in SDRAM, whose address is in the core's block (user1;
 * 0: none).  The program updates `arrived` as packets arrive, and resets it for the next round.
 * All words are little-endian. */
#pragma once
#include <stdint.h>

#define NN_WAIT_MAGIC 0x54494157u /* "WAIT" */

enum { NN_WAITS_MAX = 1024 };

/* Packets of one key range: one edge of a network. */
struct nn_wait {
    uint32_t key, mask;
    uint32_t expected; /* in this round */
    uint32_t arrived;  /* of them; fewer than expected: the program waits for the rest */
};

struct nn_wait_note {
    uint32_t magic;
    uint32_t round; /* image, or whatever the program counts */
    uint32_t count; /* of rows, at most NN_WAITS_MAX */
    struct nn_wait wait[];
};

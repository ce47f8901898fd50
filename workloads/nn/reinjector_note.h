/* reinjector_note.h - what the reinjector of a chip has seen and done, where the host finds it: in
 * its core's memory, the address in its core's block (user1).  All words are little-endian. */
#pragma once
#include <stdint.h>

#define REINJECTOR_MAGIC 0x4a4e4952u /* "RINJ" */

struct reinjector_note {
    uint32_t magic;
    uint32_t dropped; /* packets found in the router's dump registers */
    uint32_t missed;  /* times that the router said that more were lost before these were read */
    uint32_t sent;    /* packets sent again; one that is dropped again counts again */
    uint32_t partial; /* of those dropped: some copies had left, and will come twice */
    uint32_t refused; /* of those dropped: nearest-neighbour packets, those beyond the queue, and
                         those given up */
    uint32_t queued;  /* of those dropped: still to be sent */
};

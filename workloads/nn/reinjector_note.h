/* reinjector_note.h - statistics of a chip's reinjector for the host: in its core's memory, at the
 * address in its core's block (user1).  All words are little-endian. */
#pragma once
#include <stdint.h>

#define REINJECTOR_MAGIC 0x4a4e4952u /* "RINJ" */

struct reinjector_note {
    uint32_t magic;
    uint32_t dropped; /* packets found in the router's dump registers */
    uint32_t missed;  /* times that the router said that more were lost before these were read */
    uint32_t sent;    /* resent packets; each resend counts */
    uint32_t partial; /* dropped packets of which some copies had left, and will come twice */
    uint32_t refused; /* of those dropped: nearest-neighbour packets, those beyond the queue, and
                         those given up */
    uint32_t queued;  /* of those dropped: still to be sent */
};

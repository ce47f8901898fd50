/* collectives.h - operations in which several ranks take part: arrays of words that are sent from
 * rank to rank (frames.h) in an order that every rank knows.
 *
 * Every rank of the plan calls the same operations in the same order, with the same arguments but
 * for its own arrays.  send and receive concern two ranks alone.  Ranks are 0 to plan->size - 1, at
 * most COLLECTIVES_RANKS_MOST; arrays have any number of words, also 0.  Words are int32; sums wrap
 * and do not depend on the order of additions.
 *
 * An operation is a function that says what one rank does in step k (collective_step): pure, so
 * that a program waits as it likes, and that tests know what should be sent.  It is a row of
 * collectives.def and a file; a program is linked with those that it names. */
#pragma once
#include "frames.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of an operation, as seen by one rank. */
struct collective_call {
    uint32_t rank, size;
    const uint32_t *neighbour; /* struct collectives_plan */
    uint32_t peer;             /* root; of send and receive the other rank */
    uint32_t words;            /* of an array */
    int32_t *array;            /* of `words`, unless collectives.def says otherwise */
    const int32_t *own;        /* where a rank's own words are not in `array` */
    enum frames_operation operation;
};

/* Sets what the rank does in step `step`, and returns 1; 0 when there are no more steps.  A step
 * may be nothing: both `to` and `from` are COLLECTIVES_NOBODY. */
typedef uint32_t collective_step(const struct collective_call *call, uint32_t step,
                                 struct frames_transfer *transfer);

#define COLLECTIVE(NAME, name, recovers, text) collective_step collective_##name;
#define EXCHANGE(NAME, name, recovers, text)
#include <collectives.def>

/* The slice of an array that belongs to a rank: words first to end - 1. */
struct collective_slice {
    uint32_t first, end;
};
static inline struct collective_slice collective_slice_of(uint32_t words, uint32_t size,
                                                          uint32_t rank)
{
    const uint32_t each = words / size;
    const uint32_t more = words - each * size; /* ranks with one word more: the first */
    const uint32_t first = rank * each + (rank < more ? rank : more);
    return (struct collective_slice){first, first + each + (rank < more ? 1 : 0)};
}

/* Bits that it takes to count `size` ranks. */
static inline uint32_t collective_levels(uint32_t size)
{
    uint32_t levels = 0;
    while (1u << levels < size) {
        levels++;
    }
    return levels;
}

#ifndef __cplusplus
/* A step without a packet. */
static inline struct frames_transfer collective_nothing(void)
{
    return (struct frames_transfer){.to = COLLECTIVES_NOBODY, .from = COLLECTIVES_NOBODY};
}
#endif

#ifdef __cplusplus
}
#endif

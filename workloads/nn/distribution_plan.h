/* distribution_plan.h - what a core of a training knows of its distribution (train.distributed):
 * written by the host into the chip's SDRAM; its address is in the exchange plan (`tree`).  All
 * words are little-endian. */
#pragma once
#include "collectives_plan.h"

struct distribution_plan {
    struct collectives_plan ranks; /* the same core of all chips */
    uint32_t servers;              /* the first ranks own the parameters */
    uint32_t every;                /* updates between two averages */
    uint32_t seed;
    uint32_t notes; /* address of a struct distribution_note for each update of an epoch; 0: none */
};

/* How far the replicas are from each other behind an update, by one core: the distance of its own
 * parameters from the average that takes their place. */
struct distribution_note {
    uint32_t largest; /* of its parameters, in units of their format */
    uint32_t sum;
    uint32_t parameters; /* 0: there was no average */
};

enum { DISTRIBUTION_UNIT = 8 /* bounds of servers' parts are multiples */ };

/* The part of a slice of so many words that a server owns: its first word, or the end for number
 * `servers`. */
static inline uint32_t distribution_bound(uint32_t words, uint32_t servers, uint32_t server)
{
    const uint32_t units = (words + DISTRIBUTION_UNIT - 1) / DISTRIBUTION_UNIT;
    const uint32_t bound = units * server / servers * DISTRIBUTION_UNIT;
    return bound < words ? bound : words;
}

/* collectives_trial.h - the input of workloads/micro/collective_trial.c in SDRAM; its address is in
 * the core's block (user0).  All words are little-endian. */
#pragma once
#include "collectives_plan.h"

/* The operations, by row of collectives.def. */
enum collectives_operation {
#define COLLECTIVE(NAME, name, recovers, text) COLLECTIVES_##NAME,
#include "collectives.def"
    COLLECTIVES_OPERATIONS
};

struct collectives_trial {
    uint32_t operation; /* enum collectives_operation */
    uint32_t combine;   /* FRAMES_SUM, FRAMES_MIN, FRAMES_MAX */
    uint32_t words, rounds;
    uint32_t seed;
    uint32_t delay_us; /* before the core begins: the same on a chip */
    struct collectives_plan plan;
};

/* exchange_trial.h - the input of workloads/micro/ring_exchange.c in SDRAM; its address is in the
 * core's block (user0).  All words are little-endian. */
#pragma once
#include "exchange_plan.h"

#define EXCHANGE_TRIAL_MAGIC 0x474e4952u /* "RING" */

struct exchange_trial {
    uint32_t magic;
    uint32_t rounds;
    uint32_t seed;
    uint32_t delay_us; /* before the core begins: the same on a chip */
    struct exchange_plan plan;
};

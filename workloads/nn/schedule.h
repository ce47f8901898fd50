/* schedule.h - how the learning rate goes up and down over a run, in 1/256 of the full rate. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

enum { NN_FULL_RATE = 256, NN_MAX_UPDATES = 1 << 22 };

/* What follows the warm-up. */
enum nn_decay {
    NN_DECAY_NONE,   /* the full rate */
    NN_DECAY_LINEAR, /* down to 0 after the last update */
    NN_DECAY_STEP    /* divided by 2^step_shift after each step_updates updates of the run */
};

struct nn_schedule {
    uint32_t decay;   /* enum nn_decay */
    uint32_t updates; /* of the whole run, at most NN_MAX_UPDATES */
    uint32_t warm_up; /* the first so many: the rate rises linearly; at most updates */
    uint32_t step_updates, step_shift;
};

/* 1 to NN_FULL_RATE, the nearest, for update 0 .. updates - 1. */
uint32_t nn_rate(const struct nn_schedule *schedule, uint32_t update);

NN_LINKAGE_END

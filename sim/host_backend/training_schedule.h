/* training_schedule.h - what every training of ours shares, whatever it computes in: in which order
 * the images of an epoch come, and how the learning rate goes up and down. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* The rate is learning_rate * step / TRAINING_FULL_RATE. */
enum { TRAINING_FULL_RATE = 256 };

struct training_schedule {
    uint64_t updates; /* of the whole run */
    uint64_t warm_up; /* the first so many: the rate rises linearly */
    bool decay;       /* after them it falls linearly, to 0 after the last update */
};

/* updates_per_epoch x epochs updates, the first `warm_up_share` (0 to 1) of the first epoch's,
 * rounded, as warm-up. */
struct training_schedule training_schedule_of(uint64_t updates_per_epoch, uint64_t epochs,
                                              double warm_up_share, bool decay);

/* 1 to TRAINING_FULL_RATE, for update 0, 1, ...: nearest integer. */
uint32_t training_rate(const struct training_schedule *schedule, uint64_t update);

/* Fills order[0 .. count - 1] with 0 .. count - 1 in the order of epoch 0, 1, ... */
void training_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count);

C_LINKAGE_END

/* training_schedule.c - see training_schedule.h. */
#include "sim/host_backend/training_schedule.h"

#include "sim/networks/draw.h"

#include <math.h>

struct training_schedule training_schedule_of(uint64_t updates_per_epoch, uint64_t epochs,
                                              double warm_up_share, bool decay)
{
    return (struct training_schedule){
        .updates = updates_per_epoch * epochs,
        .warm_up = (uint64_t)floor(warm_up_share * (double)updates_per_epoch + 0.5),
        .decay = decay};
}

uint32_t training_rate(const struct training_schedule *schedule, uint64_t update)
{
    uint64_t above = 1;
    uint64_t below = 1;
    if (update < schedule->warm_up) {
        above = update + 1;
        below = schedule->warm_up;
    } else if (schedule->decay) {
        above = schedule->updates - update;
        below = schedule->updates - schedule->warm_up;
    }
    const uint64_t rate = (2ull * TRAINING_FULL_RATE * above + below) / (2 * below);
    return rate == 0 ? 1 : (uint32_t)rate;
}

/* Fisher and Yates' shuffle. */
void training_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t left = count; left > 1; left--) {
        const uint64_t word = draw_word(seed, (uint32_t)DRAW_ORDER + epoch, left - 1);
        const uint32_t chosen = draw_below(word, left);
        const uint32_t swapped = order[chosen];
        order[chosen] = order[left - 1];
        order[left - 1] = swapped;
    }
}

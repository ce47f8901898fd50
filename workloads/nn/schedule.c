/* schedule.c - see schedule.h. */
#include "schedule.h"

NN_NEEDS(TRAINS)

/* full rate x above / below, to nearest, halves upwards, at least 1 */
static uint32_t share(uint32_t above, uint32_t below)
{
    const uint32_t rate = (2 * NN_FULL_RATE * above + below) / (2 * below);
    return rate == 0 ? 1 : rate;
}

uint32_t nn_rate(const struct nn_schedule *schedule, uint32_t update)
{
    if (update < schedule->warm_up) {
        return share(update + 1, schedule->warm_up);
    }
    if (schedule->decay == NN_DECAY_LINEAR) {
        return share(schedule->updates - update, schedule->updates - schedule->warm_up);
    }
    uint32_t rate = NN_FULL_RATE;
    if (schedule->decay == NN_DECAY_STEP) {
        for (uint32_t end = schedule->step_updates; end <= update && rate > 1;
             end += schedule->step_updates) {
            rate >>= schedule->step_shift;
        }
    }
    return rate == 0 ? 1 : rate;
}

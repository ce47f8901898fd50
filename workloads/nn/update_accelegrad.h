/* update_accelegrad.h - AcceleGrad, a part of update.c: the formulas stand in update.h.
 * State: z - w with NN_VELOCITY_FRACTION bits, then the sum of squares, as AdaGrad has it. */
#pragma once
#include "update_adagrad.h"

enum {
    COUPLING_FRACTION = 30,
    FADE_FRACTION = 30,
    FIRST_STEPS = 4 /* of weight 1 */
};

/* 1 / a of a step: 4 / times, at most 1 */
static uint32_t coupling_of(uint64_t times)
{
    const uint64_t four = UINT64_C(4) << COUPLING_FRACTION;
    return (uint32_t)(times <= FIRST_STEPS ? four / 4 : (four + times / 2) / times);
}

static __attribute__((cold, noinline)) void accelegrad_begin(struct step *step)
{
    const uint64_t times = (uint64_t)step->number + 1;
    const uint64_t square = times * times;
    step->coupling = coupling_of(times);
    step->next_coupling = coupling_of(times + 1);
    /* 1 - ((times - 1) / times)^2 */
    step->fade = times <= FIRST_STEPS
                     ? 0
                     : (uint32_t)((((2 * times - 1) << FADE_FRACTION) + square / 2) / square);
}

RULE_STEP_KIND nn_value accelegrad_step(const struct step *step, int32_t gradient, int32_t *state,
                                        nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t to_weight = NN_VELOCITY_FRACTION - rule->weight_fraction;
    const int32_t g = aligned_sum(step, gradient);
    const uint64_t faded = moved_mean(unpacked((uint32_t)state[1]), 0, step->fade, FADE_FRACTION);
    const uint64_t u = squares_with(step, faded, g, &state[1]);
    const int64_t far =
        shifted(ratio_of(g, u, rule->epsilon) * step->rate,
                (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - NN_VELOCITY_FRACTION);
    const int64_t near = shifted(far * step->coupling, COUPLING_FRACTION);
    const int64_t apart = state[0] - far + near; /* z - y */
    const int64_t by = near - shifted(apart * step->next_coupling, COUPLING_FRACTION);
    const nn_value next = moved(step, parameter, by, to_weight, gradient);
    const int64_t gone = ((int64_t)parameter - next) * (INT64_C(1) << to_weight);
    state[0] = cut(state[0] - far + gone, INT32_MAX, &step->note->state_saturations);
    return next;
}

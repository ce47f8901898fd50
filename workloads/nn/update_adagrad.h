/* update_adagrad.h - AdaGrad, a part of update.c: the formulas stand in update.h.
 * State: the sum of squares, kept as Adam's second moment is. */
#pragma once
#include "update_adam.h"

enum { SQUARES_BITS = 62 /* a sum of squares is cut there */ };

/* u + g^2, which goes into *word; u is at most 2^SQUARES_BITS */
static uint64_t squares_with(const struct step *step, uint64_t u, int32_t g, int32_t *word)
{
    const uint64_t most = UINT64_C(1) << SQUARES_BITS;
    u += (uint64_t)((int64_t)g * g);
    if (u > most) {
        u = most;
        step->note->state_saturations++;
    }
    *word = (int32_t)packed(u);
    return u;
}

static inline void adagrad_begin(struct step *step)
{
    (void)step;
}

RULE_STEP_KIND nn_value adagrad_step(const struct step *step, int32_t gradient, int32_t *state,
                                     nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t g = aligned_sum(step, gradient);
    const uint64_t u = squares_with(step, unpacked((uint32_t)*state), g, state);
    const int32_t shift =
        (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - rule->weight_fraction;
    return moved(step, parameter, ratio_of(g, u, rule->epsilon) * step->rate, shift, gradient);
}

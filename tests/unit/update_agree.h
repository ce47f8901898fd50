/* update_agree.h - an optimizer for a test: a parameter moves by the rate against its gradient's
 * sign where that is the sign of the step before.  State: that sign. */
#pragma once

static void agree_begin(struct step *step)
{
    (void)step;
}

static nn_value agree_step(const struct step *step, int32_t gradient, int32_t *state,
                           nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t sign = (gradient > 0) - (gradient < 0);
    const int64_t by = sign == state[0] ? sign * step->rate : 0;
    state[0] = sign;
    return moved(step, parameter, by,
                 (int32_t)(rule->rate_shift + RATE_BITS) - rule->weight_fraction, gradient);
}

/* update_descent.h - gradient descent, with or without momentum, a part of update.c: the formulas
 * stand in update.h.  State: the velocity, if there is one. */
#pragma once

static nn_value descend(const struct step *step, int32_t gradient, int32_t *velocity,
                        nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t shift =
        (int32_t)(step->fraction + rule->rate_shift + RATE_BITS) - NN_VELOCITY_FRACTION;
    int64_t v = shifted(gradient * step->rate, shift);
    if (velocity != NULL) {
        v +=
            *velocity - shifted((int64_t)*velocity * rule->one_less_momentum, NN_MOMENTUM_FRACTION);
    }
    const int32_t cut_v = cut(v, INT32_MAX, &step->note->state_saturations);
    if (velocity != NULL) {
        *velocity = cut_v;
    }
    return moved(step, parameter, cut_v, NN_VELOCITY_FRACTION - rule->weight_fraction, gradient);
}

static inline void descent_begin(struct step *step)
{
    (void)step;
}

static inline nn_value descent_step(const struct step *step, int32_t gradient, int32_t *state,
                                    nn_value parameter)
{
    return descend(step, gradient, nn_rule_state_words(step->rule) == 0 ? NULL : state, parameter);
}

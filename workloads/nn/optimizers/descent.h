/* descent.h - gradient descent, with or without momentum (gradient descent is the same with
 * momentum 0): v <- v - rn(v (1 - m)) + rn(G r c / 2^k)      k = fraction of G + rate_shift + 8 -
 * 28 w <- sat(w - rn(v / 2^(28 - fraction of w))) A negative k shifts to the left.  State: the
 * velocity v, if there is one. On singles: v <- v m + G r, w <- w - v, with m, r and G's unit as
 * exact floats. */
#pragma once
#include "rule.h"

#if NN_INTEGERS

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

static inline void RULE_BEGIN(struct step *step)
{
    (void)step;
}

static inline nn_value RULE_STEP(const struct step *step, int32_t gradient, int32_t *state,
                                 nn_value parameter)
{
    return descend(step, gradient, nn_rule_state_words(step->rule) == 0 ? NULL : state, parameter);
}

#include "loop.h"

#elif NN_FLOATS

static uint32_t state_words_of(const struct nn_rule *rule)
{
    return rule->optimizer == NN_MOMENTUM ? 1 : 0;
}

#if !__STDC_HOSTED__
uint32_t nn_rule_state_words(const struct nn_rule *rule)
{
    return state_words_of(rule);
}
#endif

void RULE_UPDATE(const struct nn_rule *rule, uint32_t step, uint32_t rate, uint32_t first,
                 uint32_t count, uint32_t weights_end, const int32_t *gradient, int32_t *state,
                 nn_value *parameters, struct nn_update_note *note)
{
    const int32_t fraction = NN_ERROR_FRACTION + RATE_BITS + rule->rate_shift;
    const float unit = (float)(rate * rule->rate_scale) * nn_float_power(-fraction);
    const float kept = (float)((1 << NN_MOMENTUM_FRACTION) - (int32_t)rule->one_less_momentum) *
                       nn_float_power(-NN_MOMENTUM_FRACTION);
    const uint32_t words = state_words_of(rule);
    (void)step;
    (void)weights_end;
    for (uint32_t i = 0; i < count; i++) {
        float by = (float)gradient[i] * unit;
        notice(note, gradient[i], first + i);
        if (words > 0) {
            by = nn_float_of((uint32_t)state[i]) * kept + by;
            state[i] = (int32_t)nn_float_bits(by);
        }
        parameters[i] -= by;
    }
}

#elif NN_DOUBLES

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        state[i] = step->momentum * state[i] + step->rate * gradients[i];
        parameters[i] -= state[i];
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    (void)word;
    *what = "velocity"; /* any value is valid */
    return true;
}

#endif

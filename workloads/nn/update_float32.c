/* update_float32.c - the learning step on singles: v <- v m + G r, w <- w - v, with m, r and G's
 * unit as exact floats. */
#include "update.h"

#include "kernels.h"

NN_NEEDS(TRAINS)

enum { RATE_BITS = 8 /* of NN_FULL_RATE */ };

uint32_t nn_rule_state_words(const struct nn_rule *rule)
{
    return rule->optimizer == NN_MOMENTUM ? 1 : 0;
}

static void notice(struct nn_update_note *note, int32_t gradient, uint32_t at)
{
    const uint32_t size = gradient < 0 ? 0u - (uint32_t)gradient : (uint32_t)gradient;
    if (size > note->largest) {
        note->largest = size;
        note->largest_at = at;
    }
}

void nn_update(const struct nn_rule *rule, uint32_t step, uint32_t rate, uint32_t first,
               uint32_t count, uint32_t weights_end, const int32_t *gradient, int32_t *state,
               float *parameters, struct nn_update_note *note)
{
    const int32_t fraction = NN_ERROR_FRACTION + RATE_BITS + rule->rate_shift;
    const float unit = (float)(rate * rule->rate_scale) * nn_float_power(-fraction);
    const float kept = (float)((1 << NN_MOMENTUM_FRACTION) - (int32_t)rule->one_less_momentum) *
                       nn_float_power(-NN_MOMENTUM_FRACTION);
    const uint32_t words = nn_rule_state_words(rule);
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

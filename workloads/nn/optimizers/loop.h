/* loop.h - the whole update in integers, by the NAME_begin() and NAME_step() that stand before it:
 * the end of a rule's section NN_INTEGERS (rule.h). */
#pragma once
#include "rule.h"

void RULE_UPDATE(const struct nn_rule *rule, uint32_t step, uint32_t rate, uint32_t first,
                 uint32_t count, uint32_t weights_end, const int32_t *gradient, int32_t *state,
                 nn_value *parameters, struct nn_update_note *note)
{
    struct step now = {
        .rule = rule, .number = step, .rate = (int64_t)rate * rule->rate_scale, .note = note};
    RULE_BEGIN(&now);
    const uint32_t words = nn_rule_state_words(rule);
    for (uint32_t i = 0; i < count; i++, state += words) {
        now.fraction =
            rule->error_fraction + (first + i < weights_end ? rule->activation_fraction : 0u);
        notice(note, gradient[i], first + i);
        parameters[i] = RULE_STEP(&now, gradient[i], state, parameters[i]);
    }
}

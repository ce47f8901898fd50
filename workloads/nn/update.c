/* update.c - the updates of the host, which has the rules of all rows; a program has one rule,
 * whose file has these two functions (optimizers/rule.h). */
#include "update.h"
#include "kernels.h"

NN_NEEDS(TRAINS)

#define DESCENT(NAME, name, WORDS) nn_update_function nn_update_##name NN_SYMBOL(nn_update_##name);
#if !NN_FLOATS
#define OPTIMIZER DESCENT
#endif
#include "optimizers.def"

uint32_t nn_rule_state_words(const struct nn_rule *rule)
{
    return rule->optimizer & 3u;
}

void nn_update(const struct nn_rule *rule, uint32_t step, uint32_t rate, uint32_t first,
               uint32_t count, uint32_t weights_end, const int32_t *gradient, int32_t *state,
               nn_value *parameters, struct nn_update_note *note)
{
    nn_update_function *update = NULL;
    switch (rule->optimizer) {
#define DESCENT(NAME, name, WORDS)                                                                 \
    case NN_##NAME:                                                                                \
        update = nn_update_##name;                                                                 \
        break;
#if !NN_FLOATS
#define OPTIMIZER DESCENT
#endif
#include "optimizers.def"
    default:
        return;
    }
    update(rule, step, rate, first, count, weights_end, gradient, state, parameters, note);
}

/* update.c - see update.h. */
#include "update.h"

#include "hash.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

enum { RATE_BITS = 8 /* of NN_FULL_RATE */ };

uint32_t nn_rule_state_words(const struct nn_rule *rule)
{
    enum {
        ALL = 0
#define DESCENT(NAME, name, WORDS, NUMBER)   | NN_##NAME
#define OPTIMIZER(NAME, name, WORDS, NUMBER) | NN_##NAME
#include "optimizers.def"
    };
    return ALL > 3 ? rule->optimizer & 3u : rule->optimizer;
}

/* ---- rounding ---- */

/* value / 2^shift, to nearest, halves upwards; a negative shift multiplies */
static int64_t shifted(int64_t value, int32_t shift)
{
    if (shift <= 0) {
        return (int64_t)((uint64_t)value << -shift);
    }
    return (value + (INT64_C(1) << (shift - 1))) >> shift;
}

/* The same, up as often as the rest is large. */
static int64_t shifted_by_chance(int64_t value, int32_t shift, uint32_t word)
{
    if (shift <= 0) {
        return shifted(value, shift);
    }
    const uint64_t added =
        shift <= 32 ? (uint64_t)word >> (32 - shift) : (uint64_t)word << (shift - 32);
    return (value + (int64_t)added) >> shift;
}

static int32_t cut(int64_t value, int64_t most, uint32_t *cuts)
{
    if (value > most || value < -most - 1) {
        ++*cuts;
        return (int32_t)(value < 0 ? -most - 1 : most);
    }
    return (int32_t)value;
}

/* ---- one step ---- */

struct step {
    const struct nn_rule *rule;
    uint32_t number;
    int64_t rate;      /* rate x rate_scale: below 2^23 */
    uint32_t fraction; /* of the sums: of weights, then of biases */
    uint32_t correction;
    struct nn_update_note *note;
    uint32_t coupling, next_coupling, fade; /* of AcceleGrad: 1 / a, 1 / a+, 1 - (a- / a)^2 */
};

static nn_value moved(const struct step *step, nn_value parameter, int64_t by, int32_t shift,
                      int32_t gradient)
{
    int64_t rounded;
    if (step->rule->rounding == NN_STOCHASTIC) {
        uint32_t word = nn_hash_with(nn_hash(step->rule->seed), step->number);
        word = nn_hash_with(nn_hash_with(word, (uint32_t)gradient), (uint32_t)parameter);
        rounded = shifted_by_chance(by, shift, nn_hash_with(word, (uint32_t)by));
    } else {
        rounded = shifted(by, shift);
    }
    return (nn_value)cut((int64_t)parameter - rounded, NN_VALUE_MOST, &step->note->saturations);
}

#ifndef NN_RULE
#include "update_descent.h"
#endif

/* ---- rules of their own ---- */

/* Programs with several rules have the step of each apart. */
#ifdef NN_RULE
#define RULE_STEP_KIND static inline
#else
#define RULE_STEP_KIND static __attribute__((cold, noinline))
#endif

#ifdef NN_RULE /* a program that is linked for its experiment has one rule, update_NN_RULE.h */
#include NN_QUOTE(NN_JOIN(update, NN_RULE).h)
#define RULE_BEGIN NN_JOIN(NN_RULE, begin)
#define RULE_STEP  NN_JOIN(NN_RULE, step)
#else
#define OPTIMIZER_STEPS
#include "optimizers.def"
#endif

/* ---- the whole ---- */

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
               nn_value *parameters, struct nn_update_note *note)
{
    struct step now = {
        .rule = rule, .number = step, .rate = (int64_t)rate * rule->rate_scale, .note = note};
#ifdef NN_RULE
    RULE_BEGIN(&now);
#else
#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    if (rule->optimizer == NN_##NAME) {                                                            \
        name##_begin(&now);                                                                        \
    }
#include "optimizers.def"
#endif
    const uint32_t words = nn_rule_state_words(rule);
    for (uint32_t i = 0; i < count; i++, state += words) {
        now.fraction =
            rule->error_fraction + (first + i < weights_end ? rule->activation_fraction : 0u);
        notice(note, gradient[i], first + i);
        parameters[i] =
#ifdef NN_RULE
            RULE_STEP(&now, gradient[i], state, parameters[i]);
#else
#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    rule->optimizer == NN_##NAME ? name##_step(&now, gradient[i], state, parameters[i]):
#include "optimizers.def"
            descend(&now, gradient[i], words == 0 ? NULL : state, parameters[i]);
#endif
    }
}

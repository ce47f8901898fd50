/* rule.h - what the files of this folder begin with.  A file is a rule, NN_RULE its name, with up
 * to three sections; each is compiled by itself (../doubles.h):
 *
 *   NN_INTEGERS   NAME_begin() and NAME_step(), for an update and for a parameter; then loop.h
 *                 makes nn_update() of them
 *   NN_FLOATS     singles: of gradient descent only (descent.h)
 *   NN_DOUBLES    `struct optimizer`: what only the host needs
 *
 * In a program its rule is nn_update(), on the host one of several: nn_update_NAME(). */
#pragma once
#include "../kernels.h"
#include "../update.h"

#include <stddef.h>

/* Not every rule has each of these. */
#define RULE_PART static __attribute__((unused))

#if NN_DOUBLES
#include "../doubles.h"
#else
#include "../hash.h"

enum { RATE_BITS = 8 /* of NN_FULL_RATE */ };

#define RULE_BEGIN NN_JOIN(NN_RULE, begin)
#define RULE_STEP  NN_JOIN(NN_RULE, step)
#if __STDC_HOSTED__
#define RULE_UPDATE NN_JOIN(nn_update, NN_RULE)
nn_update_function RULE_UPDATE NN_SYMBOL(RULE_UPDATE);
#else
#define RULE_UPDATE nn_update
#endif

RULE_PART void notice(struct nn_update_note *note, int32_t gradient, uint32_t at)
{
    const uint32_t size = gradient < 0 ? 0u - (uint32_t)gradient : (uint32_t)gradient;
    if (size > note->largest) {
        note->largest = size;
        note->largest_at = at;
    }
}

#if NN_INTEGERS

#if !__STDC_HOSTED__
uint32_t nn_rule_state_words(const struct nn_rule *rule)
{
    return rule->optimizer & 3u;
}
#endif

/* ---- rounding ---- */

/* value / 2^shift, to nearest, halves upwards; a negative shift multiplies */
RULE_PART int64_t shifted(int64_t value, int32_t shift)
{
    if (shift <= 0) {
        return (int64_t)((uint64_t)value << -shift);
    }
    return (value + (INT64_C(1) << (shift - 1))) >> shift;
}

/* The same, up as often as the rest is large. */
RULE_PART int64_t shifted_by_chance(int64_t value, int32_t shift, uint32_t word)
{
    if (shift <= 0) {
        return shifted(value, shift);
    }
    const uint64_t added =
        shift <= 32 ? (uint64_t)word >> (32 - shift) : (uint64_t)word << (shift - 32);
    return (value + (int64_t)added) >> shift;
}

RULE_PART int32_t cut(int64_t value, int64_t most, uint32_t *cuts)
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

/* The parameter less by / 2^shift. */
RULE_PART nn_value moved(const struct step *step, nn_value parameter, int64_t by, int32_t shift,
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

#endif /* integers */

#endif

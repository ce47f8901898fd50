/* toy_optimizer.c - an optimizer for a test: a parameter moves by the rate against its gradient's
 * sign where that is the sign of the step before.
 * State: that sign. */
#define NN_RULE agree
#include "workloads/nn/optimizers/rule.h"

#if NN_INTEGERS

static inline void agree_begin(struct step *step)
{
    (void)step;
}

static inline nn_value agree_step(const struct step *step, int32_t gradient, int32_t *state,
                                  nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t sign = (gradient > 0) - (gradient < 0);
    const int64_t by = sign == state[0] ? sign * step->rate : 0;
    state[0] = sign;
    return moved(step, parameter, by,
                 (int32_t)(rule->rate_shift + RATE_BITS) - rule->weight_fraction, gradient);
}

#include "workloads/nn/optimizers/loop.h"

#elif NN_DOUBLES

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        const double sign = (gradients[i] > 0) - (gradients[i] < 0);
        parameters[i] -= sign == state[i] ? sign * step->rate : 0;
        state[i] = sign;
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    *what = "sign";
    return word >= -1 && word <= 1;
}

const struct optimizer optimizer_agree = {OPTIMIZER_ROW(AGREE, agree), .doubles = doubles,
                                          .is_state = is_state, .cycles = {.int16 = 200},
                                          .source = "a guess: no program is made of it"};

#endif

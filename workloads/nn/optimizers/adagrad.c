/* adagrad.c - AdaGrad (Duchi, Hazan and Singer 2011, with a diagonal matrix):
 *     u <- u + G^2        w <- sat(w - rn(rate G / (sqrt(u) + epsilon)))
 * State: the sum of squares u. */
#define NN_RULE adagrad
#include "squares.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

static inline void adagrad_begin(struct step *step)
{
    (void)step;
}

static inline nn_value adagrad_step(const struct step *step, int32_t gradient, int32_t *state,
                                    nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t g = aligned_sum(step, gradient);
    const uint64_t u = squares_with(step, unpacked((uint32_t)*state), g, state);
    const int32_t shift =
        (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - rule->weight_fraction;
    return moved(step, parameter, ratio_of(g, u, rule->epsilon) * step->rate, shift, gradient);
}

#include "loop.h"

#elif NN_DOUBLES

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        state[i] += gradients[i] * gradients[i];
        parameters[i] -= step->rate * gradients[i] / (sqrt(state[i]) + OPTIMIZER_EPSILON);
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    *what = "sum of squares";
    return are_squares(word, SQUARES_BITS);
}

const struct optimizer optimizer_adagrad = {
    OPTIMIZER_ROW(ADAGRAD, adagrad), .doubles = doubles, .is_state = is_state,
    .cycles = {.int16 = 1266, .s1615 = 1314},
    .source = "parameters_update of lenet1 on one chip, more than momentum's"};

#endif

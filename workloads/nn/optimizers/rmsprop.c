/* rmsprop.c - RMSProp (Tieleman and Hinton 2012, lecture 6e): AdaGrad with a mean of squares in
 * place of their sum: u <- u + (G^2 - u)(1 - b2)        w <- sat(w - rn(rate G / (sqrt(u) +
 * epsilon))) The mean is not corrected: the first steps are up to 1 / sqrt(1 - b2) times as long.
 * State: the mean of squares u. */
#define NN_RULE rmsprop
#include "squares.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

static inline void rmsprop_begin(struct step *step)
{
    (void)step;
}

static inline nn_value rmsprop_step(const struct step *step, int32_t gradient, int32_t *state,
                                    nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t g = aligned_sum(step, gradient);
    const uint64_t u = moved_mean(unpacked((uint32_t)*state), (uint64_t)((int64_t)g * g),
                                  rule->one_less_decay, NN_SECOND_MOMENT_FRACTION);
    *state = (int32_t)packed(u);
    const int32_t shift =
        (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - rule->weight_fraction;
    return moved(step, parameter, ratio_of(g, u, rule->epsilon) * step->rate, shift, gradient);
}

#include "loop.h"

#elif NN_DOUBLES

/* 1 - b2, as their lecture gives it. */
static const double SQUARE = 0.1;

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        state[i] += (gradients[i] * gradients[i] - state[i]) * SQUARE;
        parameters[i] -= step->rate * gradients[i] / (sqrt(state[i]) + OPTIMIZER_EPSILON);
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    *what = "mean of squares";
    return are_squares(word, 2 * SUM_BITS);
}

const struct optimizer optimizer_rmsprop = {
    OPTIMIZER_ROW(RMSPROP, rmsprop),
    .doubles = doubles,
    .is_state = is_state,
    .one_less_square = 0.1,
    .cycles = {.int16 = 1301, .s1615 = 1349},
    .source = "AdaGrad's and 35 more: 10240 steps of each on one core, the same gradients"};

#endif

/* adam.c - Adam (Kingma and Ba 2015, in the order of their section 2, which corrects both means at
 * once):
 *     a <- a + rn((G - a)(1 - b1))       u <- u + (G^2 - u)(1 - b2)
 *     w <- sat(w - rn(rate sqrt(1 - b2^t) / (1 - b1^t) a / (sqrt(u) + epsilon)))
 * State: the first moment a, then the second, u. */
#define NN_RULE adam
#include "squares.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

enum { CORRECTION_FRACTION = 24 };

#define ONE_32 (UINT64_C(1) << 32)

/* 1 - (1 - less)^exponent; less, not 0, and the result with 32 fractional bits */
static uint64_t one_less_power(uint64_t less, uint32_t exponent)
{
    uint64_t power = ONE_32;
    for (uint64_t base = ONE_32 - less; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            power = (power * base) >> 32;
        }
        base = (base * base) >> 32;
    }
    return ONE_32 - power;
}

/* sqrt(1 - b2^t) / (1 - b1^t) */
static __attribute__((cold, noinline)) uint32_t correction_of(const struct nn_rule *rule,
                                                              uint32_t times)
{
    const uint64_t first =
        one_less_power((uint64_t)rule->one_less_momentum << (32 - NN_MOMENTUM_FRACTION), times);
    const uint64_t second =
        one_less_power((uint64_t)rule->one_less_decay << (32 - NN_SECOND_MOMENT_FRACTION), times);
    const uint64_t top = second < ONE_32 ? root(second << 32) : ONE_32;
    return first == 0 ? 0 : (uint32_t)((top << CORRECTION_FRACTION) / first);
}

static inline void adam_begin(struct step *step)
{
    step->correction = correction_of(step->rule, step->number + 1);
}

static inline nn_value adam_step(const struct step *step, int32_t gradient, int32_t *state,
                                 nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t g = aligned_sum(step, gradient);
    const int64_t gap = (int64_t)g - state[0];
    state[0] += (int32_t)shifted(gap * rule->one_less_momentum, NN_MOMENTUM_FRACTION);
    const uint64_t u = moved_mean(unpacked((uint32_t)state[1]), (uint64_t)((int64_t)g * g),
                                  rule->one_less_decay, NN_SECOND_MOMENT_FRACTION);
    state[1] = (int32_t)packed(u);
    const int64_t ratio =
        shifted(ratio_of(state[0], u, rule->epsilon) * step->correction, CORRECTION_FRACTION);
    const int32_t shift =
        (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - rule->weight_fraction;
    return moved(step, parameter, ratio * step->rate, shift, gradient);
}

#include "loop.h"

#elif NN_DOUBLES

/* 1 - b1 and 1 - b2, as Kingma and Ba give them. */
static const double MEAN = 0.1;
static const double SQUARE = 0.001;

/* 1 - base^exponent, using only multiplications: the same on every host. */
static double one_less_power(double base, uint64_t exponent)
{
    double power = 1;
    for (; exponent != 0; exponent >>= 1) {
        power *= (exponent & 1) != 0 ? base : 1;
        base *= base;
    }
    return 1 - power;
}

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    const uint64_t times = step->number + 1;
    const double second = sqrt(one_less_power(1 - SQUARE, times));
    const double rate = step->rate * second / one_less_power(1 - MEAN, times);
    for (size_t i = 0; i < count; i++) {
        double *mean = &state[2 * i];
        double *square = &state[2 * i + 1];
        *mean += (gradients[i] - *mean) * MEAN;
        *square += (gradients[i] * gradients[i] - *square) * SQUARE;
        parameters[i] -= rate * *mean / (sqrt(*square) + OPTIMIZER_EPSILON * second);
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    if (place % 2 == 0) {
        *what = "first moment of Adam";
        return word >= -(1 << SUM_BITS) && word < 1 << SUM_BITS;
    }
    *what = "second moment of Adam";
    return are_squares(word, 2 * SUM_BITS);
}

const struct optimizer optimizer_adam = {
    OPTIMIZER_ROW(ADAM, adam),
    .doubles = doubles,
    .is_state = is_state,
    .one_less_mean = 0.1,
    .one_less_square = 0.001,
    .cycles = {.int16 = 1504, .s1615 = 1516},
    .source = "parameters_update of lenet1 on one chip, more than momentum's"};

#endif

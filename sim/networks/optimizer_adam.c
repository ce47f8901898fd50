/* optimizer_adam.c - Adam in doubles, and what its state can be: a row of optimizers.def. */
#include "sim/networks/optimizer.h"

#include <math.h>

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

void optimizer_adam_doubles(const struct optimizer_step *step, size_t count,
                            const double *gradients, double *state, double *parameters)
{
    const uint64_t times = step->number + 1;
    const double second = sqrt(one_less_power(1 - OPTIMIZER_ADAM_SQUARE, times));
    const double rate = step->rate * second / one_less_power(1 - OPTIMIZER_ADAM_MEAN, times);
    for (size_t i = 0; i < count; i++) {
        double *mean = &state[2 * i];
        double *square = &state[2 * i + 1];
        *mean += (gradients[i] - *mean) * OPTIMIZER_ADAM_MEAN;
        *square += (gradients[i] * gradients[i] - *square) * OPTIMIZER_ADAM_SQUARE;
        parameters[i] -= rate * *mean / (sqrt(*square) + OPTIMIZER_EPSILON * second);
    }
}

/* State of a parameter: a word for the first moment, then a word for the second. */
bool optimizer_adam_is_state(size_t place, int32_t word, const char **what)
{
    enum { SUM_BITS = 30 };
    if (place % 2 == 0) {
        *what = "first moment of Adam";
        return word >= -(1 << SUM_BITS) && word < 1 << SUM_BITS;
    }
    *what = "second moment of Adam";
    return optimizer_are_squares(word, 2 * SUM_BITS);
}

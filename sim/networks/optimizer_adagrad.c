/* optimizer_adagrad.c - AdaGrad in doubles, and what its state can be: a row of optimizers.def. */
#include "sim/networks/optimizer.h"

#include <math.h>

/* State: the sum of squares. */
void optimizer_adagrad_doubles(const struct optimizer_step *step, size_t count,
                               const double *gradients, double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        state[i] += gradients[i] * gradients[i];
        parameters[i] -= step->rate * gradients[i] / (sqrt(state[i]) + OPTIMIZER_EPSILON);
    }
}

bool optimizer_adagrad_is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    *what = "sum of squares";
    return optimizer_are_squares(word, OPTIMIZER_SQUARES_BITS);
}

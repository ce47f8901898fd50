/* optimizer_accelegrad.c - AcceleGrad in doubles, and what its state can be: a row of
 * optimizers.def. */
#include "sim/networks/optimizer.h"

#include <math.h>

double optimizer_accelegrad_weight(uint64_t number)
{
    return number < 3 ? 1 : 0.25 * (double)(number + 1);
}

/* State: z - w, then the sum of squares. */
void optimizer_accelegrad_doubles(const struct optimizer_step *step, size_t count,
                                  const double *gradients, double *state, double *parameters)
{
    const double weight = optimizer_accelegrad_weight(step->number);
    const double coupling = 1 / optimizer_accelegrad_weight(step->number + 1);
    for (size_t i = 0; i < count; i++) {
        const double weighted = weight * gradients[i];
        double *ahead = &state[2 * i];
        double *squares = &state[2 * i + 1];
        *squares += weighted * weighted;
        const double rate = step->rate / (sqrt(*squares) + OPTIMIZER_EPSILON);
        const double z = parameters[i] + *ahead - rate * weighted;
        const double y = parameters[i] - rate * gradients[i];
        parameters[i] = coupling * z + (1 - coupling) * y;
        *ahead = z - parameters[i];
    }
}

bool optimizer_accelegrad_is_state(size_t place, int32_t word, const char **what)
{
    *what = "sum of squares";
    return place % 2 == 0 || optimizer_are_squares(word, OPTIMIZER_SQUARES_BITS);
}

/* optimizer_agree.c - the optimizer of update_agree.h in doubles, and what its state can be. */
#include "sim/networks/optimizer.h"

void optimizer_agree_doubles(const struct optimizer_step *step, size_t count,
                             const double *gradients, double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        const double sign = (gradients[i] > 0) - (gradients[i] < 0);
        parameters[i] -= sign == state[i] ? sign * step->rate : 0;
        state[i] = sign;
    }
}

bool optimizer_agree_is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    *what = "sign";
    return word >= -1 && word <= 1;
}

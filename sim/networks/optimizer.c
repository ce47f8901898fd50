/* optimizer.c - see optimizer.h. */
#include "sim/networks/optimizer.h"

/* ---- gradient descent ---- */

static void descent_doubles(const struct optimizer_step *step, size_t count,
                            const double *gradients, double *state, double *parameters)
{
    for (size_t i = 0; i < count; i++) {
        state[i] = step->momentum * state[i] + step->rate * gradients[i];
        parameters[i] -= state[i];
    }
}

static bool descent_is_state(size_t place, int32_t word, const char **what)
{
    (void)place;
    (void)word;
    *what = "velocity"; /* any value is valid */
    return true;
}

/* ---- the table ---- */

static const struct optimizer ROW[] = {
#define DESCENT(NAME, name, WORDS, NUMBER)                                                         \
    [CONFIG_OPTIMIZER_##NAME] = {#name, NN_##NAME, WORDS, true, descent_doubles, descent_is_state},
#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    [CONFIG_OPTIMIZER_##NAME] = {                                                                  \
        #name, NN_##NAME, WORDS, false, optimizer_##name##_doubles, optimizer_##name##_is_state},
#include "workloads/nn/optimizers.def"
};

const struct optimizer *optimizer_of(enum config_optimizer optimizer)
{
    return &ROW[optimizer];
}

const struct optimizer *optimizer_of_rule(uint8_t rule)
{
    for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
        if (ROW[i].rule == rule) {
            return &ROW[i];
        }
    }
    return NULL;
}

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
#define ROW_OF(NAME, name, WORDS, descends, of)                                                    \
    [CONFIG_OPTIMIZER_##NAME] = {#name, NN_##NAME, WORDS, descends, of##_doubles, of##_is_state},
#define DESCENT(NAME, name, WORDS, NUMBER)   ROW_OF(NAME, name, WORDS, true, descent)
#define OPTIMIZER(NAME, name, WORDS, NUMBER) ROW_OF(NAME, name, WORDS, false, optimizer_##name)
#include "workloads/nn/optimizers.def"
};

const struct optimizer *optimizer_of(enum config_optimizer optimizer)
{
    return &ROW[optimizer];
}

#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    _Static_assert((WORDS) <= OPTIMIZER_MOST_WORDS, "an id has two bits for the words");
#define DESCENT OPTIMIZER
#include "workloads/nn/optimizers.def"

/* Rows with the same words and number, so with one id, are a case twice, which does not compile. */
const struct optimizer *optimizer_of_rule(uint8_t rule)
{
    switch (rule) {
#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    case NN_##NAME:                                                                                \
        return &ROW[CONFIG_OPTIMIZER_##NAME];
#define DESCENT OPTIMIZER
#include "workloads/nn/optimizers.def"
    default:
        return NULL;
    }
}

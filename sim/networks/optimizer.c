/* optimizer.c - see optimizer.h. */
#include "sim/networks/optimizer.h"

#include <stddef.h>

const struct optimizer *optimizer_of(enum config_optimizer optimizer)
{
    static const struct optimizer *const ROW[] = {
#define OPTIMIZER(NAME, name, WORDS) [CONFIG_OPTIMIZER_##NAME] = &optimizer_##name,
#define DESCENT                      OPTIMIZER
#include "workloads/nn/optimizers.def"
    };
    return (size_t)optimizer < sizeof ROW / sizeof ROW[0] ? ROW[optimizer] : NULL;
}

const struct optimizer *optimizer_of_rule(uint8_t rule)
{
    switch (rule) {
#define OPTIMIZER(NAME, name, WORDS)                                                               \
    case NN_##NAME:                                                                                \
        return &optimizer_##name;
#define DESCENT OPTIMIZER
#include "workloads/nn/optimizers.def"
    default:
        return NULL;
    }
}

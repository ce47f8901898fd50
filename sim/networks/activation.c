/* activation.c - see activation.h. */
#include "sim/networks/activation.h"

const struct activation *activation_of(enum network_activation activation)
{
    static const struct activation *const ROW[] = {
#define ACTIVATION(NAME, name) [NETWORK_##NAME] = &activation_##name,
#define ENDING(NAME, name)     [NETWORK_##NAME] = &activation_##name,
#include "workloads/nn/activations.def"
    };
    return ROW[activation];
}

const struct activation *activation_of_row(uint8_t row)
{
    static const struct activation *const ROW[] = {
#define ACTIVATION(NAME, name) [NN_##NAME] = &activation_##name,
#include "workloads/nn/activations.def"
    };
    return ROW[row];
}

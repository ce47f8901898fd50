/* activation.c - see activation.h. */
#include "activation.h"

#include <stddef.h>

NN_NEEDS(OPERATORS)

/* In the order of the numbers that a layer table has. */
static const struct nn_activation_kernels *const KERNELS[] = {
#if __STDC_HOSTED__
#define OF_KERNELS(NAME, name)
#define ACTIVATION(NAME, name) &nn_activation_##name,
#include "activations.def"
#else /* defined by the linker: sim/mapping/program_recipe.c */
    &NN_ACTIVATION_FIRST, &NN_ACTIVATION_SECOND, &NN_ACTIVATION_THIRD
#endif
};

void nn_activate(enum nn_activation activation, uint32_t fraction, int16_t *values, uint32_t count)
{
    if (activation > NN_RELU) {
        KERNELS[activation - NN_RELU - 1]->forward(fraction, values, count);
    }
}

void nn_activation_back(enum nn_activation activation, uint32_t fraction, const int16_t *outputs,
                        int16_t *errors, uint32_t count)
{
    if (activation > NN_RELU) {
        KERNELS[activation - NN_RELU - 1]->back(fraction, outputs, errors, count);
    }
}

/* conv2d_chosen.c - convolutions, and layers with kernels of their own: by their rows. */
#include "layers/layer_kernels.h"

NN_NEEDS(OPERATORS)

/* By nn_kernels_of(). */
static const struct nn_layer_kernels *const KERNELS[] = {
    NULL,
#if __STDC_HOSTED__
#define KERNELS(NAME, name) &nn_kernels_##name,
#include "tables/layer_kernels.def"
#else
    &NN_KERNELS_FIRST, &NN_KERNELS_SECOND, &NN_KERNELS_THIRD
#endif
};

void nn_conv2d_chosen(const struct nn_arguments *arguments)
{
    const struct nn_layer_kernels *own = KERNELS[nn_kernels_of(arguments->layer)];
    (own == NULL ? nn_conv2d_linked : own->forward)(arguments);
}

void nn_conv2d_chosen_gradient(const struct nn_layer *layer, const nn_value *input,
                               const struct nn_event *events, const uint16_t *counts,
                               int32_t *weights, int32_t *biases)
{
    const struct nn_layer_kernels *own = KERNELS[nn_kernels_of(layer)];
    (own == NULL ? nn_conv2d_linked_gradient : own->gradient)(layer, input, events, counts, weights,
                                                              biases);
}

void nn_conv2d_chosen_input_sums(const struct nn_layer *layer, const nn_value *weights,
                                 const struct nn_event *events, const uint16_t *counts,
                                 nn_total *sums)
{
    const struct nn_layer_kernels *own = KERNELS[nn_kernels_of(layer)];
    (own == NULL ? nn_conv2d_linked_input_sums : own->input_sums)(layer, weights, events, counts,
                                                                  sums);
}

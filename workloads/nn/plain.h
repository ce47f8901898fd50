/* plain.h - inside of the kernels of a format that has no loops of its own: from a sum to an
 * output.  The sums have a value's fractional bits already. */
#pragma once
#include "backward.h"

static inline nn_total nn_activated(const struct nn_layer *layer, nn_total value)
{
    return layer->activation == NN_RELU && value < 0 ? 0 : value;
}

/* Outputs of the last layer are sums. */
static inline void nn_put(const struct nn_arguments *arguments, uint32_t index, nn_total sum)
{
    if (arguments->layer->is_last) {
        ((nn_total *)arguments->output)[index] = sum;
        return;
    }
    ((nn_value *)arguments->output)[index] =
        nn_value_of(nn_activated(arguments->layer, sum), &arguments->numerics->saturations);
}

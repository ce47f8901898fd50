/* activation.h - activations that follow a layer's rounding, in place: tanh, sigmoid and the scaled
 * tanh of LeCun et al. 1998, 1.7159 tanh(2 x / 3), by a table with interpolation.  Identity and
 * ReLU are part of the layer itself (kernels.h). Values have `fraction` fractional bits, 8 to 15,
 * before and after.  Beyond half a unit of the result sigmoid is at most 5.2e-5 away from the exact
 * value, tanh 1.05e-4, scaled tanh 1.8e-4; what the format cannot hold is cut. */
#pragma once
#include "kernels.h"
NN_LINKAGE_BEGIN

void nn_activate(enum nn_activation activation, uint32_t fraction, int16_t *values,
                 uint32_t count) NN_OPTIONAL;

/* True if a layer's activation is computed here, not by its kernel. */
static inline bool nn_has_table_activation(const struct nn_layer *layer)
{
    return NN_HAS(nn_activate) &&
           (layer->activation == NN_TANH || layer->activation == NN_SIGMOID ||
            layer->activation == NN_SCALED_TANH);
}

/* Converts errors at the activation's output to errors at its input, by the derivative in terms of
 * the output: 1 - y^2 for tanh, y (1 - y) for sigmoid, 1.14393 - 0.38852 y^2 for scaled tanh, where
 * an error is cut to 16 bits; one rounding.  For ReLU: nn_relu_back(). */
void nn_activation_back(enum nn_activation activation, uint32_t fraction, const int16_t *outputs,
                        int16_t *errors, uint32_t count) NN_OPTIONAL;

NN_LINKAGE_END

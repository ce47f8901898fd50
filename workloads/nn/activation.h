/* activation.h - activations that follow a layer's rounding, in place: the rows
 * ACTIVATION of activations.def; the others are part of the layer itself (kernels.h).  Values have
 * `fraction` fractional bits, 8 to 15, before and after; what the format cannot hold is cut. */
#pragma once
#include "kernels.h"
NN_LINKAGE_BEGIN

/* Of an activation: activations/NAME.c. */
struct nn_activation_kernels {
    void (*forward)(uint32_t fraction, int16_t *values, uint32_t count);
    void (*back)(uint32_t fraction, const int16_t *outputs, int16_t *errors, uint32_t count);
};

#define OF_KERNELS(NAME, name)
#define ACTIVATION(NAME, name) extern const struct nn_activation_kernels nn_activation_##name;
#include "activations.def"
#if !__STDC_HOSTED__
extern const struct nn_activation_kernels NN_ACTIVATION_FIRST NN_OPTIONAL,
    NN_ACTIVATION_SECOND NN_OPTIONAL, NN_ACTIVATION_THIRD NN_OPTIONAL;
#endif

/* How many a layer table can name. */
enum { NN_ACTIVATION_ROWS = __STDC_HOSTED__ ? UINT8_MAX - NN_RELU : NN_ACTIVATION_PLACES };

/* Neither changes anything for identity and ReLU. */
void nn_activate(enum nn_activation activation, uint32_t fraction, int16_t *values,
                 uint32_t count) NN_OPTIONAL;

/* True if a layer's activation is computed here, not by its kernel. */
static inline bool nn_has_table_activation(const struct nn_layer *layer)
{
    return NN_HAS(nn_activate) && (uint8_t)(layer->activation - NN_RELU - 1) < NN_ACTIVATION_ROWS;
}

/* Converts errors at the activation's output to errors at its input, by the derivative in terms of
 * the output; rounded once, and cut to 16 bits.  For ReLU: nn_relu_back(). */
void nn_activation_back(enum nn_activation activation, uint32_t fraction, const int16_t *outputs,
                        int16_t *errors, uint32_t count) NN_OPTIONAL;

NN_LINKAGE_END

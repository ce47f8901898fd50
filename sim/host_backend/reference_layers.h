/* reference_layers.h - the layers in double precision, forward and backward, one image at a time.
 * Every sum has one fixed order, so the bits do not depend on compiler or processor (IEEE 754
 * doubles; no fused multiply-add: -ffp-contract=off).
 *
 * Backward functions take the gradient of the loss by their output and *add* the gradients by
 * weights, biases and input; where input_gradient is NULL it is not wanted. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/network.h"
#include "sim/networks/reference_softmax.h"
C_LINKAGE_BEGIN

/* A layer's parameters, or their gradients: weights [output][input][row][column] or
 * [output][input], biases [output]. */
struct layer_parameters {
    const double *weights, *biases;
};

struct layer_gradients {
    double *weights, *biases;
};

/* Cross-correlation; weights only of links that are there. */
void reference_conv2d(const struct network_layer *layer, const struct layer_parameters *parameters,
                      const double *input, double *output);
void reference_conv2d_backward(const struct network_layer *layer, const double *weights,
                               const double *input, const double *output_gradient,
                               const struct layer_gradients *gradients, double *input_gradient);

void reference_max_pool2d(const struct network_layer *layer, const double *input, double *output);
/* The gradient goes to the largest value of the window, of equals to the first, row by row. */
void reference_max_pool2d_backward(const struct network_layer *layer, const double *input,
                                   const double *output_gradient, double *input_gradient);

/* The mean of each window; its gradient is shared by the window's values. */
void reference_average_pool2d(const struct network_layer *layer, const double *input,
                              double *output);
void reference_average_pool2d_backward(const struct network_layer *layer,
                                       const double *output_gradient, double *input_gradient);

/* coefficient x sum of the window + bias, of each map */
void reference_subsample2d(const struct network_layer *layer,
                           const struct layer_parameters *parameters, const double *input,
                           double *output);
void reference_subsample2d_backward(const struct network_layer *layer, const double *weights,
                                    const double *input, const double *output_gradient,
                                    const struct layer_gradients *gradients,
                                    double *input_gradient);

void reference_dense(const struct network_layer *layer, const struct layer_parameters *parameters,
                     const double *input, double *output);
void reference_dense_backward(const struct network_layer *layer, const double *weights,
                              const double *input, const double *output_gradient,
                              const struct layer_gradients *gradients, double *input_gradient);

/* In place; of softmax nothing, as the outputs are logits.  ReLU's derivative at 0 is 0. */
void reference_activate(enum network_activation activation, double *values, size_t count);
/* From the gradient by the output to that by what was activated. */
void reference_activate_backward(enum network_activation activation, const double *output,
                                 double *gradient, size_t count);

C_LINKAGE_END

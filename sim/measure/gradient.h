/* gradient.h - a layer's gradients in doubles against central differences. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Draws weights, biases, inputs and a factor for each output from a seed, and sets *largest to the
 * largest difference between a gradient of the sum of factors times outputs, behind the activation,
 * and its central difference of steps of GRADIENT_STEP: by each weight, bias and input.  Weights
 * that are given and not trained are not moved. */
#define GRADIENT_STEP 1e-5
enum status gradient_difference(const struct network_layer *layer, uint64_t seed, double *largest,
                                struct diagnostic *diagnostic);

C_LINKAGE_END

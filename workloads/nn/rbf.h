/* rbf.h - an output layer of radial basis functions (LeCun et al. 1998), and its loss.
 *
 * An output is minus the squared distance of the inputs from weights of 1 and -1, of which only the
 * signs are read.  Values have `input_fraction` bits f, at most 11, and come from an activation
 * that is bounded by 1.72: 84 squares, at most 620, are sums with 2 f - 1 bits.  Each square is
 * shifted by itself, so a layer may be added up in parts over its inputs. */
#pragma once
#include "backward.h"
#include "loss.h"
NN_LINKAGE_BEGIN

void nn_rbf(const struct nn_arguments *arguments) NN_OPTIONAL;

/* Stores sums[input] = sum over the outputs of error x 2 (weight - input), as
 * nn_dense_input_sums(); the layer's weight_fraction is f - 1.  The weights have no gradient. */
void nn_rbf_input_sums(const struct nn_layer *layer, const int16_t *weights, const int16_t *input,
                       const int16_t *errors, int32_t *sums) NN_OPTIONAL;

NN_LINKAGE_END

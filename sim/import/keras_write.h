/* keras_write.h - a network's parameters as a `.weights.h5` of Keras. */
#pragma once
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Writes the parameters, network_parameters() doubles at the places of weights_place(), as float32.
 * The layout is that of Keras 3, which model.load_weights() of Keras 2.13 and later reads for a
 * Sequential model of the same layers (Conv2D, pools, Flatten, Dense): layers/CLASS/vars/N, where
 * the second layer of a class is CLASS_1, and N is 0 for the kernel, 1 for the biases.  The path
 * must end in ".weights.h5", as Keras demands.
 *
 * STATUS_CONFIGURATION for a layer that Keras has no class for: trained subsampling, RBF units,
 * links between maps. */
enum status keras_export(const char *path, const struct network *network, const double *parameters,
                         struct diagnostic *diagnostic);

C_LINKAGE_END

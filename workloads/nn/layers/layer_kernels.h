/* layer_kernels.h - what the files of this folder begin with.  A file is the kernels of a type of
 * layer, forward and back: NAME.c has `nn_kernels_NAME`.  Such a layer is a convolution to all else
 * (layer_table.h): windows over maps, with a table of links if not all input maps feed all output
 * maps, and a pool behind it if wanted.  Its weights, errors and sums are those of a convolution.
 *
 * Kernels may count on rows of int16.  They read from their row which part of the layer they
 * compute: some output maps, or some rows of them.  In a program they are there if its network has
 * such a layer. */
#pragma once
#include "../backward.h"
#include "../rounding.h"

#include <stddef.h>
NN_LINKAGE_BEGIN

struct nn_layer_kernels {
    /* As nn_conv2d(). */
    void (*forward)(const struct nn_arguments *arguments);
    /* As nn_conv2d_gradient(). */
    void (*gradient)(const struct nn_layer *layer, const nn_value *input,
                     const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                     int32_t *biases);
    /* As nn_conv2d_input_sums(). */
    void (*input_sums)(const struct nn_layer *layer, const nn_value *weights,
                       const struct nn_event *events, const uint16_t *counts, nn_total *sums);
};

#if __STDC_HOSTED__
/* The files of this folder, by name. */
enum nn_kernels {
    NN_KERNELS_NONE,
#define KERNELS(NAME, name) NN_KERNELS_##NAME,
#include "tables/layer_kernels.def"
    NN_KERNELS_COUNT
};
#define KERNELS(NAME, name) extern const struct nn_layer_kernels nn_kernels_##name;
#include "tables/layer_kernels.def"
#else /* defined by the linker: sim/mapping/program_recipe.c */
extern const struct nn_layer_kernels NN_KERNELS_FIRST NN_OPTIONAL, NN_KERNELS_SECOND NN_OPTIONAL,
    NN_KERNELS_THIRD NN_OPTIONAL;
#endif

NN_LINKAGE_END

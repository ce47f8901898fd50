/* counts.h - the size of a network in numbers that the literature publishes.
 *
 * They are counted as LeCun et al. 1998 count.  A subsampling layer (layer_subsample2d.c) has 4 + 1
 * connections for each output, but one multiplication; the modelled machine computes it as a
 * convolution, with a product for each input (network_layer_macs()). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/network.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct counts {
    uint64_t parameters;  /* weights and biases that are trained; a weight that several places share
                             counts once */
    uint64_t connections; /* uses of weights, biases and pooled values for one image */
    uint64_t macs;        /* multiply-accumulates of one image forward; biases not counted */
    uint64_t training_macs; /* of one image forward and backward: three times `macs`, less those of
                               the first layer, whose input needs no gradient; the update is not
                               counted */
};

struct counts counts_of_layer(const struct network *network, size_t layer);
struct counts counts_of(const struct network *network);

/* Writes a row for each layer and one for the network, aligned or as CSV. */
void counts_print(const struct network *network, bool csv, FILE *out);

C_LINKAGE_END

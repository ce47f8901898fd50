/* quantise.h - converts a network of int16 and its weights to int8 for inference
 * (workloads/nn/int8.h).
 *
 * Scales are powers of two.  A layer's weights have the finest scale in which its largest weight
 * fits 8 bits and its largest bias 16 bits; its outputs have the finest scale in which the largest
 * output fits that the int16 network produces for some images.  Sums keep the range of int16,
 * +-128.  Everything is rounded to nearest. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

enum {
    QUANTISE_IMAGES = 1000 /* first images of the training set, on which outputs are measured */
};

/* Replaces table and parameter block, and sets the network to NETWORK_INT8.  Rounds the weights'
 * doubles if there are any, else the integers.  STATUS_CONFIGURATION when the images do not fit the
 * network; nothing is changed then. */
enum status quantise(struct network *network, struct nn_table **table, struct weights *weights,
                     const struct dataset *images, struct diagnostic *diagnostic);

C_LINKAGE_END

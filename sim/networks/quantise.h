/* quantise.h - a network of int16 with its weights, made into one of int8 for inference
 * (workloads/nn/int8.h).
 *
 * Scales are powers of two, one for each layer: of its weights, the finest in which the largest of
 * them fits 8 bits, and its biases 16; of its outputs, the finest in which the largest fits that
 * int16 has made of some images.  Sums keep the room that they have in int16, +-128.  Everything is
 * rounded to nearest. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

enum { QUANTISE_IMAGES = 1000 /* of the training set, its first, to measure outputs on */ };

/* Replaces table and block, whose network is NETWORK_INT8 then.  Doubles of the weights, where
 * there are some, are what is rounded.  STATUS_CONFIGURATION when images do not fit the network;
 * all is as before then. */
enum status quantise(struct network *network, struct nn_table **table, struct weights *weights,
                     const struct dataset *images, struct diagnostic *diagnostic);

C_LINKAGE_END

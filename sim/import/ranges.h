/* ranges.h - the ranges of a model's numbers, and factors that bring them into those of int16.
 *
 * int16 has weights of +-4 (weight_fraction 13), activations of +-16 (activation_fraction 11), and
 * sums of +-128.  A layer with ReLU, or without an activation, may have all its outputs multiplied
 * by a factor above 0, if the next layer's weights are divided by it: factors change no answer.
 * Where everything fits, the factor is 1 and no number changes.  Elsewhere it is the largest, up to
 * 1, that leaves some room: images that have not been measured may have larger values.  The factor
 * of the last layer remains in the sums, and in the network's file.  tanh and sigmoid cannot be
 * scaled: if weights before them do not fit, all weights have less fractional bits. */
#pragma once
#include "sim/import/images.h"
#include "sim/import/lower.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

struct range_layer {
    double weight, bias, sum, output; /* the largest of each, of either sign, in the model */
    double factor;                    /* of its outputs */
};

struct ranges {
    struct range_layer layer[NETWORK_LAYERS];
    uint32_t weight_fraction;
    double right; /* share of the images that the doubles classify as labelled */
};

enum { RANGES_ACTIVATION_FRACTION = 11, RANGES_WEIGHT_FRACTION = 13 };

/* Measures a network with parameters in doubles on images. */
enum status ranges_measure(struct ranges *ranges, const struct network *network,
                           const double *parameters, const struct images *images,
                           struct diagnostic *diagnostic);

/* Chooses the factors and the weights' fractional bits. */
void ranges_choose(struct ranges *ranges, const struct network *network);

/* Multiplies the parameters by the factors, in place. */
void ranges_apply(const struct ranges *ranges, const struct network *network, double *parameters);

C_LINKAGE_END

/* lower.h - from a graph of nodes to a chain of layers that spinnsim has.
 *
 * One value flows from the input to the output.  What the graph does to it beside layers becomes a
 * part of layers: constants are computed; BatchNormalization, and sums and products with constants,
 * go into weights and biases; an order of values that differs from ours goes into the weights of
 * the dense layer behind it.  Everything is exact in real numbers.  What is not so, or has no
 * layer, is refused with its node, its operator and what to do.
 *
 * A pixel p enters as p / 256.  The model wants (p * scale - mean) / deviation: scale and mean go
 * into the first layer, too. */
#pragma once
#include "sim/import/model.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

enum { LOWER_MOST_MEANS = 16 };

/* What the model was trained on, for a pixel of 0 to 255; mean and deviation for each channel, or
 * one for all. */
struct lower_pixels {
    double scale;
    size_t means, deviations; /* 0: none */
    double mean[LOWER_MOST_MEANS], deviation[LOWER_MOST_MEANS];
};

struct lower_layer {
    const char *node; /* of the model */
    enum network_layer_type type;
    enum network_activation activation; /* of the last layer: softmax */
    uint32_t kernel, stride, padding;
    struct network_shape input, output;
    size_t weights; /* number of them; 0: a pool */
    double *weight; /* as in a weights file (sim/networks/weights.h) */
    double *bias;   /* [output.channels] */
};

struct lowered {
    struct network_shape input;
    size_t layer_count;
    struct lower_layer layer[NETWORK_LAYERS];
    struct config_arena *arena; /* the model's: the texts and numbers end with it */
};

/* Whether lowering knows an operator of a value that comes from the image. */
bool lower_knows(const char *op);

/* STATUS_CONFIGURATION with the model's file, the node as key, and a hint. */
enum status lower_model(const struct model *model, const struct lower_pixels *pixels,
                        struct lowered *lowered, struct diagnostic *diagnostic);

C_LINKAGE_END

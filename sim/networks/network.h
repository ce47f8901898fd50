/* network.h - a network as its YAML file describes it: layers, who feeds whom, shapes.
 *
 *     name: lenet1
 *     variant: modern
 *     input: {channels: 1, height: 28, width: 28}
 *     formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3, logit_factor: 1}
 *     weights: {mnist: lenet1_mnist.npz, synthetic: lenet1_synthetic.npz}
 *     layers:
 *       - {name: conv1, type: conv2d, maps: 4, kernel: 5, activation: relu}
 *       - {name: pool1, type: max_pool2d, size: 2}
 *       - {name: conv2, type: conv2d, maps: 8, kernel: 3, padding: same, activation: tanh}
 *       - {name: pool2, type: average_pool2d, size: 2}
 *       - {name: sub2, type: subsample2d, size: 2, maps: 16, activation: tanh}
 *       - {name: conv3, type: conv2d, maps: 2, kernel: 5, links: [[0, 1, 2], [1, 3]]}
 *       - {name: hidden, type: dense, units: 32, activation: relu, dropout: 0.2}
 *       - {name: output, type: dense, units: 10, activation: softmax}
 *
 * A layer's input is the previous layer, or the network's input for the first layer; `from: NAME`
 * (a layer, or `input`) overrides this.  Loading checks that names are unique, feeding layers
 * exist, there is no cycle, all shapes can be derived, and that exactly one layer feeds no other:
 * the output, with activation softmax.  All errors carry file, line and column. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/networks/number_format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* The types of layers, of layer_*.c (layer.h). */
enum network_layer_type {
#define LAYER(NAME, name) NETWORK_##NAME,
#include "tables/layers.def"
};
enum network_activation {
#define ACTIVATION(NAME, name) NETWORK_##NAME,
#define ENDING(NAME, name)     NETWORK_##NAME,
#include "workloads/nn/activations.def"
};

/* Whether a program needs more than the plain kernels (workloads/nn/operators.h), and whether a
 * network is one of 1998: rows PROGRAM say which mappings support either. */
enum operators { OPERATORS_NONE, OPERATORS_FEW, OPERATORS_1998 };

enum { NETWORK_LAYERS = 32, NETWORK_INPUT = -1, NETWORK_NAME_CHARS = 16 };

struct network_shape {
    uint32_t channels, height, width;
};

struct network_layer {
    const char *name;
    enum network_layer_type type;
    enum network_activation activation;
    uint32_t outputs; /* maps or units; of pooling and subsampling the maps of the input */
    uint32_t kernel;  /* side of the window; 0 for dense */
    uint32_t stride;
    uint32_t padding;       /* zeros around the input of a convolution, on each side */
    const uint32_t *links;  /* of a convolution with a table of links: [output map], bit i set if
                               input map i feeds it; NULL: all feed all */
    uint32_t link_weights;  /* weights between two linked maps; 0: pooling layer */
    uint32_t link_products; /* multiply-accumulates of a link for one output */
    double dropout;         /* share of the outputs that training drops; 0: none */
    int from;               /* index of the layer that feeds it, or NETWORK_INPUT */
    struct network_shape input, output;
    int line, column; /* in the file */
};

struct network {
    const char *name;
    const char *variant;
    const char *path; /* of the file */
    struct network_shape input;
    enum network_numbers numbers;
    uint32_t weight_fraction;     /* fractional bits of weights and biases */
    uint32_t activation_fraction; /* fractional bits of activations */
    uint32_t input_shift;         /* input activation = pixel << input_shift */
    double logit_factor; /* the last layer's sums are those of the model times this: what inference
                            reports is divided by it; a training takes the sums as they are */
    struct network_layer layer[NETWORK_LAYERS]; /* in the order of execution: feeders first */
    size_t layer_count;
    uint8_t loss;                                  /* enum nn_loss: what its training makes small */
    const char *weights_mnist, *weights_synthetic; /* files beside this one, NULL if none */
    struct config_arena *arena;
};

/* STATUS_CONFIGURATION with file, line, column, key and hint; the network is then empty. */
enum status network_load(const char *path, struct network *network, struct diagnostic *diagnostic);

/* The same from a text; `name` stands for the file in messages. */
enum status network_parse(const char *name, const char *text, size_t bytes, struct network *network,
                          struct diagnostic *diagnostic);

void network_deinit(struct network *network);

/* Switches the network to a number format; pixels keep their value as fractions. */
void network_use(struct network *network, enum network_numbers numbers);

static inline const struct number_format *network_format(const struct network *network)
{
    return &NUMBER_FORMAT[network->numbers];
}

/* Bytes of a parameter; biases of int8 have 2. */
static inline uint32_t network_value_bytes(const struct network *network)
{
    return network_format(network)->value_bytes;
}

static inline uint32_t network_values(struct network_shape shape)
{
    return shape.channels * shape.height * shape.width;
}

/* Number of weights, without biases; multiply-accumulates for one image, biases not counted. */
uint64_t network_layer_weights(const struct network_layer *layer);
uint64_t network_layer_macs(const struct network_layer *layer);

/* Number of parameters (weights and biases) and of multiply-accumulates for one image of the whole
 * network. */
uint64_t network_parameters(const struct network *network);
uint64_t network_macs(const struct network *network);

/* Whether an input map feeds an output map of a convolution. */
static inline bool network_is_linked(const struct network_layer *layer, size_t output, size_t input)
{
    return layer->links == NULL || (layer->links[output] >> input & 1u) != 0;
}

/* Whether a layer has no parameters. */
static inline bool network_is_pool(const struct network_layer *layer)
{
    return layer->link_weights == 0;
}

/* Whether a layer has dropout. */
bool network_has_dropout(const struct network *network);

/* Number of biases: one for each output of a layer that has weights. */
static inline uint32_t network_layer_biases(const struct network_layer *layer)
{
    return network_is_pool(layer) ? 0 : layer->outputs;
}

C_LINKAGE_END

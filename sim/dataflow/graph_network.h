/* graph_network.h - a network of dense layers as a dataflow graph with a neuron a node.
 *
 * The source hands out the pixels of an image, as values, and behind them, to learn, its label.  A
 * node takes each pixel and hands it to the first layer; a node is a neuron.  The sink takes the
 * last layer's sums.  A step is an image.  Arithmetic is that of int16 (workloads/nn/README.md):
 * the sums are those of the host and of the machine's own programs.
 *
 * To learn, each image makes an update of gradient descent: weight -= gradient / 2^rate, rounded.
 * Forward and backward pass are in one graph, in either of two forms with the same bits:
 *     unrolled  the weights of a neuron are a variable, which is read once; what the forward pass
 *               computes, the backward pass takes as data
 *     machines  a neuron is one node, a state machine, which keeps its weights and inputs; messages
 *               with a tag for each pass go both ways along an edge */
#pragma once
#include "sim/dataflow/graph.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

enum dataflow_form { DATAFLOW_FORWARD, DATAFLOW_UNROLLED, DATAFLOW_MACHINES };

struct dataflow_network_request {
    const struct network *network; /* int16 */
    const struct nn_table *table;
    const int16_t *parameters; /* a block as the table lays it out; NULL: all 0 */
    enum dataflow_form form;
    uint32_t images;         /* steps; 0: one, of zeros */
    const uint8_t *pixels;   /* [images][pixels] */
    const uint8_t *labels;   /* [images]; to learn */
    uint32_t rate;           /* bits, 1 to 30; to learn */
    uint32_t error_fraction; /* 1 to 14; to learn */
};

/* Makes the graph, and checks it.  STATUS_CONFIGURATION, at the layer, for what has no form as a
 * graph: other layers than dense ones with ReLU and softmax at the end, dropout, branches. */
enum status dataflow_of_network(const struct dataflow_network_request *request,
                                struct dataflow_graph *graph, struct diagnostic *diagnostic);

C_LINKAGE_END

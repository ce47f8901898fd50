/* links.h - connection tables of convolutions: which input maps feed an output map.
 *
 *     - {name: conv2, type: conv2d, maps: 3, kernel: 5, links: [[0], [0, 1], [1, 3]]}
 *
 * One list for each output map, of input maps in rising order.  There are weights for these links
 * only, in the order of the table. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* The table of a convolution's node, if it has one, with layer->outputs rows. */
enum status links_read(const struct config_node *layer_node, struct config_arena *arena,
                       struct network_layer *layer, struct diagnostic *diagnostic);

/* Whether the input, which has a shape now, has the maps that the table names. */
enum status links_check(const struct network *network, const struct network_layer *layer,
                        struct diagnostic *diagnostic);

/* Of subsampling: each map feeds one. */
enum status links_one_to_one(const struct network *network, struct network_layer *layer,
                             struct diagnostic *diagnostic);

/* Of a row of a layer table: weights of the maps or units in front of one, and of all of them. */
uint32_t links_weights_before(const struct nn_layer *layer, uint32_t output);
uint32_t links_weights(const struct nn_layer *layer);

/* Multiply-accumulates for one image. */
uint64_t links_macs(const struct nn_layer *layer);

/* Dimensions of the row's weights as a tensor: [output][input][row][column], with a table
 * [link][row][column], of subsampling [output], of a dense layer [output][input].  Returns how many
 * they are. */
uint32_t links_tensor_shape(const struct nn_layer *layer, uint32_t shape[4]);

C_LINKAGE_END

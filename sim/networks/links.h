/* links.h - what a row of a layer table has in weights: how many, in which shape, what they cost.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* Weights of the maps or units in front of one, and of all of them; 0 of a pool. */
uint32_t links_weights_before(const struct nn_layer *layer, uint32_t output);
uint32_t links_weights(const struct nn_layer *layer);

/* Multiply-accumulates for one image. */
uint64_t links_macs(const struct nn_layer *layer);

/* Dimensions of the row's weights as a tensor: [output][input][row][column], with a table of links
 * [link][row][column], of subsampling [output], of a dense layer [output][input].  Returns how many
 * they are. */
uint32_t links_tensor_shape(const struct nn_layer *layer, uint32_t shape[4]);

C_LINKAGE_END

/* links.h - the weights of a row of a layer table: number, shape, multiply-accumulates. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* Number of weights of the maps or units before `output`, and of all of them; 0 for a pooling
 * layer. */
uint32_t links_weights_before(const struct nn_layer *layer, uint32_t output);
uint32_t links_weights(const struct nn_layer *layer);

/* Multiply-accumulates for one image. */
uint64_t links_macs(const struct nn_layer *layer);

/* Shape of the row's weights as a tensor: [output][input][row][column]; with a table of links
 * [link][row][column]; for subsampling [output]; for a dense layer [output][input].  Returns the
 * number of dimensions. */
uint32_t links_tensor_shape(const struct nn_layer *layer, uint32_t shape[4]);

C_LINKAGE_END

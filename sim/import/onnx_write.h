/* onnx_write.h - a network and its weights as an ONNX model: opset 13, float32.
 *
 * Input `image`, [n][channels][height][width]: pixels p as p / 256.  Output `logits`, [n][classes]:
 * the sums of the last layer, divided by the network's logit_factor.  Integers of int16 are exact
 * in float32.  Tables of links become weights of 0. */
#pragma once
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION for a type of layer or an activation that ONNX does not have. */
enum status onnx_write(const struct network *network, const struct nn_table *table,
                       const struct weights *weights, const char *path,
                       struct diagnostic *diagnostic);

C_LINKAGE_END

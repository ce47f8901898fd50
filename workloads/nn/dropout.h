/* dropout.h - dropout: in training some of a layer's outputs are set to zero, different ones each
 * time, and the others are scaled up in compensation; in a test none.
 *
 * Which outputs are dropped is computed from (seed, epoch, image, layer, unit) alone: it takes no
 * memory and does not depend on how images and units are spread over cores.  An output is dropped
 * when 8 bits of a hash are below dropout_share of 256; kept values become v + rn(v dropout_gain /
 * 256).  Share 51 and gain 64 are a rate of 0.2: times 1.25.  Errors of the backward pass are
 * treated alike, with the same key. */
#pragma once
#include "layer_table.h"
#include "number.h"
#include "operators.h"
NN_LINKAGE_BEGIN

/* image: its number in the training set; layer: its row in the whole network's table. */
uint32_t nn_dropout_key(uint32_t seed, uint32_t epoch, uint32_t image, uint32_t layer)
    NN_SYMBOL(nn_dropout_key) NN_OPTIONAL;

/* Applies dropout in place to `count` outputs of a layer or to their errors, from unit `first` of
 * the whole layer on.  Values beyond the range are cut and counted.  A layer without dropout is not
 * changed. */
void nn_dropout(const struct nn_layer *layer, uint32_t key, uint32_t first, uint32_t count,
                nn_value *values, uint32_t *cuts) NN_SYMBOL(nn_dropout) NN_OPTIONAL;

NN_LINKAGE_END

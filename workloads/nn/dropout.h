/* dropout.h - in training, some of a layer's outputs are left out, others each time, and the rest
 * made larger by as much; in a test none.
 *
 * Which ones is computed from (seed, epoch, image, layer, unit) alone: without memory, and the same
 * however images and units are spread over cores.  Dropped when 8 bits of a hash are below
 * dropout_share of 256; kept values become v + rn(v dropout_gain / 256).  Share 51 and gain 64 are
 * a rate of 0.2: times 1.25.  Errors on their way back are treated alike, with the same key. */
#pragma once
#include "layer_table.h"
#include "number.h"
NN_LINKAGE_BEGIN

/* image: its number in the training set; layer: its row in the whole network's table. */
uint32_t nn_dropout_key(uint32_t seed, uint32_t epoch, uint32_t image, uint32_t layer)
    NN_SYMBOL(nn_dropout_key);

/* Outputs `first` .. of the whole layer, or their errors, in place.  What is beyond a value's range
 * is cut and counted.  A layer without dropout is left as it is. */
void nn_dropout(const struct nn_layer *layer, uint32_t key, uint32_t first, uint32_t count,
                nn_value *values, uint32_t *cuts) NN_SYMBOL(nn_dropout);

NN_LINKAGE_END

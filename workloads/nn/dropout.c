/* dropout.c - see dropout.h. */
#include "dropout.h"

#include "hash.h"
#include "kernels.h"

#include <stdbool.h>

NN_NEEDS(TRAINS)

enum { SHARE_MASK = 255 };

uint32_t nn_dropout_key(uint32_t seed, uint32_t epoch, uint32_t image, uint32_t layer)
{
    /* Not the chain of the order of images, which has the same seed. */
    return nn_hash_with(nn_hash_with(nn_hash_with(nn_hash(~seed), epoch), image), layer);
}

void nn_dropout(const struct nn_layer *layer, uint32_t key, uint32_t first, uint32_t count,
                nn_value *values, uint32_t *cuts)
{
    const uint32_t share = layer->dropout_share;
    if (share == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool dropped = (nn_hash_with(key, first + i) & SHARE_MASK) < share;
        values[i] = dropped ? 0 : nn_enlarged(values[i], layer->dropout_gain, cuts);
    }
}

/* dropout.c - see dropout.h. */
#include "dropout.h"

#include "hash.h"

#include <stdbool.h>

enum { SHARE_MASK = 255, GAIN_BITS = 8 };

#if !defined(NN_NAME) || !__STDC_HOSTED__ /* the same for all numbers: once in a host program */
uint32_t nn_dropout_key(uint32_t seed, uint32_t epoch, uint32_t image, uint32_t layer)
{
    /* Not the chain of the order of images, which has the same seed. */
    return nn_hash_with(nn_hash_with(nn_hash_with(nn_hash(~seed), epoch), image), layer);
}
#endif

#ifdef NN_FLOAT32
static nn_value enlarged(nn_value value, uint32_t gain, uint32_t *cuts)
{
    (void)cuts;
    return value + value * (float)gain / (1 << GAIN_BITS);
}
#else
static nn_value enlarged(nn_value value, uint32_t gain, uint32_t *cuts)
{
    const int64_t more = ((int64_t)value * gain + (1 << (GAIN_BITS - 1))) >> GAIN_BITS;
    const int64_t sum = value + more;
    if (sum > NN_VALUE_MOST || sum < NN_VALUE_LEAST) {
        ++*cuts;
        return (nn_value)(sum < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST);
    }
    return (nn_value)sum;
}
#endif

void nn_dropout(const struct nn_layer *layer, uint32_t key, uint32_t first, uint32_t count,
                nn_value *values, uint32_t *cuts)
{
    const uint32_t share = layer->dropout_share;
    if (share == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool dropped = (nn_hash_with(key, first + i) & SHARE_MASK) < share;
        values[i] = dropped ? 0 : enlarged(values[i], layer->dropout_gain, cuts);
    }
}

/* order.c - see order.h: a Feistel network permutes the next power of two; what falls outside the
 * shard is permuted again until it falls inside. */
#include "order.h"

#include "hash.h"

NN_NEEDS(TRAINS)

enum { ROUNDS = 6 };

static uint32_t mask_of(uint32_t bits)
{
    return (1u << bits) - 1;
}

/* Of 0 .. 2^bits - 1, bits even or odd: the halves change in turn, each by a hash of the other. */
static uint32_t permute(uint32_t key, uint32_t bits, uint32_t value)
{
    const uint32_t lower_bits = bits / 2;
    const uint32_t lower_mask = mask_of(lower_bits);
    const uint32_t upper_mask = mask_of(bits - lower_bits);
    uint32_t lower = value & lower_mask;
    uint32_t upper = value >> lower_bits;
    for (uint32_t round = 0; round < ROUNDS; round += 2) {
        upper ^= nn_hash_with(key + round, lower) & upper_mask;
        lower ^= nn_hash_with(key + round + 1, upper) & lower_mask;
    }
    return upper << lower_bits | lower;
}

uint32_t nn_order_image(const struct nn_order *order, uint32_t epoch, uint32_t position)
{
    const uint32_t shards = order->shards < order->images ? order->shards : order->images;
    const uint32_t shard = position % shards;
    const uint32_t count = (order->images - shard + shards - 1) / shards;
    const uint32_t key = nn_hash_with(nn_hash_with(nn_hash(order->seed), epoch), shard);
    uint32_t bits = 2;
    while (bits < 31 && count > 1u << bits) {
        bits++;
    }
    uint32_t index = position / shards;
    do {
        index = permute(key, bits, index);
    } while (index >= count);
    return shard + shards * index;
}

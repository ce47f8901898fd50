/* object_key.c - see object_key.h. */
#include "models/arm968/object_key.h"

#include "models/common/compiler.h"

struct object_key object_key_begin(void)
{
    struct object_key key = {UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
    return key;
}

void object_key_add(struct object_key *key, const void *bytes, size_t size)
{
    const uint128 prime = (uint128)1 << 88 | 0x13b;
    uint128 hash = (uint128)key->high << 64 | key->low;
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * prime;
    }
    key->high = (uint64_t)(hash >> 64);
    key->low = (uint64_t)hash;
}

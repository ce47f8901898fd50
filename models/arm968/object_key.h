/* object_key.h - a digest of 128 bits (FNV-1a), by which code and what has been compiled of it are
 * known again.  Private to models/arm968. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct object_key {
    uint64_t high, low;
};

static inline struct object_key object_key_begin(void)
{
    struct object_key key = {UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
    return key;
}

static inline void object_key_add(struct object_key *key, const void *bytes, size_t size)
{
    const uint128 prime = (uint128)1 << 88 | 0x13b;
    uint128 hash = (uint128)key->high << 64 | key->low;
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * prime;
    }
    key->high = (uint64_t)(hash >> 64);
    key->low = (uint64_t)hash;
}

static inline bool object_key_same(const struct object_key *a, const struct object_key *b)
{
    return a->high == b->high && a->low == b->low;
}

C_LINKAGE_END

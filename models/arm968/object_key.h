/* object_key.h - a digest of 128 bits (FNV-1a) that identifies code and its compiled objects.
 * Private to models/arm968. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct object_key {
    uint64_t high, low;
};

struct object_key object_key_begin(void);
void object_key_add(struct object_key *key, const void *bytes, size_t size);

static inline bool object_key_same(const struct object_key *a, const struct object_key *b)
{
    return a->high == b->high && a->low == b->low;
}

C_LINKAGE_END

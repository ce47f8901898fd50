/* emit_access.h - which accesses of a block are checked together.  Private to models/arm968.
 *
 * Accesses with the same base and constant offsets are all inside the data memory or all outside,
 * except near its ends: the first access of a group leaves if any of the group might be outside. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { EMIT_GROUPS = 16, EMIT_GROUP_BYTES = 128 /* at most, from the first byte to the last */ };

/* Bytes [first, first + bytes), relative to the address of the first access. */
struct emit_group {
    int32_t first;
    uint32_t bytes;
    unsigned alignment; /* of its first byte */
    bool stores;        /* at least one access is a store */
    unsigned temporary; /* number of t<n>, the offset of the group's first byte in the memory; 0:
                           not checked yet */
};

struct emit_access {
    struct emit_group *group; /* NULL: the access is checked alone */
    uint32_t at;              /* offset in bytes from the start of the group */
};

/* The accesses of one block. */
struct emit_accesses {
    struct emit_access op[BLOCK_OPS];
    struct emit_group groups[EMIT_GROUPS];
};

/* `flat`: stores get an additional check.  Accesses of instructions in the mask `asks` are left
 * out. */
void emit_accesses_find(struct emit_accesses *accesses, const struct block *block, bool flat,
                        uint32_t asks);

C_LINKAGE_END

/* emit_access.h - which accesses of a block are checked together.  Private to models/arm968.
 *
 * Those with the same base and constant offsets lie in the data memory together or not at all, but
 * for its ends: the first of them leaves when one of them might have to. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { EMIT_GROUPS = 16, EMIT_GROUP_BYTES = 128 /* from the first to the last, at most */ };

/* Bytes [first, first + bytes), counted from the address of the access that comes first. */
struct emit_group {
    int32_t first;
    uint32_t bytes;
    unsigned alignment; /* of its first byte */
    bool stores;        /* one of them, at least */
    unsigned temporary; /* the number of t<n>, the offset of its first byte in the memory; 0: not
                           checked yet */
};

struct emit_access {
    struct emit_group *group; /* NULL: it is checked alone */
    uint32_t at;              /* bytes behind the first of the group */
};

/* Of one block. */
struct emit_accesses {
    struct emit_access op[BLOCK_OPS];
    struct emit_group groups[EMIT_GROUPS];
};

/* `flat`: stores are looked at once more.  What instructions of the mask `asks` access is left
 * out. */
void emit_accesses_find(struct emit_accesses *accesses, const struct block *block, bool flat,
                        uint32_t asks);

C_LINKAGE_END

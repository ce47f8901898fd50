/* blocks.h - the blocks of one memory, in the order of their addresses: those of the load plan, and
 * those of heaps.  A block that has been given back stays until its bytes belong to another. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* An instruction of a core's program. */
struct memory_block_site {
    uint32_t pc;
    int32_t core; /* physical number; -1: none */
};

enum { BLOCK_OF_ALL = -1, BLOCK_OF_HOST = -2 /* programs only read it */ };
struct memory_block {
    uint32_t first, bytes; /* offset in the memory */
    int32_t owner;         /* physical number of the core; BLOCK_OF_ALL, BLOCK_OF_HOST */
    bool freed;
    const char *name; /* of the load plan; NULL: of a heap */
    struct memory_block_site allocated, given_back;
};

/* More blocks of one memory are not followed. */
enum { BLOCKS_MOST = 1 << 16 };
struct memory_blocks {
    struct memory_block *block;
    size_t count, room;
};

void memory_blocks_deinit(struct memory_blocks *blocks);

/* Adds a block in place of those that have been given back and overlap it.  Returns false when
 * there are too many, or out of memory. */
bool memory_blocks_add(struct memory_blocks *blocks, const struct memory_block *block);

/* The block that begins at or before an offset, the nearest one; NULL: none. */
struct memory_block *memory_blocks_before(const struct memory_blocks *blocks, uint32_t offset);

/* The block that has the byte at an offset; NULL: none. */
struct memory_block *memory_blocks_at(const struct memory_blocks *blocks, uint32_t offset);

C_LINKAGE_END

/* blocks.c - see blocks.h. */
#include "sim/memory_check/blocks.h"

#include "sim/grow.h"

void memory_blocks_deinit(struct memory_blocks *blocks)
{
    free(blocks->block);
    *blocks = (struct memory_blocks){0};
}

/* How many blocks begin at or before an offset. */
static size_t up_to(const struct memory_blocks *blocks, uint32_t offset)
{
    size_t low = 0;
    size_t high = blocks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (blocks->block[middle].first <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct memory_block *memory_blocks_before(const struct memory_blocks *blocks, uint32_t offset)
{
    const size_t count = up_to(blocks, offset);
    return count == 0 ? NULL : &blocks->block[count - 1];
}

struct memory_block *memory_blocks_at(const struct memory_blocks *blocks, uint32_t offset)
{
    struct memory_block *block = memory_blocks_before(blocks, offset);
    return block != NULL && offset - block->first < block->bytes ? block : NULL;
}

static bool overlaps(const struct memory_block *a, const struct memory_block *b)
{
    return a->first - b->first < b->bytes || b->first - a->first < a->bytes;
}

static void take_out(struct memory_blocks *blocks, size_t at)
{
    blocks->count--;
    memmove(&blocks->block[at], &blocks->block[at + 1],
            (blocks->count - at) * sizeof *blocks->block);
}

bool memory_blocks_add(struct memory_blocks *blocks, const struct memory_block *block)
{
    size_t at = up_to(blocks, block->first);
    while (at > 0 && overlaps(&blocks->block[at - 1], block)) {
        take_out(blocks, --at);
    }
    while (at < blocks->count && overlaps(&blocks->block[at], block)) {
        take_out(blocks, at);
    }
    struct memory_block *grown = blocks->count == BLOCKS_MOST ? NULL
                                                              : grow(blocks->block, &blocks->room,
                                                                     blocks->count, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    blocks->block = grown;
    memmove(&grown[at + 1], &grown[at], (blocks->count - at) * sizeof *grown);
    grown[at] = *block;
    blocks->count++;
    return true;
}

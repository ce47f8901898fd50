/* router_blocks.c - blocks of entries of the multicast table.  The chip's system software keeps a
 * copy of the table (sv->rtr_copy); programs find there, too, which entries are free.
 *
 * `next` of a block's first entry is the entry behind the block.  `free` is the next free block of
 * a free one, and says of one in use whose it is.  0 ends both lists; the free blocks are in the
 * order of their entries. */
#include "runtime.h"
#include "spin1_api.h"

enum {
    FIRST = 1,
    IN_USE = 0x8000,
    WHOSE = 0xe0ff, /* SARK puts a core's number into the bits between */
    KEY_OF_NONE = 0xffffffff
};
static const uint ROUTE_OF_NONE = 0xff000000;

/* Where the number of a free block stands: of the first one, or of the one behind `before`. */
static ushort *link_behind(uint before)
{
    return before == 0 ? &sv->rtr_free : &sv->rtr_copy[before].free;
}

/* Takes a block out of the list of free ones; what is too much of it stays there. */
static void take(uint before, uint block, uint size)
{
    rtr_entry_t *entry = sv->rtr_copy;
    uint behind = entry[block].free;
    const uint rest = block + size;
    if (rest < entry[block].next) {
        entry[rest].next = entry[block].next;
        entry[rest].free = (ushort)behind;
        entry[block].next = (ushort)rest;
        behind = rest;
    }
    *link_behind(before) = (ushort)behind;
}

uint rtr_alloc_id(uint size, uint app_id)
{
    if (size == 0 || size > MC_TABLE_SIZE || !sark_has_system()) {
        return 0;
    }
    rtr_entry_t *entry = sv->rtr_copy;
    const uint cpsr = sark_lock_get(LOCK_RTR);
    uint before = 0;
    uint block = sv->rtr_free;
    while (block != 0 && block + size > entry[block].next) {
        before = block;
        block = entry[block].free;
    }
    if (block != 0) {
        take(before, block, size);
        entry[block].free = (ushort)(IN_USE | app_id);
    }
    sark_lock_free(cpsr, LOCK_RTR);
    return block;
}

uint rtr_alloc(uint size)
{
    return rtr_alloc_id(size, sark.app_id);
}

uint rtr_alloc_max(void)
{
    uint most = 0;
    if (sark_has_system()) {
        const rtr_entry_t *entry = sv->rtr_copy;
        const uint cpsr = sark_lock_get(LOCK_RTR);
        for (uint block = sv->rtr_free; block != 0; block = entry[block].free) {
            const uint size = (uint)entry[block].next - block;
            most = size > most ? size : most;
        }
        sark_lock_free(cpsr, LOCK_RTR);
    }
    return most;
}

static void clear_entries(uint from, uint end)
{
    for (uint i = from; i < end && i < MC_TABLE_SIZE; i++) {
        sv->rtr_copy[i].route = rtr_ram[i] = ROUTE_OF_NONE;
        sv->rtr_copy[i].mask = rtr_mask[i] = 0;
        sv->rtr_copy[i].key = rtr_key[i] = KEY_OF_NONE;
    }
}

/* Makes one block of two free ones that follow each other. */
static void join(uint block)
{
    rtr_entry_t *entry = sv->rtr_copy;
    const uint behind = entry[block].free;
    if (block != 0 && behind != 0 && entry[block].next == behind) {
        entry[block].next = entry[behind].next;
        entry[block].free = entry[behind].free;
    }
}

/* Whether a block in use begins at this entry.  Call under the lock. */
static uint is_block(uint block)
{
    const rtr_entry_t *entry = sv->rtr_copy;
    uint at = FIRST;
    while (at != 0 && at < block) {
        at = entry[at].next;
    }
    return at == block && (entry[at].free & IN_USE) != 0;
}

void rtr_free(uint block, uint clear)
{
    if (block < FIRST || block >= MC_TABLE_SIZE || !sark_has_system()) {
        return;
    }
    rtr_entry_t *entry = sv->rtr_copy;
    const uint cpsr = sark_lock_get(LOCK_RTR);
    if (is_block(block)) {
        if (clear) {
            clear_entries(block, entry[block].next);
        }
        uint before = 0;
        uint behind = sv->rtr_free;
        while (behind != 0 && behind < block) {
            before = behind;
            behind = entry[behind].free;
        }
        entry[block].free = (ushort)behind;
        *link_behind(before) = (ushort)block;
        join(block);
        join(before);
    }
    sark_lock_free(cpsr, LOCK_RTR);
}

uint rtr_free_id(uint app_id, uint clear)
{
    uint count = 0;
    if (!sark_has_system()) {
        return count;
    }
    const rtr_entry_t *entry = sv->rtr_copy;
    for (uint block = FIRST; entry[block].next != 0; block = entry[block].next) {
        if ((entry[block].free & WHOSE) == (IN_USE | app_id)) {
            rtr_free(block, clear);
            count++;
        }
    }
    return count;
}

/* heaps.c - heaps in a guest's memory, as SARK lays them out (sim/load/sark_layout.h). */
#include "sim/memory_check/check_state.h"

#include "sim/load/sark_layout.h"

enum { HEAP_BLOCKS_MOST = 4096 };
static const uint32_t IN_USE = 0xffff0000; /* upper half of the second word of a block in use */

/* What is in use belongs to all of the chip. */
static void add_used(const struct memory_check *check, struct machine_core core,
                     struct check_memory *memory, uint32_t base, uint32_t last)
{
    uint32_t block = check_word(check, core, base + HEAP_FIRST);
    for (unsigned i = 0; i < HEAP_BLOCKS_MOST && block >= base && block < last; i++) {
        const uint32_t next = check_word(check, core, block);
        const bool used = check_word(check, core, block + 4) >= IN_USE;
        if (used && next > block + HEAP_BLOCK_BYTES) {
            const uint32_t first = block + HEAP_BLOCK_BYTES;
            const struct memory_block added = {
                .first = machine_find_memory(check->machine, core, first).offset,
                .bytes = next - first,
                .owner = BLOCK_OF_ALL,
                .name = "of the system",
                .allocated = {.core = -1},
                .given_back = {.core = -1}};
            (void)memory_blocks_add(&memory->blocks, &added);
        }
        block = next;
    }
}

void check_add_heap(const struct memory_check *check, struct machine_core core, uint32_t address)
{
    struct check_chip *chip = check_chip_of(check, core);
    const struct machine_range range = machine_find_memory(check->machine, core, address);
    struct check_memory *memory = check_memory_of(chip, core, (enum machine_memory)range.memory);
    const uint32_t last = check_word(check, core, address + HEAP_LAST);
    if (memory == NULL || last <= address || check_area_at(memory, range.offset) != NULL) {
        return;
    }
    const uint32_t bytes = last + HEAP_BLOCK_BYTES - address;
    if (bytes > memory->shadow.bytes - range.offset) {
        return; /* it is no heap */
    }
    check_add_area(memory, range.offset, range.offset + bytes, CHECK_BLOCKS);
    add_used(check, core, memory, address, last);
}

/* memory_map.h - maps an address to the block that answers it, for cores and for DMA engines.  The
 * table is memory_map.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum memory_bus {
    MEMORY_BUS_NONE, /* nothing mapped: bus error */
    MEMORY_BUS_PRIVATE,
    MEMORY_BUS_LOCAL,
    MEMORY_BUS_SDRAM,
    MEMORY_BUS_AHB
};

enum memory_block {
    MEMORY_NOTHING,
#define BLOCK(block) MEMORY_##block,
#define REGION(...)
#define PART(...)
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
#undef PART
    MEMORY_BLOCKS
};

struct memory_place {
    enum memory_block block;
    enum memory_bus bus;
    uint32_t offset; /* from the region's first address */
};

/* The map by pages of 16 MiB: what a whole page belongs to; MEMORY_NOTHING for the others. */
enum { MEMORY_MAP_PAGE_SHIFT = 24, MEMORY_MAP_PAGES = 256 };
struct memory_map_page {
    enum memory_block block;
    enum memory_bus bus;
    uint32_t first; /* the region's first address */
};
extern const struct memory_map_page MEMORY_MAP[MEMORY_MAP_PAGES];

/* The target in a page that belongs to no block as a whole. */
struct memory_place memory_map_find_part(uint32_t address);

/* The target of a core's access outside its TCMs. */
static inline struct memory_place memory_map_find(uint32_t address)
{
    const struct memory_map_page *page = &MEMORY_MAP[address >> MEMORY_MAP_PAGE_SHIFT];
    if (LIKELY(page->block != MEMORY_NOTHING)) {
        const struct memory_place place = {page->block, page->bus, address - page->first};
        return place;
    }
    return memory_map_find_part(address);
}

/* The target of an access by a master of the system NoC (DMA engine): no private or local
 * registers, and the low 16 MiB show repetitions of System RAM (datasheet 3.3). */
struct memory_place memory_map_find_system(uint32_t address);

/* Name of a block, for messages. */
const char *memory_block_name(enum memory_block block);

C_LINKAGE_END

/* memory_map.h - maps an address to the block that answers it, for cores and for DMA engines.  The
 * table is memory_map.def. */
#pragma once
#include "models/common/c_linkage.h"
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
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
    MEMORY_BLOCKS
};

struct memory_place {
    enum memory_block block;
    enum memory_bus bus;
    uint32_t offset; /* from the region's first address */
};

/* The target of a core's access outside its TCMs. */
struct memory_place memory_map_find(uint32_t address);

/* The target of an access by a master of the system NoC (DMA engine): no private or local
 * registers, and the low 16 MiB show repetitions of System RAM (datasheet 3.3). */
struct memory_place memory_map_find_system(uint32_t address);

/* Name of a block, for messages. */
const char *memory_block_name(enum memory_block block);

C_LINKAGE_END

/* memory_map.c - see memory_map.h. */
#include "models/chip/memory_map.h"

#include <stddef.h>

struct region {
    uint32_t first, last;
    enum memory_bus bus;
    enum memory_block block;
};

static const struct region REGIONS[] = {
#define BLOCK(block)
#define REGION(block, first, last, bus, help) {first, last, MEMORY_BUS_##bus, MEMORY_##block},
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
};

static const char *const NAMES[MEMORY_BLOCKS] = {
    [MEMORY_NOTHING] = "nothing",
#define BLOCK(block) [MEMORY_##block] = #block,
#define REGION(...)
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
};

#define SYSTEM_RAM_LOW_END 0x01000000u

static const struct memory_place NOWHERE = {MEMORY_NOTHING, MEMORY_BUS_NONE, 0};

struct memory_place memory_map_find(uint32_t address)
{
    for (size_t i = 0; i < sizeof REGIONS / sizeof *REGIONS; i++) {
        const struct region *region = &REGIONS[i];
        if (address >= region->first && address <= region->last) {
            return (struct memory_place){region->block, region->bus, address - region->first};
        }
    }
    return NOWHERE;
}

struct memory_place memory_map_find_system(uint32_t address)
{
    if (address < SYSTEM_RAM_LOW_END) {
        return (struct memory_place){MEMORY_SYSRAM, MEMORY_BUS_AHB, address};
    }
    const struct memory_place place = memory_map_find(address);
    return place.bus == MEMORY_BUS_SDRAM || place.bus == MEMORY_BUS_AHB ? place : NOWHERE;
}

const char *memory_block_name(enum memory_block block)
{
    return NAMES[block];
}

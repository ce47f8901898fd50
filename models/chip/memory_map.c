/* memory_map.c - see memory_map.h. */
#include "models/chip/memory_map.h"

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
#define BLOCK(block)
#define REGION(block, first, last, bus, help)                                                      \
    if (address - (first) <= (last) - (first)) {                                                   \
        return (struct memory_place){MEMORY_##block, MEMORY_BUS_##bus, address - (first)};         \
    }
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
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

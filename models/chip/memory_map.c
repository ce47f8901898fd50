/* memory_map.c - see memory_map.h. */
#include "models/chip/memory_map.h"

static const char *const NAMES[MEMORY_BLOCKS] = {
    [MEMORY_NOTHING] = "nothing",
#define BLOCK(block) [MEMORY_##block] = #block,
#define REGION(...)
#define PART(...)
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
#undef PART
};

const struct memory_map_page MEMORY_MAP[MEMORY_MAP_PAGES] = {
#define BLOCK(block)
#define REGION(block, first, last, bus, help)                                                      \
    INDEX_RANGE((first) >> MEMORY_MAP_PAGE_SHIFT,                                                  \
                (last) >> MEMORY_MAP_PAGE_SHIFT) = {MEMORY_##block, MEMORY_BUS_##bus, first},
#define PART(...)
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
#undef PART
};

#define BLOCK(block)
#define REGION(block, first, last, bus, help)                                                      \
    _Static_assert((((first) | ((last) + 1u)) & ((1u << MEMORY_MAP_PAGE_SHIFT) - 1)) == 0,         \
                   "a region consists of whole pages");
#define PART(...)
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
#undef PART

#define SYSTEM_RAM_LOW_END 0x01000000u

static const struct memory_place NOWHERE = {MEMORY_NOTHING, MEMORY_BUS_NONE, 0};

struct memory_place memory_map_find_part(uint32_t address)
{
#define BLOCK(block)
#define REGION(...)
#define PART(block, first, last, bus, help)                                                        \
    if (address - (first) <= (last) - (first)) {                                                   \
        return (struct memory_place){MEMORY_##block, MEMORY_BUS_##bus, address - (first)};         \
    }
#include "models/chip/memory_map.def"
#undef BLOCK
#undef REGION
#undef PART
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

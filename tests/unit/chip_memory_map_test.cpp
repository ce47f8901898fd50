/* The memory map: every region from both ends, every hole. */
extern "C" {
#include "models/chip/memory_map.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace
{

struct expected_region {
    uint32_t first, last;
    memory_block block;
    memory_bus bus;
};

/* The datasheet's map, stated again. */
const std::vector<expected_region> REGIONS = {
    {0x10000000, 0x10ffffff, MEMORY_COMMS, MEMORY_BUS_LOCAL},
    {0x11000000, 0x11ffffff, MEMORY_TIMER, MEMORY_BUS_PRIVATE},
    {0x1f000000, 0x1fffffff, MEMORY_VIC, MEMORY_BUS_PRIVATE},
    {0x20000000, 0x20ffffff, MEMORY_COMMS, MEMORY_BUS_LOCAL},
    {0x21000000, 0x21ffffff, MEMORY_TIMER, MEMORY_BUS_PRIVATE},
    {0x2f000000, 0x2fffffff, MEMORY_VIC, MEMORY_BUS_PRIVATE},
    {0x30000000, 0x3fffffff, MEMORY_DMA, MEMORY_BUS_LOCAL},
    {0x40000000, 0x4fffffff, MEMORY_DMA, MEMORY_BUS_LOCAL},
    {0x60000000, 0x6fffffff, MEMORY_SDRAM, MEMORY_BUS_SDRAM},
    {0x70000000, 0x7fffffff, MEMORY_SDRAM, MEMORY_BUS_SDRAM},
    {0xe0000000, 0xe0ffffff, MEMORY_PL340, MEMORY_BUS_AHB},
    {0xe1000000, 0xe1ffffff, MEMORY_ROUTER, MEMORY_BUS_AHB},
    {0xe2000000, 0xe2ffffff, MEMORY_SYSCTL, MEMORY_BUS_AHB},
    {0xe3000000, 0xe3ffffff, MEMORY_WATCHDOG, MEMORY_BUS_AHB},
    {0xe4000000, 0xe4ffffff, MEMORY_ETHERNET, MEMORY_BUS_AHB},
    {0xe5000000, 0xe5ffffff, MEMORY_SYSRAM, MEMORY_BUS_AHB},
    {0xe6000000, 0xe6ffffff, MEMORY_ROM, MEMORY_BUS_AHB},
    {0xf0000000, 0xf0ffffff, MEMORY_PL340, MEMORY_BUS_AHB},
    {0xf1000000, 0xf1ffffff, MEMORY_ROUTER, MEMORY_BUS_AHB},
    {0xf2000000, 0xf2ffffff, MEMORY_SYSCTL, MEMORY_BUS_AHB},
    {0xf3000000, 0xf3ffffff, MEMORY_WATCHDOG, MEMORY_BUS_AHB},
    {0xf4000000, 0xf4ffffff, MEMORY_ETHERNET, MEMORY_BUS_AHB},
    {0xf5000000, 0xf5ffffff, MEMORY_SYSRAM, MEMORY_BUS_AHB},
    {0xf6000000, 0xf6ffffff, MEMORY_ROM, MEMORY_BUS_AHB},
    {0xff000000, 0xffffefff, MEMORY_BOOT, MEMORY_BUS_AHB},
    {0xfffff000, 0xffffffff, MEMORY_VIC, MEMORY_BUS_PRIVATE},
};

void expect_place(const memory_place &place, memory_block block, memory_bus bus, uint32_t offset,
                  uint32_t address)
{
    EXPECT_EQ(place.block, block) << std::hex << address;
    EXPECT_EQ(place.bus, bus) << std::hex << address;
    EXPECT_EQ(place.offset, offset) << std::hex << address;
}

TEST(MemoryMap, FindsBothEndsOfEveryRegion)
{
    for (const expected_region &region : REGIONS) {
        expect_place(memory_map_find(region.first), region.block, region.bus, 0, region.first);
        expect_place(memory_map_find(region.last), region.block, region.bus,
                     region.last - region.first, region.last);
    }
}

TEST(MemoryMap, FindsNothingAtBothEndsOfEveryHole)
{
    uint32_t hole = 0; /* what lies below the first region is the core's own memory, or nothing */
    for (const expected_region &region : REGIONS) {
        if (region.first > hole) {
            expect_place(memory_map_find(hole), MEMORY_NOTHING, MEMORY_BUS_NONE, 0, hole);
            expect_place(memory_map_find(region.first - 1), MEMORY_NOTHING, MEMORY_BUS_NONE, 0,
                         region.first - 1);
        }
        hole = region.last + 1;
    }
    EXPECT_EQ(hole, 0u) << "the last region ends at the top";
}

TEST(MemoryMap, AMasterOfTheSystemNocSeesWhatLiesBehindIt)
{
    for (const expected_region &region : REGIONS) {
        const bool shared = region.bus == MEMORY_BUS_SDRAM || region.bus == MEMORY_BUS_AHB;
        for (const uint32_t address : {region.first, region.last}) {
            expect_place(memory_map_find_system(address), shared ? region.block : MEMORY_NOTHING,
                         shared ? region.bus : MEMORY_BUS_NONE, shared ? address - region.first : 0,
                         address);
        }
    }
}

TEST(MemoryMap, AMasterOfTheSystemNocSeesSystemRamAtTheBottom)
{
    expect_place(memory_map_find_system(0), MEMORY_SYSRAM, MEMORY_BUS_AHB, 0, 0);
    expect_place(memory_map_find_system(0x00ffffff), MEMORY_SYSRAM, MEMORY_BUS_AHB, 0x00ffffff,
                 0x00ffffff);
    expect_place(memory_map_find_system(0x01000000), MEMORY_NOTHING, MEMORY_BUS_NONE, 0,
                 0x01000000);
}

TEST(MemoryMap, NamesEveryBlock)
{
    EXPECT_STREQ(memory_block_name(MEMORY_NOTHING), "nothing");
    EXPECT_STREQ(memory_block_name(MEMORY_SYSCTL), "SYSCTL");
    for (int block = 0; block < MEMORY_BLOCKS; block++) {
        ASSERT_NE(memory_block_name(static_cast<memory_block>(block)), nullptr) << block;
        EXPECT_GT(std::strlen(memory_block_name(static_cast<memory_block>(block))), 0u);
    }
}

} // namespace

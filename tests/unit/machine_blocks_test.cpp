/* machine_blocks_test.cpp - the next event of a chip's register blocks, and of all but one. */
#include "models/machine/blocks.h"

#include <gtest/gtest.h>

TEST(MachineBlocks, TheNextEventIsTheEarliestOfTicksAndKeptTimes)
{
    const uint64_t first_ps = 30;
    const uint64_t second_ps = 20;
    blocks all = {};
    all.kept_ps[0] = &first_ps;
    all.kept_ps[1] = &second_ps;
    all.ticks_ps = 40;
    EXPECT_EQ(blocks_next_ps(&all), 20u);
    EXPECT_EQ(blocks_others_ps(&all, &second_ps), 30u);
    EXPECT_EQ(blocks_others_ps(&all, &first_ps), 20u);
    all.ticks_ps = 10;
    EXPECT_EQ(blocks_next_ps(&all), 10u);
    EXPECT_EQ(blocks_others_ps(&all, &first_ps), 10u);
    EXPECT_EQ(blocks_others_ps(&all, &second_ps), 10u);
}

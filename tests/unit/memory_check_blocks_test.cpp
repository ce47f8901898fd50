/* memory_check_blocks_test.cpp - the blocks of a memory, found by address. */
#include <gtest/gtest.h>

extern "C" {
#include "sim/memory_check/blocks.h"
}

namespace
{

class Blocks : public ::testing::Test
{
  protected:
    ~Blocks() override
    {
        memory_blocks_deinit(&blocks_);
    }
    void add(uint32_t first, uint32_t bytes)
    {
        const memory_block added = {first, bytes, BLOCK_OF_ALL, false, nullptr, {0, -1}, {0, -1}};
        ASSERT_TRUE(memory_blocks_add(&blocks_, &added));
    }
    uint32_t at(uint32_t offset) const /* where the block there begins; 1: there is none */
    {
        const memory_block *found = memory_blocks_at(&blocks_, offset);
        return found == nullptr ? 1 : found->first;
    }
    memory_blocks blocks_ = {};
};

TEST_F(Blocks, AreFoundByEachOfTheirBytes)
{
    EXPECT_EQ(memory_blocks_before(&blocks_, 500), nullptr);
    add(300, 50);
    add(100, 50);
    add(200, 50);
    EXPECT_EQ(at(99), 1u);
    EXPECT_EQ(at(100), 100u);
    EXPECT_EQ(at(149), 100u);
    EXPECT_EQ(at(150), 1u);
    EXPECT_EQ(at(249), 200u);
    EXPECT_EQ(at(349), 300u);
    EXPECT_EQ(at(350), 1u);
    EXPECT_EQ(memory_blocks_before(&blocks_, 99), nullptr);
    EXPECT_EQ(memory_blocks_before(&blocks_, 199)->first, 100u);
    EXPECT_EQ(memory_blocks_before(&blocks_, UINT32_MAX)->first, 300u);
}

TEST_F(Blocks, ANewBlockTakesThePlaceOfThoseThatItOverlaps)
{
    add(100, 50);
    add(150, 50);
    add(200, 50);
    add(300, 50);
    add(149, 52);
    EXPECT_EQ(blocks_.count, 2u);
    EXPECT_EQ(at(149), 149u);
    EXPECT_EQ(at(200), 149u);
    EXPECT_EQ(at(201), 1u);
    EXPECT_EQ(at(320), 300u);
}

TEST_F(Blocks, HaveABound)
{
    for (uint32_t i = 0; i < BLOCKS_MOST; i++) {
        add(8 * i, 4);
    }
    const memory_block more = {8 * BLOCKS_MOST, 4, BLOCK_OF_ALL, false, nullptr, {0, -1}, {0, -1}};
    EXPECT_FALSE(memory_blocks_add(&blocks_, &more));
    EXPECT_EQ(blocks_.count, (size_t)BLOCKS_MOST);
    EXPECT_EQ(at(8 * 77 + 3), 8u * 77);
}

} // namespace

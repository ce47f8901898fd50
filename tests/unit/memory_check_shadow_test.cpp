/* memory_check_shadow_test.cpp - which bytes have been written. */
#include <gtest/gtest.h>
#include <random>
#include <vector>

extern "C" {
#include "sim/memory_check/shadow.h"
}

namespace
{

constexpr uint32_t BYTES = 3 * 4096;

class Shadow : public ::testing::Test
{
  protected:
    Shadow()
    {
        shadow_init(&shadow_, BYTES);
        shadow_init(&other_, BYTES);
    }
    ~Shadow() override
    {
        shadow_deinit(&shadow_);
        shadow_deinit(&other_);
    }
    shadow shadow_, other_;
};

TEST_F(Shadow, NothingIsWrittenAtFirst)
{
    EXPECT_EQ(shadow_written(&shadow_, 0, 1), 0u);
    EXPECT_EQ(shadow_written(&shadow_, BYTES - 4, 4), 0u);
    EXPECT_EQ(shadow_written(&shadow_, 100, 0), 0u);
}

TEST_F(Shadow, SaysHowManyBytesHaveBeenWritten)
{
    shadow_set(&shadow_, 10, 5, true);
    EXPECT_EQ(shadow_written(&shadow_, 9, 4), 0u);
    EXPECT_EQ(shadow_written(&shadow_, 10, 5), 5u);
    EXPECT_EQ(shadow_written(&shadow_, 10, 6), 5u);
    EXPECT_EQ(shadow_written(&shadow_, 14, 4), 1u);
    shadow_set(&shadow_, 12, 1, false);
    EXPECT_EQ(shadow_written(&shadow_, 10, 5), 2u);
}

TEST_F(Shadow, WhatIsBehindTheMemoryCountsAsWritten)
{
    shadow_set(&shadow_, BYTES - 2, 100, true);
    EXPECT_EQ(shadow_written(&shadow_, BYTES - 2, 100), 100u);
    EXPECT_EQ(shadow_written(&shadow_, BYTES, 4), 4u);
    EXPECT_EQ(shadow_written(&shadow_, BYTES - 3, 3), 0u);
}

TEST_F(Shadow, CopiesWhatHasBeenWrittenAndWhatHasNot)
{
    shadow_set(&shadow_, 100, 50, true);
    shadow_set(&shadow_, 120, 3, false);
    shadow_set(&other_, 4090, 50, true);
    shadow_copy(&other_, 4090, &shadow_, 100, 50);
    EXPECT_EQ(shadow_written(&other_, 4090, 50), 20u);
    EXPECT_EQ(shadow_written(&other_, 4113, 27), 27u);
    EXPECT_EQ(shadow_written(&other_, 4110, 3), 0u);
}

TEST_F(Shadow, AgreesWithAListOfBytes)
{
    std::mt19937 random(7);
    std::vector<bool> list(BYTES);
    for (unsigned round = 0; round < 2000; round++) {
        const uint32_t first = random() % BYTES;
        const uint32_t bytes = random() % 300;
        const bool written = (random() & 1) != 0;
        shadow_set(&shadow_, first, bytes, written);
        for (uint32_t i = first; i < first + bytes && i < BYTES; i++) {
            list[i] = written;
        }
        const uint32_t from = random() % BYTES;
        const uint32_t count = random() % 200;
        uint32_t expected = 0;
        while (expected < count && (from + expected >= BYTES || list[from + expected])) {
            expected++;
        }
        ASSERT_EQ(shadow_written(&shadow_, from, count), expected) << round;
    }
}

} // namespace

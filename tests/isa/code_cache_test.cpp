/* code_cache_test.cpp - which blocks a store drops, and how much memory the blocks take. */
#include "tests/support/arm_asm.h"
#include "tests/support/code_probe.h"
#include "tests/support/core_bench.h"

#include <gtest/gtest.h>

#include <memory>

namespace
{

constexpr uint32_t BYTES = 0x10000;
constexpr size_t MOST_OF_ONE = 24 * 1024; /* more than a block and the page that it may need */

class CodeCache : public ::testing::Test
{
  protected:
    explicit CodeCache(uint32_t bytes = BYTES)
        : memory(bytes), code(code_probe_create(memory.data(), bytes), code_probe_destroy)
    {
    }
    unsigned build(uint32_t pc, const std::vector<uint32_t> &words)
    {
        memcpy(&memory[pc], words.data(), 4 * words.size());
        return code_probe_build(code.get(), memory.data(), pc);
    }
    bool has(uint32_t pc) const
    {
        return code_probe_has(code.get(), pc);
    }
    bool write(uint32_t address, uint32_t bytes) const
    {
        return code_probe_written(code.get(), memory.data(), address, bytes);
    }

    std::vector<uint8_t> memory;
    std::unique_ptr<struct code, decltype(&code_probe_destroy)> code;
};

const std::vector<uint32_t> THREE = {add_imm(r0, r0, 1), add_imm(r0, r0, 2), bx(lr)};

TEST_F(CodeCache, AStoreDropsTheBlocksThatReadIt)
{
    for (const uint32_t offset : {0u, 3u, 4u, 11u}) {
        EXPECT_EQ(build(0x100, THREE), 3u);
        EXPECT_TRUE(write(0x100 + offset, 1)) << offset;
        EXPECT_FALSE(has(0x100)) << offset;
    }
}

TEST_F(CodeCache, AStoreBesideABlockDropsNothing)
{
    (void)build(0x100, THREE);
    EXPECT_FALSE(write(0xf0, 16));
    EXPECT_FALSE(write(0x10c, 16));
    EXPECT_FALSE(write(0x5100, 4));    /* another page */
    EXPECT_FALSE(write(BYTES, 4));     /* behind the memory */
    EXPECT_FALSE(write(0u - 4u, 4));   /* in front of it */
    EXPECT_FALSE(write(0x10c, BYTES)); /* beyond its end */
    EXPECT_TRUE(has(0x100));
}

TEST_F(CodeCache, OtherBlocksStay)
{
    (void)build(0x100, THREE);
    (void)build(0x104, {THREE[1], THREE[2]}); /* shares two words */
    (void)build(0x10c, THREE);
    EXPECT_TRUE(write(0x100, 4));
    EXPECT_FALSE(has(0x100));
    EXPECT_TRUE(has(0x104));
    EXPECT_TRUE(has(0x10c));
    EXPECT_FALSE(write(0x100, 4)); /* nothing reads it any more */
    EXPECT_TRUE(write(0x104, 4));
    EXPECT_FALSE(has(0x104));
    EXPECT_TRUE(has(0x10c));
}

TEST_F(CodeCache, TheLongestBlockIsDroppedFromItsLastWord)
{ /* and from what it has looked at behind its end */
    std::vector<uint32_t> words(32, add_imm(r0, r0, 1));
    words.back() = ldr_imm(r1, r2);
    words.push_back(add_imm(r3, r3, 1));
    words.push_back(add_imm(r4, r4, 1));
    for (const bool behind : {false, true}) {
        ASSERT_EQ(build(0xf80, words), 32u); /* ends in the next page but one half-word */
        EXPECT_FALSE(write(0xf80 + 4 * 34, 4));
        EXPECT_TRUE(write(0xf80 + 4 * (behind ? 32 : 31) + 2, 2)) << behind;
        EXPECT_FALSE(has(0xf80));
    }
}

TEST_F(CodeCache, TheEndIsThatOfTheLastBlock)
{
    EXPECT_EQ(code_probe_end(code.get()), 0u);
    (void)build(0x100, THREE);
    (void)build(0x8000, THREE);
    EXPECT_EQ(code_probe_end(code.get()), 0x800cu);
    EXPECT_TRUE(write(0x8000, 4));
    EXPECT_EQ(code_probe_end(code.get()), 0x10cu);
    EXPECT_TRUE(write(0x100, 4));
    EXPECT_EQ(code_probe_end(code.get()), 0u);
}

TEST_F(CodeCache, DroppedBlocksAreFreed)
{
    (void)build(0x100, THREE);
    const size_t one = code_probe_bytes(code.get());
    size_t most = 0;
    unsigned collected = 0;
    for (unsigned i = 0; i < 10000; i++) {
        ASSERT_TRUE(write(0x104, 4));
        (void)build(0x100, THREE);
        most = std::max(most, code_probe_bytes(code.get()));
        if (code_probe_is_due(code.get())) {
            code_probe_collect(code.get());
            EXPECT_EQ(code_probe_bytes(code.get()), one);
            collected++;
        }
    }
    EXPECT_LT(most, 70 * one);
    EXPECT_EQ(collected, 10000u / 66);
}

struct large_cache : CodeCache {
    large_cache() : CodeCache(8 << 20)
    {
    }
};

TEST_F(large_cache, IsForgottenAsAWholeWhenItIsFull)
{
    uint32_t pc = 0;
    for (; !code_probe_is_full(code.get()); pc += 128) {
        ASSERT_LT(pc, memory.size());
        ASSERT_LT(code_probe_bytes(code.get()), code_probe_bytes_most());
        ASSERT_EQ(code_probe_build(code.get(), memory.data(), pc), 32u);
    }
    EXPECT_LT(code_probe_bytes(code.get()), code_probe_bytes_most() + MOST_OF_ONE);
    EXPECT_TRUE(code_probe_is_due(code.get()));
    code_probe_collect(code.get());
    EXPECT_EQ(code_probe_bytes(code.get()), 0u);
    EXPECT_EQ(code_probe_end(code.get()), 0u);
    EXPECT_FALSE(code_probe_is_full(code.get()));
    EXPECT_FALSE(has(0));
    EXPECT_EQ(code_probe_build(code.get(), memory.data(), 0), 32u);
}

/* A jump into zeroed memory: ANDEQ r0,r0,r0 up to its end. */
TEST(CodeOfACore, IsBounded)
{
    constexpr uint32_t FLAT_BYTES = 6 << 20;
    std::vector<uint8_t> memory(FLAT_BYTES);
    struct arm968_config config = {};
    config.timing = arm968_timing_default();
    config.code = config.data = {0, FLAT_BYTES, memory.data()};
    config.reset_control = CONTROL_LOW;
    std::unique_ptr<struct arm968, decltype(&arm968_destroy)> cpu(arm968_create(&config),
                                                                  arm968_destroy);
    arm968_set_register(cpu.get(), 15, 0);
    size_t most = 0;
    bool freed = false;
    while (arm968_register(cpu.get(), 15) < FLAT_BYTES - 8192) {
        ASSERT_EQ(arm968_run(cpu.get(), arm968_cycle(cpu.get()) + 1000), ARM968_STOP_HORIZON);
        const size_t now = code_probe_bytes_of(cpu.get());
        freed = freed || now < most;
        most = std::max(most, now);
    }
    EXPECT_TRUE(freed);
    EXPECT_LT(most, code_probe_bytes_most() + MOST_OF_ONE);
    EXPECT_GT(most, code_probe_bytes_most() / 2);
    EXPECT_EQ(arm968_counters(cpu.get())->instructions, arm968_cycle(cpu.get()));
}

} // namespace

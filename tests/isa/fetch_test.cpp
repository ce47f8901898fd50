/* fetch_test.cpp - code that runs outside ITCM: one FETCH access for each word. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t ROM = 0xf0000000;
static constexpr uint32_t WAIT = 6;

class Fetch : public ::testing::Test
{
  protected:
    Fetch()
    {
        bench.outside.regions = {{ROM, 0x1000, REGION_ANSWERS, WAIT}};
    }

    void expect_fetch(size_t index, uint32_t address, bool sequential)
    {
        ASSERT_LT(index, bench.outside.log.size());
        const struct arm968_access &access = bench.outside.log[index].access;
        EXPECT_EQ(access.kind, ARM968_FETCH) << index;
        EXPECT_EQ(access.address, address) << index;
        EXPECT_EQ(access.size, 4u);
        EXPECT_EQ(access.words, 1u);
        EXPECT_EQ(access.sequential, sequential) << index;
        EXPECT_FALSE(access.buffered);
    }

    core_bench bench;
};

TEST_F(Fetch, ArmWordsOneByOne)
{
    bench.set_words(ROM, {mov_imm(r0, 1), add_imm(r0, r0, 2), b(ROM + 8, ROM + 0x100)});
    bench.set_word(ROM + 0x100, add_imm(r0, r0, 4));
    bench.start(ROM);
    bench.steps(4);
    EXPECT_EQ(bench.reg(0), 7u);
    EXPECT_EQ(bench.reg(15), ROM + 0x104);
    ASSERT_EQ(bench.outside.log.size(), 4u);
    expect_fetch(0, ROM, false);
    expect_fetch(1, ROM + 4, true);
    expect_fetch(2, ROM + 8, true);
    expect_fetch(3, ROM + 0x100, false);
    EXPECT_EQ(bench.cycle(), 4 * WAIT + 1u + 1u + 3u + 1u);
    EXPECT_EQ(bench.counters().bus_fetches, 4u);
    EXPECT_EQ(bench.counters().bus_wait_cycles, 4 * WAIT);
    EXPECT_EQ(bench.counters().bus_reads, 0u);
    EXPECT_EQ(bench.counters().instructions, 4u);
}

TEST_F(Fetch, TwoThumbHalvesShareAWord)
{
    bench.set_word(ROM, thumb::mov_imm(r0, 1) | static_cast<uint32_t>(thumb::add_imm(r0, 2)) << 16);
    bench.set_word(ROM + 4, thumb::add_imm(r0, 4) | static_cast<uint32_t>(thumb::add_imm(r0, 8))
                                                        << 16);
    bench.start(ROM, true);
    bench.steps(4);
    EXPECT_EQ(bench.reg(0), 15u);
    ASSERT_EQ(bench.outside.log.size(), 2u);
    expect_fetch(0, ROM, false);
    expect_fetch(1, ROM + 4, true);
    EXPECT_EQ(bench.cycle(), 2 * WAIT + 4u);
}

TEST_F(Fetch, AThumbCodeMayBeginInTheUpperHalf)
{
    bench.set_word(ROM, thumb::mov_imm(r0, 1) | static_cast<uint32_t>(thumb::mov_imm(r0, 2)) << 16);
    bench.start(ROM + 2, true);
    bench.steps(1);
    EXPECT_EQ(bench.reg(0), 2u);
    expect_fetch(0, ROM, false);
}

TEST_F(Fetch, PrivilegeFollowsTheMode)
{
    bench.set_words(ROM, {nop(), nop()});
    bench.start(ROM);
    bench.steps(1);
    EXPECT_TRUE(bench.outside.log[0].access.privileged);
    bench.set_mode(ARM968_USER);
    bench.steps(1);
    EXPECT_FALSE(bench.outside.log[1].access.privileged);
}

TEST_F(Fetch, DataAndFetchAlternate)
{
    bench.set_words(ROM, {ldr_imm(r0, pc, 0), add_imm(r1, r0, 1), 0x1234});
    bench.start(ROM);
    bench.steps(2);
    EXPECT_EQ(bench.reg(1), 0x1235u);
    ASSERT_EQ(bench.outside.log.size(), 3u);
    expect_fetch(0, ROM, false);
    EXPECT_EQ(bench.outside.log[1].access.kind, ARM968_READ);
    EXPECT_EQ(bench.outside.log[1].access.address, ROM + 8);
    EXPECT_EQ(bench.outside.log[1].cycle, static_cast<uint64_t>(WAIT));
    expect_fetch(2, ROM + 4, true);
    /* the load's result ripens in no fetch wait: 1 cycle of interlock */
    EXPECT_EQ(bench.cycle(), 3 * WAIT + 1u + 1u + 1u);
}

TEST_F(Fetch, AFetchLeftToTheOwnerStopsTheCore)
{
    bench.outside.regions = {{ROM, 0x1000, REGION_OUTSIDE, 0}};
    bench.set_words(ROM, {mov_imm(r0, 1), mov_imm(r1, 2)});
    bench.start(ROM);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    EXPECT_EQ(arm968_access(bench.cpu)->kind, ARM968_FETCH);
    EXPECT_EQ(bench.cycle(), 0u);
    bench.complete(20);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    EXPECT_EQ(bench.reg(0), 1u);
    EXPECT_EQ(bench.cycle(), 21u);
    EXPECT_EQ(bench.reg(15), ROM + 4);
    EXPECT_TRUE(arm968_access(bench.cpu)->sequential);
    bench.complete(10);
    EXPECT_EQ(arm968_run(bench.cpu, 22), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(1), 2u);
    EXPECT_EQ(bench.cycle(), 32u);
}

TEST_F(Fetch, AnAbortedFetchIsAPrefetchAbort)
{
    bench.outside.regions = {{ROM, 4, REGION_ANSWERS, 0}, {ROM + 4, 4, REGION_ABORTS, 5}};
    bench.set_word(ROM, nop());
    bench.start(ROM);
    EXPECT_EQ(bench.run(100), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.reg(15), 0x0cu);
    EXPECT_EQ(bench.reg(14), ROM + 8);
    EXPECT_EQ(bench.cycle(), 1u + 5u + 3u);
}

TEST_F(Fetch, InterruptsComeBetweenInstructionsAndTheReturnFetchesAgain)
{
    bench.set_words(ROM, {nop(), nop(), mov_imm(r0, 9), branch_to_self()});
    bench.set_word(0x18, subs_imm(pc, lr, 4));
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(ROM);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 1);
    bench.steps(2); /* the first NOP ends at WAIT + 1 */
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), ROM + 8);
    EXPECT_EQ(bench.cycle(), WAIT + 1u + 3u);
    arm968_set_line(bench.cpu, ARM968_IRQ, false, bench.cycle());
    bench.steps(3);
    EXPECT_EQ(bench.reg(0), 9u);
    expect_fetch(1, ROM + 4, false);
    expect_fetch(2, ROM + 8, true);
}

TEST_F(Fetch, CodeGoesOnFromTheEndOfItcmOutside)
{
    bench.outside.regions = {{ITCM_BYTES, 0x100, REGION_ANSWERS, 2}};
    bench.set_word(ITCM_BYTES - 4, mov_imm(r0, 5));
    bench.set_words(ITCM_BYTES, {add_imm(r0, r0, 1), b(ITCM_BYTES + 4, CODE_BASE)});
    bench.set_words(CODE_BASE, {add_imm(r0, r0, 1), branch_to_self()});
    bench.start(ITCM_BYTES - 4);
    EXPECT_EQ(bench.run_to(CODE_BASE + 4), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.reg(0), 7u);
    EXPECT_EQ(bench.cycle(), 1u + 2u + 1u + 2u + 3u + 1u);
    EXPECT_EQ(bench.outside.log.size(), 2u);
}

TEST_F(Fetch, ResultsStayPendingAcrossTheEdgeOfItcm)
{
    bench.outside.regions = {{ITCM_BYTES, 0x100, REGION_ANSWERS, 2}};
    bench.set_word(ITCM_BYTES - 4, ldrb_imm(r0, r1));
    bench.set_word(ITCM_BYTES, add(r2, r0, r0));
    bench.set(1, DTCM_BASE);
    bench.start(ITCM_BYTES - 4);
    bench.steps(2);
    EXPECT_EQ(bench.cycle(), 1u + 2u + 2u + 1u);
}

TEST_F(Fetch, CodeWrapsAroundTheEndOfTheAddressSpace)
{
    bench.outside.regions = {{0xfffff000, 0x1000, REGION_ANSWERS, 1}};
    bench.set_word(0xfffffffc, mov_imm(r0, 3));
    bench.set_words(0, {add_imm(r0, r0, 4), branch_to_self()});
    bench.start(0xfffffffc);
    bench.steps(2);
    EXPECT_EQ(bench.reg(0), 7u);
    EXPECT_EQ(bench.reg(15), 4u);
    EXPECT_EQ(bench.cycle(), 1u + 1u + 1u);
}

TEST_F(Fetch, CodeOutsideIsReadAgainWhenItHasChanged)
{
    bench.set_words(ROM, {mov_imm(r0, 1), b(ROM + 4, ROM)});
    bench.start(ROM);
    bench.steps(2);
    bench.set_word(ROM, mov_imm(r0, 2));
    bench.steps(1);
    EXPECT_EQ(bench.reg(0), 2u);
}

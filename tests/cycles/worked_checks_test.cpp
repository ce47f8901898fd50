/* worked_checks_test.cpp - sequences whose cycles the ARM9E-S and ARM7EJ-S manuals state, or that
 * follow from their tables by hand. */
#include "tests/cycles/bench_run.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static uint64_t arm_cycles(const std::vector<uint32_t> &code)
{
    return cycles_of({code, false, NO_IRQ, 0}, arm968_timing_default());
}

static uint64_t thumb_cycles(const std::vector<uint32_t> &code)
{
    return cycles_of({code, true, NO_IRQ, 0}, arm968_timing_default());
}

TEST(WorkedChecks, ALoadedWordIsReadyOneCycleLater)
{
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), add(r1, r0, r2)}), 3u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), str_imm(r0, r9)}), 3u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), mla(r2, r3, r4, r0)}), 4u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), nop(), str_imm(r0, r9)}), 3u);
}

TEST(WorkedChecks, ALoadedByteHoldsUpEitherOfTheNextTwo)
{
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), add(r1, r0, r2)}), 4u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), orr(r4, r4, r5), add(r2, r0, r3)}), 4u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), mul(r5, r7, r11), add(r4, r0, r3)}), 4u);
}

TEST(WorkedChecks, ALoadedBaseHoldsUpABlockStoreOnce)
{
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), stm(r0, {r1, r2})}), 4u + 2u); /* and ITCM twice */
    EXPECT_EQ(arm_cycles({ldr_imm(r9, r8, 8), stm(r8, {r1, r2})}), 3u);
}

TEST(WorkedChecks, StoredRegistersAreNeededInListOrder)
{
    EXPECT_EQ(arm_cycles({ldr_imm(r1, r8), stm(r9, {r1, r2})}), 4u);
    EXPECT_EQ(arm_cycles({ldr_imm(r2, r8), stm(r9, {r1, r2})}), 3u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r1, r8), stm(r9, {r1, r2, r3})}), 6u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r2, r8), stm(r9, {r1, r2, r3})}), 5u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r3, r8), stm(r9, {r1, r2, r3})}), 4u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), strd_imm(r0, r9)}), 4u);
    EXPECT_EQ(arm_cycles({ldr_imm(r1, r8), strd_imm(r0, r9)}), 3u);
}

TEST(WorkedChecks, MultipliesForwardToTheAccumulator)
{
    EXPECT_EQ(arm_cycles({mul(r0, r1, r2), sub(r4, r0, r5)}), 4u);
    EXPECT_EQ(arm_cycles({mla(r0, r1, r2, r0), mla(r0, r1, r2, r0)}), 4u);
    EXPECT_EQ(arm_cycles({qadd(r0, r1, r2), sub(r4, r0, r5)}), 3u);
    EXPECT_EQ(arm_cycles({qadd(r0, r1, r2), mla(r3, r1, r2, r0)}), 3u);
    EXPECT_EQ(arm_cycles({smlabb(r0, r1, r2, r0), smlabb(r0, r1, r2, r0), smlabb(r0, r1, r2, r0),
                          smlabb(r0, r1, r2, r0)}),
              4u);
}

TEST(WorkedChecks, AFailedConditionWaitsForNothingAndProducesNothing)
{
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), when(EQ, add(r1, r0, r2)), add(r1, r0, r2)}), 3u);
    EXPECT_EQ(arm_cycles({when(EQ, ldr_imm(r0, r8)), add(r1, r0, r2)}), 2u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8), when(EQ, mov_imm(r0, 1)), nop()}), 3u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), when(EQ, mov_imm(r0, 1)), add(r1, r0, r2)}), 4u);
}

TEST(WorkedChecks, ANewResultReplacesAnOlderOne)
{
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), mov_imm(r0, 1), add(r1, r0, r2)}), 3u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), ldr_imm(r0, r8), add(r1, r0, r2)}), 4u);
}

/* Visible only in a table with a latency above the cost of a branch. */
TEST(WorkedChecks, ACallReplacesAnOlderResultOfTheLinkRegister)
{
    struct arm968_timing timing = arm968_timing_default();
    timing.load_result = 6;
    const auto cycles = [&](const std::vector<uint32_t> &code) {
        return cycles_of({code, false, NO_IRQ, 0}, timing);
    };
    EXPECT_EQ(cycles({ldr_imm(lr, r8), bl(4, 8), mov(r0, lr)}), 1u + 3u + 1u);
    EXPECT_EQ(cycles({ldr_imm(lr, r8), blx(r7), mov(r0, lr)}), 1u + 3u + 1u);
    EXPECT_EQ(cycles({mov(lr, r7), b(4, 8), mov(r0, lr)}), 1u + 3u + 1u);
}

TEST(WorkedChecks, ARotatedWordIsReadyAsLateAsAByte)
{
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8, 2), add(r1, r0, r2)}), 4u);
    EXPECT_EQ(arm_cycles({ldr_imm(r0, r8, 2), nop(), str_imm(r0, r9)}), 4u);
    EXPECT_EQ(arm_cycles({add_imm(r9, r9, 3), ldr_post(r0, r9, 4), add(r1, r0, r2)}), 5u);
    EXPECT_EQ(arm_cycles({add_imm(r9, r9, 3), ldr_pre(r0, r9, 4), add(r1, r0, r2)}), 5u);
    EXPECT_EQ(arm_cycles({add_imm(r9, r9, 3), ldr_reg(r0, r9, r11), add(r1, r0, r2)}), 5u);
}

TEST(WorkedChecks, ARotatedWordLoadedWithUserAccessIsReadyAsLateAsAByte)
{
    EXPECT_EQ(arm_cycles({add_imm(r9, r9, 3), ldrt(r0, r9), add(r1, r0, r2)}), 5u);
}

/* Visible only in a table with a latency above the cost of the entry. */
TEST(WorkedChecks, AnAbortedLoadLeavesNoResult)
{
    bench_config config;
    config.timing.load_result = 9;
    core_bench bench(config);
    bench.arm(CODE_BASE, {ldr_imm(r3, r8), ldr_imm(r0, r12)});
    bench.arm(0x10, {add(r1, r0, r0), add(r2, r3, r3)});
    bench.set(8, DTCM_BASE);
    bench.set(12, 0x70000000);
    bench.start(CODE_BASE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.cycle(), 1u + 1u + 3u);
    bench.steps(1);
    EXPECT_EQ(bench.cycle(), 5u + 1u);
    bench.steps(1); /* the load before it was made: its result is ready at 1 + 9 */
    EXPECT_EQ(bench.cycle(), 10u + 1u);
}

TEST(WorkedChecks, WaitsOfMemoryDoNotLetAResultRipen)
{ /* the store to ITCM waits a cycle, in which the pipeline stands */
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), str_imm(r1, r10), add(r2, r0, r0)}), 5u);
    EXPECT_EQ(arm_cycles({ldrb_imm(r0, r8), str_imm(r1, r6), add(r2, r0, r0)}),
              1u + 1u + OUTSIDE_WAIT + 1u + 1u);
}

TEST(WorkedChecks, StackFramesOfNineRegisters)
{
    EXPECT_EQ(arm_cycles({push({r4, r5, r6, r7, r8, r9, r10, r11, lr})}), 9u);
}

TEST(WorkedChecks, PoppingNineRegistersWithPcTakesThirteen)
{ /* the frame is the code's own: nine words, the last one is where to go */
    core_bench bench;
    bench.arm(CODE_BASE, {pop({r4, r5, r6, r7, r8, r9, r10, r11, pc})});
    bench.set(13, DTCM_BASE + 0x100);
    bench.set_word(DTCM_BASE + 0x120, 0x2000);
    bench.arm(0x2000, {branch_to_self()});
    bench.start(CODE_BASE);
    EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_EQ(bench.cycle(), 13u);
}

TEST(WorkedChecks, ACallAndReturnCostTwoBranches)
{
    EXPECT_EQ(arm_cycles({bl(0, 12), b(4, 20), nop(), bx(lr), nop()}), 3u + 3u + 3u);
}

TEST(WorkedChecks, ADelayLoopTakesFourCyclesARound)
{
    EXPECT_EQ(arm_cycles({mov_imm(r0, 1), subs_imm(r0, r0, 1), when(NE, b(8, 4))}), 3u);
    EXPECT_EQ(arm_cycles({mov_imm(r0, 200), subs_imm(r0, r0, 1), when(NE, b(8, 4))}),
              1u + 199u * 4u + 2u);
    EXPECT_EQ(thumb_cycles({thumb::mov_imm(r0, 200), thumb::sub_imm(r0, 1), thumb::b_if(NE, 4, 2)}),
              1u + 199u * 4u + 2u);
}

TEST(WorkedChecks, ADelayLoopPaysForItsCounterOnceAndMayCountInOtherSteps)
{
    const std::vector<uint32_t> loaded = {ldr_imm(r0, r8, 8), subs_imm(r0, r0, 1),
                                          when(NE, b(8, 4))};
    core_bench bench;
    ASSERT_TRUE(run_piece(&bench, {loaded, false, NO_IRQ, 0}, false));
    EXPECT_EQ(bench.cycle(), 1u + 1u + 0x8000u * 4u + 2u); /* r0 = 0x8001 */
    EXPECT_EQ(bench.counters().interlock_cycles, 1u);
    EXPECT_EQ(arm_cycles({mov_imm(r0, 200), subs_imm(r0, r0, 2), when(NE, b(8, 4))}),
              1u + 99u * 4u + 2u);
    EXPECT_EQ(thumb_cycles({thumb::mov_imm(r0, 201), thumb::sub_imm(r0, 3), thumb::b_if(NE, 4, 2)}),
              1u + 66u * 4u + 2u);
    EXPECT_EQ(arm_cycles({mov_imm(r0, 200), subs_imm(r1, r0, 199), when(NE, b(8, 12)), nop()}),
              1u + 1u + 3u + 1u);
}

/* Inner loops of neural-network kernels, cycles for one round each. */
TEST(WorkedChecks, MultiplyAccumulateKernels)
{
    EXPECT_EQ(arm_cycles({half_imm(LOAD_HALF, false, false, r0, r8, 2),
                          half_imm(LOAD_HALF, false, false, r1, r9, 2), cmp_imm(r8, 0),
                          smlabb(r2, r0, r1, r2), when(NE, b(16, 20))}),
              8u);
    EXPECT_EQ(arm_cycles({ldm_w(r8, {r0, r1, r2, r3}), smlabb(r4, r0, r1, r4),
                          smla(1, 1, r4, r0, r1, r4), smlabb(r4, r2, r3, r4),
                          smla(1, 1, r4, r2, r3, r4), subs_imm(r5, r5, 4), when(NE, b(24, 28))}),
              4u + 4u + 1u + 3u);
    EXPECT_EQ(arm_cycles({ldr_post(r0, r8, 4), ldr_post(r1, r9, 4), cmp_imm(r8, 0),
                          smlabb(r2, r0, r1, r2), smla(1, 1, r2, r0, r1, r2), when(NE, b(20, 24))}),
              8u);
}

TEST(WorkedChecks, CopyingEightWordsTakesTwentyCycles)
{
    EXPECT_EQ(arm_cycles({ldm_w(r8, {r0, r1, r2, r3, r4, r5, r6, r7}),
                          stm_w(r9, {r0, r1, r2, r3, r4, r5, r6, r7}), subs_imm(r10, r10, 8),
                          when(NE, b(12, 16))}),
              20u);
}

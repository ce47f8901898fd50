/* wait_test.cpp - wait for interrupt: when the core sleeps, what wakes it, what that costs. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;

class WaitForInterrupt : public ::testing::Test
{
  protected:
    WaitForInterrupt()
    {
        bench.arm(CODE, {wait_for_interrupt(), add_imm(r0, r0, 1), branch_to_self()});
        bench.start(CODE);
    }

    core_bench bench;
};

TEST_F(WaitForInterrupt, StopsBehindTheInstruction)
{
    EXPECT_EQ(bench.run(1000), ARM968_STOP_WAIT);
    EXPECT_TRUE(arm968_waiting(bench.cpu));
    EXPECT_EQ(bench.cycle(), 2u);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.counters().instructions, 1u);
}

TEST_F(WaitForInterrupt, LetsTimePassToTheHorizon)
{
    (void)bench.run(1000);
    EXPECT_EQ(arm968_run(bench.cpu, 5000), ARM968_STOP_WAIT);
    EXPECT_EQ(bench.cycle(), 5000u);
    EXPECT_EQ(arm968_run(bench.cpu, 4000), ARM968_STOP_WAIT);
    EXPECT_EQ(bench.cycle(), 5000u);
    EXPECT_EQ(bench.counters().sleep_cycles, 4998u);
    EXPECT_EQ(bench.counters().active_cycles, 2u);
}

TEST_F(WaitForInterrupt, WakesFromAMaskedLineAndGoesOn)
{
    for (const enum arm968_line line : {ARM968_IRQ, ARM968_FIQ}) {
        core_bench masked;
        masked.arm(CODE, {wait_for_interrupt(), add_imm(r0, r0, 1), branch_to_self()});
        masked.start(CODE); /* after reset both are masked */
        (void)masked.run(1000);
        arm968_set_line(masked.cpu, line, true, 100);
        EXPECT_EQ(arm968_run(masked.cpu, 101), ARM968_STOP_WAIT);
        EXPECT_TRUE(arm968_waiting(masked.cpu));
        EXPECT_EQ(arm968_run(masked.cpu, 102), ARM968_STOP_HORIZON);
        EXPECT_FALSE(arm968_waiting(masked.cpu));
        EXPECT_EQ(masked.reg(0), 0u);
        EXPECT_EQ(arm968_run(masked.cpu, 103), ARM968_STOP_HORIZON);
        EXPECT_EQ(masked.reg(0), 1u);
        EXPECT_EQ(masked.cycle(), 103u);
        EXPECT_EQ(masked.counters().sleep_cycles, 100u);
        EXPECT_EQ(masked.counters().interrupts + masked.counters().fast_interrupts, 0u);
    }
}

TEST_F(WaitForInterrupt, TakesAnUnmaskedInterruptWithTheNextInstructionAsReturn)
{
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    (void)bench.run(1000);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 100);
    EXPECT_EQ(arm968_run(bench.cpu, 103), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 4 + 4);
    EXPECT_EQ(bench.cycle(), 105u);
    EXPECT_EQ(bench.counters().sleep_cycles, 100u);
    EXPECT_EQ(bench.counters().active_cycles, 5u);
}

TEST_F(WaitForInterrupt, DoesNothingWhenALineIsAlreadySeen)
{
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0); /* masked; visible at 2, when it is executed */
    EXPECT_EQ(arm968_run(bench.cpu, 3), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 1u);
    EXPECT_EQ(bench.cycle(), 3u);
    EXPECT_EQ(bench.counters().sleep_cycles, 0u);
    EXPECT_FALSE(arm968_waiting(bench.cpu));
}

TEST_F(WaitForInterrupt, ALineSeenWhileItIsExecutedLeavesNothingToWaitFor)
{
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0); /* visible at 2 */
    EXPECT_EQ(arm968_run(bench.cpu, 1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.cycle(), 2u);
    EXPECT_FALSE(arm968_waiting(bench.cpu));
}

TEST_F(WaitForInterrupt, AKnownLineWakesItInOneRun)
{
    arm968_set_line(bench.cpu, ARM968_FIQ, true, 50);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_WAIT); /* the owner hears of it even so */
    EXPECT_EQ(bench.cycle(), 2u);
    EXPECT_EQ(arm968_wake_cycle(bench.cpu), 52u);
    EXPECT_EQ(arm968_run(bench.cpu, 60), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 1u);
    EXPECT_EQ(bench.counters().sleep_cycles, 50u);
}

TEST_F(WaitForInterrupt, AFailedConditionDoesNotWait)
{
    bench.arm(CODE, {when(EQ, wait_for_interrupt()), add_imm(r0, r0, 1)});
    arm968_set_cpsr(bench.cpu, MASK_I | MASK_F | ARM968_SYSTEM);
    EXPECT_EQ(arm968_run(bench.cpu, 2), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 1u);
    EXPECT_EQ(bench.cycle(), 2u);
}

TEST_F(WaitForInterrupt, ResultsPendingBeforeItAreReadyAfterIt)
{
    bench.arm(CODE, {ldrb_imm(r3, r1), wait_for_interrupt(), add(r2, r3, r3)});
    bench.set(1, DTCM_BASE);
    bench.start(CODE);
    (void)bench.run(1000);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 100);
    EXPECT_EQ(arm968_run(bench.cpu, 103), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.cycle(), 103u);
    EXPECT_EQ(bench.counters().interlock_cycles, 0u);
}

TEST_F(WaitForInterrupt, TheStateWhileAsleepCanBeSavedAndLoaded)
{
    (void)bench.run(1000);
    (void)arm968_run(bench.cpu, 500);
    struct arm968_snapshot snapshot;
    arm968_save(bench.cpu, &snapshot);
    core_bench other;
    other.arm(CODE, {wait_for_interrupt(), add_imm(r0, r0, 1), branch_to_self()});
    arm968_load(other.cpu, &snapshot);
    EXPECT_TRUE(arm968_waiting(other.cpu));
    EXPECT_EQ(arm968_run(other.cpu, 700), ARM968_STOP_WAIT);
    EXPECT_EQ(other.cycle(), 700u);
    EXPECT_EQ(other.counters().sleep_cycles, 698u);
}

TEST_F(WaitForInterrupt, ResetWakesTheCore)
{
    (void)bench.run(1000);
    arm968_reset(bench.cpu);
    EXPECT_FALSE(arm968_waiting(bench.cpu));
    EXPECT_EQ(bench.reg(15), 0u);
}

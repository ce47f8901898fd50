/* lowest_sp_test.cpp - the lowest stack pointer: which instructions move it, in which modes, and on
 * which it stays. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t CODE = CODE_BASE;
constexpr uint32_t TOP = DTCM_BASE + 0x8000;
constexpr uint32_t NEVER = UINT32_MAX;

class LowestSp : public ::testing::Test
{
  protected:
    /* Executes words in System mode with r13 at TOP, which the loader has set. */
    uint32_t after(const std::vector<uint32_t> &code)
    {
        core_bench bench;
        bench.set_mode(ARM968_SYSTEM);
        bench.set(13, TOP);
        bench.set(r1, TOP - 0x100);
        bench.set(r2, 0x40);
        bench.set_word(TOP, 0x1234);
        bench.arm(CODE, code);
        bench.start(CODE);
        bench.steps(static_cast<unsigned>(code.size()));
        EXPECT_EQ(bench.reg(15), CODE + 4 * code.size());
        return arm968_lowest_sp(bench.cpu);
    }
};

} // namespace

TEST_F(LowestSp, IsThatToWhichInstructionsMoveIt)
{
    EXPECT_EQ(after({nop()}), NEVER);
    EXPECT_EQ(after({push({r0})}), TOP - 4);
    EXPECT_EQ(after({push({r0, r1, r2, lr})}), TOP - 16);
    EXPECT_EQ(after({sub_imm(sp, sp, 24)}), TOP - 24);
    EXPECT_EQ(after({sub(sp, sp, r2)}), TOP - 0x40);
    EXPECT_EQ(after({mov(sp, r1)}), TOP - 0x100);
    EXPECT_EQ(after({add(sp, r1, r2)}), TOP - 0x100 + 0x40);
    EXPECT_EQ(after({str_pre(r0, sp, -8)}), TOP - 8);
    EXPECT_EQ(after({str_post(r0, sp, -12)}), TOP - 12);
    EXPECT_EQ(after({ldr_pre(r0, sp, -16)}), TOP - 16);
    EXPECT_EQ(after({push({r0}), push({r0}), pop({r1}), pop({r1})}), TOP - 8);
    EXPECT_EQ(after({sub_imm(sp, sp, 24), add_imm(sp, sp, 24), push({r0})}), TOP - 24);
}

/* It does not move down there, or the value is another's. */
TEST_F(LowestSp, StaysWhereNothingPutsItLower)
{
    EXPECT_EQ(after({add_imm(sp, sp, 8)}), NEVER);
    EXPECT_EQ(after({pop({r0})}), NEVER);
    EXPECT_EQ(after({ldr_post(r0, sp, 4)}), NEVER);
    EXPECT_EQ(after({ldr_imm(sp, sp, 0)}), NEVER) << "loaded";
    EXPECT_EQ(after({str_imm(r0, sp, -8)}), NEVER) << "no write-back";
    EXPECT_EQ(after({cmp_imm(r0, 0), when(NE, sub_imm(sp, sp, 4))}), NEVER) << "condition failed";
    EXPECT_EQ(after({cmp_imm(r0, 0), when(EQ, sub_imm(sp, sp, 4))}), TOP - 4);
}

TEST_F(LowestSp, IsThatOfThumbCodeToo)
{
    core_bench bench;
    bench.set_mode(ARM968_SYSTEM);
    bench.set(13, TOP);
    bench.thumb(CODE, {thumb::push({r0, r1, lr}), thumb::adjust_sp(true, 8),
                       thumb::adjust_sp(false, 8), thumb::pop({r0, r1})});
    bench.start(CODE, true);
    bench.steps(4);
    EXPECT_EQ(arm968_lowest_sp(bench.cpu), TOP - 20);
}

TEST_F(LowestSp, AnAbortedPushMovesNothing)
{
    core_bench bench;
    bench.set_mode(ARM968_SYSTEM);
    bench.set(13, DTCM_BASE + 8);
    bench.arm(CODE, {push({r0}), push({r0}), push({r0})});
    bench.start(CODE);
    bench.steps(3);
    EXPECT_EQ(arm968_lowest_sp(bench.cpu), DTCM_BASE);
    EXPECT_EQ(bench.counters().data_aborts, 1u);
}

/* Handlers of fast interrupts use their own r13 as they like. */
TEST_F(LowestSp, CountsTheModesInWhichProgramsRun)
{
    for (const enum arm968_mode mode :
         {ARM968_FIQ_MODE, ARM968_IRQ_MODE, ARM968_ABORT, ARM968_UNDEFINED, ARM968_SUPERVISOR,
          ARM968_SYSTEM, ARM968_USER}) {
        core_bench bench;
        bench.set_mode(ARM968_SYSTEM);
        bench.arm(CODE, {mov(sp, r1), msr_cpsr_imm(PSR_C, MASK_I | MASK_F | mode), mov(sp, r2),
                         mov(sp, r3)});
        bench.set(r1, TOP);
        bench.set(r2, TOP - 8);
        bench.set(r3, TOP - 4);
        bench.start(CODE);
        bench.steps(4);
        const bool counts =
            mode == ARM968_USER || mode == ARM968_SYSTEM || mode == ARM968_SUPERVISOR;
        EXPECT_EQ(arm968_lowest_sp(bench.cpu), counts ? TOP - 8 : TOP) << std::hex << mode;
    }
}

TEST_F(LowestSp, OutlivesAReset)
{
    core_bench bench;
    bench.set_mode(ARM968_SYSTEM);
    bench.set(13, TOP);
    bench.arm(CODE, {push({r0})});
    bench.start(CODE);
    bench.steps(1);
    arm968_reset(bench.cpu);
    EXPECT_EQ(arm968_lowest_sp(bench.cpu), TOP - 4);
}

/* Of the mode in which it is saved, and of one that it has left. */
TEST_F(LowestSp, IsInASnapshot)
{
    for (const bool leaves : {false, true}) {
        core_bench bench;
        bench.set_mode(ARM968_SYSTEM);
        bench.set(13, TOP);
        bench.arm(CODE, {push({r0})});
        bench.start(CODE);
        bench.steps(1);
        if (leaves) {
            bench.set_mode(ARM968_SUPERVISOR);
        }
        struct arm968_snapshot snapshot;
        arm968_save(bench.cpu, &snapshot);
        core_bench other;
        EXPECT_EQ(arm968_lowest_sp(other.cpu), NEVER);
        arm968_load(other.cpu, &snapshot);
        EXPECT_EQ(arm968_lowest_sp(other.cpu), TOP - 4) << leaves;
    }
}

/* branches_test.cpp - branches, changes of state (interworking), pc as operand and destination, the
 * halves of the Thumb BL. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;
static constexpr uint32_t AT = DTCM_BASE + 0x100;

class Branches : public ::testing::Test
{
  protected:
    void arm(uint32_t insn)
    {
        bench.set_word(CODE, insn);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    void thumb_at(uint32_t address, uint16_t insn)
    {
        bench.thumb(address, {insn});
        bench.start(address, true);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    bool in_thumb() const
    {
        return (bench.cpsr() & STATE_T) != 0;
    }

    core_bench bench;
};

TEST_F(Branches, BxTakesTheStateFromBitZero)
{
    bench.set(3, 0x2001);
    arm(bx(r3));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_TRUE(in_thumb());
    bench.set(3, 0x2003);
    arm(bx(r3));
    EXPECT_EQ(bench.reg(15), 0x2002u);
    EXPECT_TRUE(in_thumb());
    bench.set(3, 0x2004);
    arm(bx(r3));
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_FALSE(in_thumb());
    thumb_at(CODE, thumb::bx(r3));
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_FALSE(in_thumb());
    bench.set(12, 0x2007);
    thumb_at(CODE, thumb::bx(r12));
    EXPECT_EQ(bench.reg(15), 0x2006u);
    EXPECT_TRUE(in_thumb());
    EXPECT_EQ(bench.counters().unpredictable, 0u);
}

TEST_F(Branches, AnArmTargetOffAWordIsMaskedAndNoted)
{
    bench.set(3, 0x2002);
    arm(bx(r3));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_FALSE(in_thumb());
    EXPECT_EQ(bench.counters().unpredictable, 1u);
    bench.set_word(AT, 0x2006);
    bench.set(1, AT);
    arm(ldr_imm(pc, r1));
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_FALSE(in_thumb());
    EXPECT_EQ(bench.counters().unpredictable, 2u);
}

TEST_F(Branches, BlxOfARegisterLinksAndReadsItsTargetFirst)
{
    bench.set(14, 0x2001);
    arm(blx(lr));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_TRUE(in_thumb());
    EXPECT_EQ(bench.reg(14), CODE + 4);
    bench.set(14, 0x2000);
    thumb_at(CODE + 2, thumb::blx(lr));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_FALSE(in_thumb());
    EXPECT_EQ(bench.reg(14), (CODE + 4) | 1);
}

TEST_F(Branches, BlxOfAnOffsetReachesEveryHalfWord)
{
    arm(blx_to(CODE, 0x2000));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_TRUE(in_thumb());
    EXPECT_EQ(bench.reg(14), CODE + 4);
    arm(blx_to(CODE, 0x802));
    EXPECT_EQ(bench.reg(15), 0x802u);
    EXPECT_TRUE(in_thumb());
}

TEST_F(Branches, OffsetsReachThirtyTwoMegabytesAndWrapAround)
{
    arm(b(CODE, CODE + 8 + 0x1fffffc));
    EXPECT_EQ(bench.reg(15), CODE + 8 + 0x1fffffc);
    arm(bl(CODE, CODE + 8 - 0x2000000));
    EXPECT_EQ(bench.reg(15), CODE + 8 - 0x2000000);
    EXPECT_EQ(bench.reg(14), CODE + 4);
}

TEST_F(Branches, LoadsToPcTakeTheStateFromBitZero)
{
    bench.set(1, AT);
    bench.set_words(AT, {0x2003, 0x2005, 0x2004});
    arm(ldr_imm(pc, r1));
    EXPECT_EQ(bench.reg(15), 0x2002u);
    EXPECT_TRUE(in_thumb());
    arm(ldm(r1, {r0, pc}));
    EXPECT_EQ(bench.reg(0), 0x2003u);
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_TRUE(in_thumb());
    bench.set(13, AT + 8);
    thumb_at(CODE, thumb::pop({pc}));
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_FALSE(in_thumb());
    EXPECT_EQ(bench.reg(13), AT + 12);
    bench.set(13, AT);
    thumb_at(CODE, thumb::pop({r2, pc}));
    EXPECT_EQ(bench.reg(2), 0x2003u);
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_TRUE(in_thumb());
}

TEST_F(Branches, WithBitL4LoadsToPcKeepTheState)
{
    arm968_set_control(bench.cpu, CONTROL_LOW | CONTROL_L4);
    bench.set(1, AT);
    bench.set(13, AT);
    bench.set_words(AT, {0x2003, 0x2004});
    arm(ldr_imm(pc, r1));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_FALSE(in_thumb());
    arm(ldm(r1, {pc}));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_FALSE(in_thumb());
    thumb_at(CODE, thumb::pop({pc}));
    EXPECT_EQ(bench.reg(15), 0x2002u);
    EXPECT_TRUE(in_thumb());
    thumb_at(CODE, thumb::pop({pc}));
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_TRUE(in_thumb());
    bench.set(3, 0x2001); /* BX is not concerned */
    arm(bx(r3));
    EXPECT_TRUE(in_thumb());
}

TEST_F(Branches, DataOperationsToPcKeepTheState)
{
    bench.set(3, 0x2003);
    arm(mov(pc, r3));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_FALSE(in_thumb());
    bench.set(4, 0x101);
    arm(add(pc, r3, r4));
    EXPECT_EQ(bench.reg(15), 0x2104u);
    EXPECT_FALSE(in_thumb());
    arm(data_imm(BIC, false, pc, r3, 0xf));
    EXPECT_EQ(bench.reg(15), 0x2000u);
    thumb_at(CODE, thumb::mov(pc, r3));
    EXPECT_EQ(bench.reg(15), 0x2002u);
    EXPECT_TRUE(in_thumb());
    bench.set(4, 0x101);
    thumb_at(CODE, thumb::add_high(pc, r4));
    EXPECT_EQ(bench.reg(15), CODE + 4 + 0x100);
    EXPECT_TRUE(in_thumb());
}

TEST_F(Branches, PcReadsAsTheInstructionPlusEight)
{
    arm(mov(r0, pc));
    EXPECT_EQ(bench.reg(0), CODE + 8);
    arm(add_imm(r0, pc, 0x10));
    EXPECT_EQ(bench.reg(0), CODE + 0x18);
    arm(data_reg(MOV, false, r0, 0, pc, LSR, 4));
    EXPECT_EQ(bench.reg(0), (CODE + 8) >> 4);
    bench.set(1, 0x100);
    arm(sub(r0, pc, r1));
    EXPECT_EQ(bench.reg(0), CODE + 8 - 0x100);
    arm(data_imm(CMP, true, 0, pc, 0));
    EXPECT_EQ(bench.cpsr() & 0xf0000000u, FLAG_C);
}

TEST_F(Branches, PcReadsAsTheInstructionPlusTwelveWithARegisterShift)
{
    bench.set(1, 0x100);
    bench.set(2, 0);
    arm(data_shift_reg(ADD, false, r0, pc, r1, LSL, r2));
    EXPECT_EQ(bench.reg(0), CODE + 12 + 0x100);
    arm(data_shift_reg(ADD, false, r0, r1, pc, LSL, r2));
    EXPECT_EQ(bench.reg(0), CODE + 12 + 0x100);
}

TEST_F(Branches, PcReadsAsTheInstructionPlusFourInThumbState)
{
    thumb_at(CODE + 2, thumb::mov(r0, pc));
    EXPECT_EQ(bench.reg(0), CODE + 6);
    bench.set(0, 0x100);
    thumb_at(CODE + 2, thumb::add_high(r0, pc));
    EXPECT_EQ(bench.reg(0), CODE + 6 + 0x100);
    bench.set(0, CODE + 6);
    thumb_at(CODE + 2, thumb::cmp_high(r0, pc));
    EXPECT_EQ(bench.cpsr() & 0xf0000000u, FLAG_Z | FLAG_C);
    thumb_at(CODE, thumb::bx(pc));
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_FALSE(in_thumb());
}

TEST_F(Branches, PcRelativeThumbAddressesAreWordAligned)
{
    bench.set_words(CODE + 8, {0x11111111, 0x22222222});
    thumb_at(CODE, thumb::add_pc(r0, 8));
    EXPECT_EQ(bench.reg(0), CODE + 12);
    thumb_at(CODE + 2, thumb::add_pc(r0, 8));
    EXPECT_EQ(bench.reg(0), CODE + 12);
    thumb_at(CODE, thumb::ldr_literal(r0, 4));
    EXPECT_EQ(bench.reg(0), 0x11111111u);
    thumb_at(CODE + 2, thumb::ldr_literal(r0, 4));
    EXPECT_EQ(bench.reg(0), 0x11111111u);
    thumb_at(CODE + 4, thumb::ldr_literal(r0, 4));
    EXPECT_EQ(bench.reg(0), 0x22222222u);
}

/* ---- the halves of BL ---- */

TEST_F(Branches, TheBlPrefixLeavesTheUpperPartInTheLinkRegister)
{
    thumb_at(CODE, 0xf000);
    EXPECT_EQ(bench.reg(14), CODE + 4);
    EXPECT_EQ(bench.reg(15), CODE + 2);
    thumb_at(CODE + 2, 0xf001);
    EXPECT_EQ(bench.reg(14), CODE + 6 + 0x1000);
    thumb_at(CODE, 0xf400); /* the sign bit of the offset */
    EXPECT_EQ(bench.reg(14), CODE + 4 - 0x400000);
    thumb_at(CODE, 0xf3ff);
    EXPECT_EQ(bench.reg(14), CODE + 4 + 0x3ff000);
}

TEST_F(Branches, TheBlSuffixStartsFromWhateverTheLinkRegisterHolds)
{
    bench.set(14, 0x3000);
    thumb_at(CODE, 0xf804);
    EXPECT_EQ(bench.reg(15), 0x3008u);
    EXPECT_EQ(bench.reg(14), (CODE + 2) | 1);
    EXPECT_TRUE(in_thumb());
    bench.set(14, 0x3001);
    thumb_at(CODE + 2, 0xffff);
    EXPECT_EQ(bench.reg(15), 0x3ffeu);
    EXPECT_EQ(bench.reg(14), (CODE + 4) | 1);
    bench.set(14, 0x3002);
    thumb_at(CODE, 0xe804);
    EXPECT_EQ(bench.reg(15), 0x3008u); /* 0x300a without its low two bits */
    EXPECT_EQ(bench.reg(14), (CODE + 2) | 1);
    EXPECT_FALSE(in_thumb());
}

TEST_F(Branches, BothHalvesMakeACall)
{
    const uint32_t targets[] = {CODE + 0x100, CODE - 0x800, CODE + 0x3ffffe, CODE - 0x3ffffc};
    for (const uint32_t target : targets) {
        core_bench fresh;
        fresh.thumb(CODE, {thumb::bl_prefix(CODE, target), thumb::bl_suffix(CODE, target)});
        fresh.start(CODE, true);
        EXPECT_EQ(arm968_run(fresh.cpu, 4), ARM968_STOP_HORIZON);
        EXPECT_EQ(fresh.reg(15), target);
        EXPECT_EQ(fresh.reg(14), (CODE + 4) | 1);
        EXPECT_EQ(fresh.cycle(), 4u);
    }
}

TEST_F(Branches, BlxFromAnOddHalfReachesAWord)
{
    bench.thumb(CODE + 2,
                {thumb::bl_prefix(CODE + 2, 0x2000), thumb::blx_suffix(CODE + 2, 0x2000)});
    bench.start(CODE + 2, true);
    EXPECT_EQ(arm968_run(bench.cpu, 4), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_EQ(bench.reg(14), (CODE + 6) | 1);
    EXPECT_FALSE(in_thumb());
}

class SplitCall : public Branches
{
  protected:
    /* Stops between the halves of a BL to 0x2000. */
    SplitCall()
    {
        bench.thumb(CODE, {thumb::nop(), thumb::bl_prefix(CODE + 2, 0x2000),
                           thumb::bl_suffix(CODE + 2, 0x2000)});
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
        bench.start(CODE, true);
        EXPECT_EQ(arm968_run(bench.cpu, 2), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.reg(15), CODE + 4);
        EXPECT_EQ(bench.reg(14), CODE + 6);
    }
};

TEST_F(SplitCall, GoesOnAfterAnInterruptBetweenItsHalves)
{
    bench.arm(0x18, {subs_imm(pc, lr, 4)});
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 8);
    arm968_set_line(bench.cpu, ARM968_IRQ, false, bench.cycle());
    bench.steps(2);
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_EQ(bench.reg(14), (CODE + 6) | 1);
}

TEST_F(SplitCall, UsesTheLinkRegisterThatAHandlerHasChanged)
{ /* the handler goes to System mode and moves r14 by 0x100 */
    bench.arm(0x18, {msr_cpsr_imm(PSR_C, MASK_I | ARM968_SYSTEM), add_imm(lr, lr, 0x100),
                     msr_cpsr_imm(PSR_C, MASK_I | ARM968_IRQ_MODE), subs_imm(pc, lr, 4)});
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    bench.steps(1);
    arm968_set_line(bench.cpu, ARM968_IRQ, false, bench.cycle());
    bench.steps(5);
    EXPECT_EQ(bench.reg(15), 0x2100u);
}

TEST_F(SplitCall, UsesTheLinkRegisterThatADebuggerHasSet)
{
    bench.set(14, CODE + 6 + 0x300);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x2300u);
}

TEST_F(SplitCall, UsesTheLinkRegisterThatADebuggerHasSetByItsMode)
{
    arm968_set_banked_register(bench.cpu, ARM968_SYSTEM, 14, CODE + 6 + 0x300);
    ASSERT_EQ(bench.reg(14), CODE + 6 + 0x300);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x2300u);
}

TEST_F(SplitCall, GoesOnBehindABreakpointBetweenItsHalves)
{
    core_bench fresh;
    fresh.thumb(CODE, {thumb::bl_prefix(CODE, 0x2000), thumb::bl_suffix(CODE, 0x2000)});
    fresh.start(CODE, true);
    EXPECT_EQ(fresh.run_to(CODE + 2), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(fresh.reg(14), CODE + 4);
    EXPECT_EQ(fresh.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(fresh.reg(15), 0x2000u);
    EXPECT_EQ(fresh.cycle(), 4u);
}

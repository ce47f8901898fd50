/* modes_test.cpp - processor modes, banked registers, status registers and who may write them. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;

static const enum arm968_mode MODES[] = {ARM968_USER,       ARM968_FIQ_MODE, ARM968_IRQ_MODE,
                                         ARM968_SUPERVISOR, ARM968_ABORT,    ARM968_UNDEFINED,
                                         ARM968_SYSTEM};
static const enum arm968_mode PRIVILEGED[] = {ARM968_SYSTEM,     ARM968_FIQ_MODE, ARM968_IRQ_MODE,
                                              ARM968_SUPERVISOR, ARM968_ABORT,    ARM968_UNDEFINED};

static bool has_spsr(enum arm968_mode mode)
{
    return mode != ARM968_USER && mode != ARM968_SYSTEM;
}

class Modes : public ::testing::Test
{
  protected:
    /* Executes words one after the other from CODE. */
    void run(const std::vector<uint32_t> &code)
    {
        bench.arm(CODE, code);
        bench.start(CODE);
        for (size_t i = 0; i < code.size(); i++) {
            ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
        }
        ASSERT_EQ(bench.reg(15), CODE + 4 * code.size());
    }

    core_bench bench;
};

TEST_F(Modes, EachModeHasItsOwnRegisters)
{
    for (const enum arm968_mode mode : PRIVILEGED) { /* r8-r14 = mode << 8 | register */
        std::vector<uint32_t> code = {msr_cpsr_imm(PSR_C, MASK_I | MASK_F | mode)};
        for (unsigned r = 8; r < 15; r++) {
            code.push_back(mov_imm(r, static_cast<uint32_t>(mode) << 8));
            code.push_back(add_imm(r, r, r));
        }
        run(code);
        EXPECT_EQ(bench.cpsr() & 0x1f, static_cast<uint32_t>(mode));
    }
    /* r8-r12 were written last in Undefined mode, FIQ mode has its own */
    for (const enum arm968_mode mode : MODES) {
        const enum arm968_mode low = mode == ARM968_FIQ_MODE ? mode : ARM968_UNDEFINED;
        const enum arm968_mode high = mode == ARM968_USER ? ARM968_SYSTEM : mode;
        for (unsigned r = 8; r < 15; r++) {
            const uint32_t owner = r < 13 ? low : high;
            EXPECT_EQ(arm968_banked_register(bench.cpu, mode, r), owner << 8 | r)
                << "mode " << std::hex << mode << std::dec << " r" << r;
        }
    }
    for (const enum arm968_mode mode : MODES) { /* and the core itself sees the same */
        bench.set_mode(mode);
        for (unsigned r = 8; r < 15; r++) {
            EXPECT_EQ(bench.reg(r), arm968_banked_register(bench.cpu, mode, r));
        }
    }
}

TEST_F(Modes, RegistersBelowEightAreShared)
{
    for (unsigned r = 0; r < 8; r++) {
        bench.set(r, 0x7000 + r);
    }
    for (const enum arm968_mode mode : MODES) {
        bench.set_mode(mode);
        for (unsigned r = 0; r < 8; r++) {
            EXPECT_EQ(bench.reg(r), 0x7000 + r);
            EXPECT_EQ(arm968_banked_register(bench.cpu, mode, r), 0x7000 + r);
        }
    }
}

TEST_F(Modes, BankedRegistersCanBeSetFromAnyMode)
{
    for (const enum arm968_mode now : MODES) {
        bench.set_mode(now);
        for (const enum arm968_mode mode : PRIVILEGED) {
            for (unsigned r = 13; r < 15; r++) {
                arm968_set_banked_register(bench.cpu, mode, r, now << 16 | mode << 8 | r);
            }
            arm968_set_spsr(bench.cpu, mode, 0xf0000000u | now);
        }
        for (const enum arm968_mode mode : PRIVILEGED) {
            for (unsigned r = 13; r < 15; r++) {
                EXPECT_EQ(arm968_banked_register(bench.cpu, mode, r), now << 16 | mode << 8 | r);
            }
            EXPECT_EQ(arm968_spsr(bench.cpu, mode), has_spsr(mode) ? 0xf0000000u | now : 0u);
        }
    }
}

TEST_F(Modes, EachModeHasItsOwnSpsr)
{
    for (const enum arm968_mode mode : PRIVILEGED) {
        if (has_spsr(mode)) {
            bench.set_mode(mode);
            bench.set(0, 0xf8000000u | mode);
            run({msr_spsr(PSR_ALL, r0)});
        }
    }
    for (const enum arm968_mode mode : PRIVILEGED) {
        if (has_spsr(mode)) {
            bench.set_mode(mode);
            run({mrs_spsr(r1)});
            EXPECT_EQ(bench.reg(1), 0xf8000000u | mode);
            EXPECT_EQ(arm968_spsr(bench.cpu, mode), 0xf8000000u | mode);
        }
    }
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_USER), 0u);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_SYSTEM), 0u);
}

TEST_F(Modes, UserModeWritesOnlyTheFlags)
{
    bench.set_mode(ARM968_USER, 0);
    bench.set(0, 0xffffffff);
    run({msr_cpsr(PSR_ALL, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0xf8000010u);
    bench.set(0, 0);
    run({msr_cpsr(PSR_C, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0xf8000010u);
    run({msr_cpsr_imm(PSR_C, 0xdf), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0xf8000010u);
    run({msr_cpsr_imm(PSR_F, 0x40000000), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x40000010u);
}

TEST_F(Modes, EachFieldOfCpsrIsWrittenAlone)
{
    bench.set(0, 0xffffffd1); /* FIQ mode, all flags, all reserved bits */
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    run({msr_cpsr(PSR_X, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x0000001fu);
    run({msr_cpsr(PSR_S, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x0000001fu);
    run({msr_cpsr(0, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x0000001fu);
    run({msr_cpsr(PSR_F, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0xf800001fu);
    run({msr_cpsr_imm(PSR_F, 0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x0000001fu);
    run({msr_cpsr(PSR_C, r0), mrs_cpsr(r1)});
    EXPECT_EQ(bench.reg(1), 0x000000d1u);
}

TEST_F(Modes, ReservedBitsOfStatusRegistersReadZero)
{
    bench.set(0, 0x07ffff00u | MASK_I | MASK_F | ARM968_ABORT);
    run({msr_cpsr(PSR_ALL, r0), mrs_cpsr(r1), msr_spsr(PSR_ALL, r0), mrs_spsr(r2)});
    EXPECT_EQ(bench.reg(1), 0xd7u);
    EXPECT_EQ(bench.reg(2), 0xd7u);
    EXPECT_EQ(bench.cpsr(), 0xd7u);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_ABORT), 0xd7u);
    arm968_set_spsr(bench.cpu, ARM968_ABORT, 0xffffffff);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_ABORT), 0xf80000ffu);
    arm968_set_cpsr(bench.cpu, 0xffffff80u | ARM968_SYSTEM);
    EXPECT_EQ(bench.cpsr(), 0xf800009fu);
}

TEST_F(Modes, MsrDoesNotChangeTheState)
{
    bench.set(0, STATE_T | MASK_I | ARM968_SYSTEM);
    run({msr_cpsr(PSR_ALL, r0), nop(), mrs_cpsr(r1)}); /* still ARM words */
    EXPECT_EQ(bench.reg(1), MASK_I | ARM968_SYSTEM);
    EXPECT_EQ(bench.cpsr(), MASK_I | ARM968_SYSTEM);
}

TEST_F(Modes, MsrToSpsrKeepsTheStateBit)
{
    bench.set(0, 0xffffffff);
    run({msr_spsr(PSR_ALL, r0), mrs_spsr(r1), msr_spsr_imm(PSR_F, 0), mrs_spsr(r2),
         msr_spsr_imm(PSR_C, 0x30), mrs_spsr(r3)});
    EXPECT_EQ(bench.reg(1), 0xf80000ffu);
    EXPECT_EQ(bench.reg(2), 0x000000ffu);
    EXPECT_EQ(bench.reg(3), 0x00000030u);
}

TEST_F(Modes, AnUnusedModeNumberKeepsTheMode)
{
    for (uint32_t number = 0; number < 32; number++) {
        bool used = false;
        for (const enum arm968_mode mode : MODES) {
            used = used || number == static_cast<uint32_t>(mode);
        }
        if (used) {
            continue;
        }
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
        const uint64_t before = bench.counters().unpredictable;
        bench.set(0, number);
        run({msr_cpsr(PSR_C, r0)});
        EXPECT_EQ(bench.cpsr() & 0x1f, static_cast<uint32_t>(ARM968_SYSTEM)) << number;
        EXPECT_EQ(bench.counters().unpredictable, before + 1) << number;
        arm968_set_cpsr(bench.cpu, number);
        EXPECT_EQ(bench.cpsr() & 0x1f, static_cast<uint32_t>(ARM968_SYSTEM)) << number;
    }
}

TEST_F(Modes, WithoutAnSpsrItReadsAsCpsrAndIsNotWritten)
{
    for (const enum arm968_mode mode : {ARM968_USER, ARM968_SYSTEM}) {
        arm968_set_cpsr(bench.cpu, FLAG_N | FLAG_Q | mode);
        const uint64_t before = bench.counters().unpredictable;
        bench.set(0, 0xffffffff);
        run({mrs_spsr(r1), msr_spsr(PSR_ALL, r0), mrs_spsr(r2)});
        EXPECT_EQ(bench.reg(1), FLAG_N | FLAG_Q | mode);
        EXPECT_EQ(bench.reg(2), FLAG_N | FLAG_Q | mode);
        EXPECT_EQ(bench.counters().unpredictable, before + 3);
    }
}

TEST_F(Modes, QStaysSetUntilMsrClearsIt)
{
    bench.set(0, 0x7fffffff);
    bench.set(1, 1);
    arm968_set_cpsr(bench.cpu, ARM968_SUPERVISOR);
    run({qadd(r2, r0, r1)});
    EXPECT_EQ(bench.reg(2), 0x7fffffffu);
    EXPECT_EQ(bench.cpsr(), FLAG_Q | ARM968_SUPERVISOR);
    run({qadd(r2, r1, r1), data_imm(ADD, true, r3, r1, 1), mul(r4, r1, r1, true),
         smlabb(r5, r1, r1, r1)});
    EXPECT_EQ(bench.cpsr(), FLAG_Q | ARM968_SUPERVISOR);
    run({msr_cpsr_imm(PSR_C, ARM968_SUPERVISOR)});
    EXPECT_EQ(bench.cpsr(), FLAG_Q | ARM968_SUPERVISOR);
    run({msr_cpsr_imm(PSR_F, 0x10000000)});
    EXPECT_EQ(bench.cpsr(), FLAG_V | ARM968_SUPERVISOR);
    run({smlabb(r5, r1, r1, r0)}); /* 1 * 1 + 0x7fffffff */
    EXPECT_EQ(bench.reg(5), 0x80000000u);
    EXPECT_EQ(bench.cpsr(), FLAG_Q | FLAG_V | ARM968_SUPERVISOR);
}

TEST_F(Modes, QIsSavedAndRestoredByExceptions)
{
    arm968_set_cpsr(bench.cpu, FLAG_Q | FLAG_C | ARM968_SYSTEM);
    bench.arm(CODE, {swi(0)});
    bench.arm(8, {msr_cpsr_imm(PSR_F, 0), movs(pc, lr)});
    bench.start(CODE);
    bench.steps(2);
    EXPECT_EQ(bench.cpsr(), MASK_I | ARM968_SUPERVISOR);
    bench.steps(1);
    EXPECT_EQ(bench.cpsr(), FLAG_Q | FLAG_C | ARM968_SYSTEM);
}

/* ---- returns ---- */

class Returns : public ::testing::Test
{
  protected:
    /* One instruction in Supervisor mode with SPSR `saved`. */
    void run(uint32_t insn, uint32_t saved)
    {
        arm968_set_cpsr(bench.cpu, MASK_I | MASK_F | ARM968_SUPERVISOR);
        arm968_set_spsr(bench.cpu, ARM968_SUPERVISOR, saved);
        bench.set_word(CODE, insn);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    core_bench bench;
};

TEST_F(Returns, DataOperationsToPcWithFlagsRestoreTheStatus)
{
    bench.set(14, 0x2002);
    run(movs(pc, lr), FLAG_Z | STATE_T | ARM968_USER);
    EXPECT_EQ(bench.reg(15), 0x2002u);
    EXPECT_EQ(bench.cpsr(), FLAG_Z | STATE_T | ARM968_USER);
    bench.set_mode(ARM968_SUPERVISOR);
    bench.set(14, 0x2006); /* back to ARM state: bits 1:0 are dropped */
    run(subs_imm(pc, lr, 4), FLAG_N | ARM968_SYSTEM);
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_EQ(bench.cpsr(), FLAG_N | ARM968_SYSTEM);
    bench.set_mode(ARM968_SUPERVISOR);
    bench.set(14, 0x2009); /* to Thumb state: bit 0 is dropped */
    run(subs_imm(pc, lr, 4), STATE_T | MASK_I | ARM968_IRQ_MODE);
    EXPECT_EQ(bench.reg(15), 0x2004u);
    EXPECT_EQ(bench.cpsr(), STATE_T | MASK_I | ARM968_IRQ_MODE);
}

TEST_F(Returns, TheOperandsAreThoseOfTheOldMode)
{
    bench.set_mode(ARM968_SUPERVISOR);
    bench.set(14, 0x3000);
    arm968_set_banked_register(bench.cpu, ARM968_SYSTEM, 14, 0x5550);
    run(movs(pc, lr), ARM968_SYSTEM);
    EXPECT_EQ(bench.reg(15), 0x3000u);
    EXPECT_EQ(bench.reg(14), 0x5550u);
}

TEST_F(Returns, BlockLoadWithPcAndStatusRestoresModeAndState)
{
    const uint32_t at = DTCM_BASE + 0x100;
    bench.set_words(at, {0x1111, 0x2222, 0x2007});
    bench.set_mode(ARM968_SUPERVISOR);
    bench.set(13, at);
    bench.set(14, 0xbad);
    arm968_set_banked_register(bench.cpu, ARM968_USER, 13, 0x1313);
    arm968_set_banked_register(bench.cpu, ARM968_USER, 14, 0x1414);
    run(block_transfer(true, IA, sp, true, register_list({r0, lr, pc}), true),
        FLAG_C | STATE_T | ARM968_USER);
    EXPECT_EQ(bench.reg(15), 0x2006u);
    EXPECT_EQ(bench.cpsr(), FLAG_C | STATE_T | ARM968_USER);
    EXPECT_EQ(bench.reg(0), 0x1111u);
    EXPECT_EQ(bench.reg(13), 0x1313u);
    EXPECT_EQ(bench.reg(14), 0x1414u);
    /* the registers of the mode that was left: loaded and written back there */
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SUPERVISOR, 14), 0x2222u);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SUPERVISOR, 13), at + 12);
}

TEST_F(Returns, ToArmStateMasksTheTargetWhateverItsLowBits)
{
    const uint32_t at = DTCM_BASE + 0x100;
    bench.set_words(at, {0x2003});
    bench.set_mode(ARM968_SUPERVISOR);
    bench.set(1, at);
    run(block_transfer(true, IA, r1, false, register_list({pc}), true), ARM968_SYSTEM);
    EXPECT_EQ(bench.reg(15), 0x2000u);
    EXPECT_EQ(bench.cpsr(), static_cast<uint32_t>(ARM968_SYSTEM));
}

TEST_F(Returns, WithoutAnSpsrTheyArePlainBranchesAndNoted)
{
    for (const enum arm968_mode mode : {ARM968_USER, ARM968_SYSTEM}) {
        arm968_set_cpsr(bench.cpu, FLAG_V | mode);
        const uint64_t before = bench.counters().unpredictable;
        bench.set_word(CODE, movs(pc, r3));
        bench.set(3, 0x2002);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.reg(15), 0x2000u);
        EXPECT_EQ(bench.cpsr(), FLAG_V | mode);
        EXPECT_EQ(bench.counters().unpredictable, before + 1);
    }
}

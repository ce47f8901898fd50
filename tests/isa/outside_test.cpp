/* outside_test.cpp - data accesses outside the TCMs: what the core asks for, when, and what it does
 * with the answer, an abort or a wait. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;
static constexpr uint32_t FAST = 0x60000000;   /* answers at once */
static constexpr uint32_t SLOW = 0x61000000;   /* answers with 9 cycles of waiting */
static constexpr uint32_t REMOTE = 0x62000000; /* is performed by the test */
static constexpr uint32_t DEAD = 0x63000000;   /* aborts after 4 cycles */
static constexpr uint32_t UNBUFFERED = 0x70000000;

class Outside : public ::testing::Test
{
  protected:
    Outside()
    {
        bench.outside.regions = {{FAST, 0x1000, REGION_ANSWERS, 0},
                                 {SLOW, 0x1000, REGION_ANSWERS, 9},
                                 {REMOTE, 0x1000, REGION_OUTSIDE, 0},
                                 {DEAD, 0x1000, REGION_ABORTS, 4},
                                 {UNBUFFERED, 0x1000, REGION_ANSWERS, 0}};
        for (unsigned i = 0; i < 15; i++) {
            bench.set(i, 0x01010101 * i);
        }
    }

    void run(uint32_t insn, uint32_t r1_value)
    {
        bench.set_word(CODE, insn);
        bench.set(1, r1_value);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    const struct arm968_access &last() const
    {
        return bench.outside.log.back().access;
    }

    void expect_last(enum arm968_access_kind kind, uint32_t address, unsigned size, unsigned words)
    {
        EXPECT_EQ(last().kind, kind);
        EXPECT_EQ(last().address, address);
        EXPECT_EQ(last().size, size);
        EXPECT_EQ(last().words, words);
        EXPECT_FALSE(last().sequential);
    }

    core_bench bench;
};

TEST_F(Outside, SingleAccessesOfEachSize)
{
    bench.set_words(FAST, {0x84838281, 0x88878685});
    run(ldr_imm(r2, r1, 4), FAST);
    expect_last(ARM968_READ, FAST + 4, 4, 1);
    EXPECT_EQ(bench.reg(2), 0x88878685u);
    run(ldrb_imm(r2, r1, 3), FAST);
    expect_last(ARM968_READ, FAST + 3, 1, 1);
    EXPECT_EQ(bench.reg(2), 0x84u);
    run(ldrsb_imm(r2, r1, 2), FAST);
    EXPECT_EQ(bench.reg(2), 0xffffff83u);
    run(ldrh_imm(r2, r1, 2), FAST);
    expect_last(ARM968_READ, FAST + 2, 2, 1);
    EXPECT_EQ(bench.reg(2), 0x8483u);
    run(ldrsh_imm(r2, r1, 2), FAST);
    EXPECT_EQ(bench.reg(2), 0xffff8483u);
    run(str_imm(r5, r1, 8), FAST);
    expect_last(ARM968_WRITE, FAST + 8, 4, 1);
    EXPECT_EQ(last().data[0], 0x05050505u);
    EXPECT_EQ(bench.word(FAST + 8), 0x05050505u);
    run(strb_imm(r6, r1, 9), FAST);
    expect_last(ARM968_WRITE, FAST + 9, 1, 1);
    EXPECT_EQ(last().data[0] & 0xff, 0x06u);
    EXPECT_EQ(bench.word(FAST + 8), 0x05050605u);
    run(strh_imm(r7, r1, 10), FAST);
    expect_last(ARM968_WRITE, FAST + 10, 2, 1);
    EXPECT_EQ(last().data[0] & 0xffff, 0x0707u);
    EXPECT_EQ(bench.word(FAST + 8), 0x07070605u);
    EXPECT_EQ(bench.counters().bus_reads, 5u);
    EXPECT_EQ(bench.counters().bus_writes, 3u);
}

TEST_F(Outside, WritebackHappensWithTheAccess)
{
    bench.set_word(FAST + 8, 0xabcd);
    run(ldr_pre(r2, r1, 8), FAST);
    EXPECT_EQ(bench.reg(2), 0xabcdu);
    EXPECT_EQ(bench.reg(1), FAST + 8);
    run(str_post(r3, r1, -4), FAST + 8);
    EXPECT_EQ(last().address, FAST + 8);
    EXPECT_EQ(bench.reg(1), FAST + 4);
}

TEST_F(Outside, BurstsHoldAllWords)
{
    bench.set_words(FAST + 0x10, {11, 12, 13, 14});
    run(ldm_w(r1, {r2, r3, r8, lr}), FAST + 0x10);
    expect_last(ARM968_READ, FAST + 0x10, 4, 4);
    EXPECT_EQ(bench.reg(2), 11u);
    EXPECT_EQ(bench.reg(3), 12u);
    EXPECT_EQ(bench.reg(8), 13u);
    EXPECT_EQ(bench.reg(14), 14u);
    EXPECT_EQ(bench.reg(1), FAST + 0x20);
    run(block_transfer(false, DB, r1, true, register_list({r4, r5, r6})), FAST + 0x80);
    expect_last(ARM968_WRITE, FAST + 0x74, 4, 3);
    EXPECT_EQ(last().data[0], 0x04040404u);
    EXPECT_EQ(last().data[1], 0x05050505u);
    EXPECT_EQ(last().data[2], 0x06060606u);
    run(block_transfer(false, IA, r1, false, 0xffff), FAST + 0x100);
    expect_last(ARM968_WRITE, FAST + 0x100, 4, 16);
    EXPECT_EQ(last().data[1], FAST + 0x100);
    EXPECT_EQ(last().data[15], CODE + 12);
    run(ldrd_imm(r4, r1), FAST + 0x10);
    expect_last(ARM968_READ, FAST + 0x10, 4, 2);
    EXPECT_EQ(bench.reg(5), 12u);
    run(strd_imm(r6, r1), FAST + 0x40);
    expect_last(ARM968_WRITE, FAST + 0x40, 4, 2);
    EXPECT_EQ(last().data[1], 0x07070707u);
    EXPECT_EQ(bench.counters().bus_reads, 6u);
    EXPECT_EQ(bench.counters().bus_writes, 21u);
}

TEST_F(Outside, ASwapIsOneLockedAccess)
{
    bench.set_word(FAST, 0x44332211);
    run(swp(r2, r3, r1), FAST);
    expect_last(ARM968_SWAP, FAST, 4, 1);
    EXPECT_EQ(last().data[0], 0x03030303u);
    EXPECT_FALSE(last().buffered);
    EXPECT_EQ(bench.reg(2), 0x44332211u);
    EXPECT_EQ(bench.word(FAST), 0x03030303u);
    run(swpb(r2, r5, r1), FAST + 1);
    expect_last(ARM968_SWAP, FAST + 1, 1, 1);
    EXPECT_EQ(bench.reg(2), 0x03u);
    EXPECT_EQ(bench.word(FAST), 0x03030503u);
    EXPECT_EQ(bench.outside.log.size(), 2u);
    EXPECT_EQ(bench.counters().bus_reads, 2u);
    EXPECT_EQ(bench.counters().bus_writes, 2u);
}

TEST_F(Outside, AnUnpredictableAccessIsNotedOnceHoweverOftenItIsTried)
{
    for (const uint32_t place : {FAST, REMOTE}) {
        const uint64_t before = bench.counters().unpredictable;
        bench.set_word(CODE, half_reg(LOAD_HALF, true, false, true, r2, r1, pc));
        bench.set(1, place - (CODE + 8));
        bench.start(CODE);
        if (bench.step() == ARM968_STOP_OUTSIDE) {
            bench.complete();
            (void)bench.step();
        }
        EXPECT_EQ(last().address, place);
        EXPECT_EQ(bench.reg(15), CODE + 4);
        EXPECT_EQ(bench.counters().unpredictable, before + 1);
    }
}

TEST_F(Outside, PreloadAsksForNothing)
{
    run(pld(r1), DEAD);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_TRUE(bench.outside.log.empty());
}

TEST_F(Outside, PrivilegeFollowsTheModeAndTheTForms)
{
    const struct {
        uint32_t insn;
        bool user_form;
    } rows[] = {{ldr_imm(r2, r1), false}, {str_imm(r2, r1), false}, {ldm(r1, {r2, r3}), false},
                {swp(r2, r3, r1), false}, {ldrt(r2, r1), true},     {strt(r2, r1), true},
                {ldrbt(r2, r1), true},    {strbt(r2, r1), true},    {ldr_post(r2, r1, 4), false},
                {strb_imm(r2, r1), false}};
    for (const auto &row : rows) {
        bench.set_mode(ARM968_SUPERVISOR);
        run(row.insn, FAST);
        EXPECT_EQ(last().privileged, !row.user_form);
        run(ldr_imm(r2, r1), FAST); /* the next one is the mode's again */
        EXPECT_TRUE(last().privileged);
        bench.set_mode(ARM968_USER);
        run(row.insn, FAST);
        EXPECT_FALSE(last().privileged);
    }
}

TEST_F(Outside, OnlyWritesToBufferedAddressesWithTheBufferOnArePosted)
{
    for (const bool buffer_on : {false, true}) {
        arm968_set_control(bench.cpu, CONTROL_LOW | (buffer_on ? CONTROL_W : 0));
        run(str_imm(r2, r1), FAST);
        EXPECT_EQ(last().buffered, buffer_on);
        run(stm(r1, {r2, r3}), FAST);
        EXPECT_EQ(last().buffered, buffer_on);
        run(strb_imm(r2, r1), FAST);
        EXPECT_EQ(last().buffered, buffer_on);
        run(str_imm(r2, r1), UNBUFFERED);
        EXPECT_FALSE(last().buffered);
        run(ldr_imm(r2, r1), FAST);
        EXPECT_FALSE(last().buffered);
        run(swp(r2, r3, r1), FAST);
        EXPECT_FALSE(last().buffered);
    }
}

TEST_F(Outside, TheCycleShownIsTheBoundaryBeforeTheInstruction)
{
    bench.arm(CODE, {nop(), mrs_cpsr(r3), ldr_imm(r2, r1), str_imm(r3, r1)});
    bench.set(1, SLOW);
    bench.start(CODE);
    (void)bench.run(20);
    ASSERT_EQ(bench.outside.log.size(), 2u);
    EXPECT_EQ(bench.outside.log[0].cycle, 3u);
    EXPECT_EQ(bench.outside.log[1].cycle, 3u + 1u + 9u);
}

TEST_F(Outside, WaitsAreAddedAndCounted)
{
    bench.arm(CODE, {ldr_imm(r2, r1), add(r3, r2, r2), stm(r1, {r2, r3, r4}), nop()});
    bench.set(1, SLOW);
    bench.start(CODE);
    EXPECT_EQ(bench.run_to(CODE + 16), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.cycle(), 1u + 9u + 1u + 1u + 3u + 9u + 1u);
    EXPECT_EQ(bench.counters().bus_wait_cycles, 18u);
    EXPECT_EQ(bench.counters().interlock_cycles, 1u);
}

TEST_F(Outside, AnAccessLeftToTheOwnerStopsBeforeTheInstruction)
{
    bench.set_word(REMOTE, 0xcafe);
    bench.arm(CODE, {nop(), ldr_post(r2, r1, 4), add_imm(r3, r2, 1), branch_to_self()});
    bench.set(1, REMOTE);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.cycle(), 1u);
    EXPECT_EQ(bench.reg(1), REMOTE);
    EXPECT_EQ(bench.reg(2), 0x02020202u);
    EXPECT_EQ(bench.counters().instructions, 1u);
    EXPECT_EQ(arm968_access(bench.cpu)->address, REMOTE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE); /* not before it has been performed */
    EXPECT_EQ(bench.cycle(), 1u);
    EXPECT_EQ(bench.outside.log.size(), 1u);
    bench.complete(30);
    EXPECT_EQ(arm968_run(bench.cpu, 2), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.cycle(), 1u + 1u + 30u);
    EXPECT_EQ(bench.reg(2), 0xcafeu);
    EXPECT_EQ(bench.reg(1), REMOTE + 4);
    EXPECT_EQ(bench.run(1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(3), 0xcaffu);
    EXPECT_EQ(bench.cycle(), 32u + 1u + 1u);
    EXPECT_EQ(bench.outside.log.size(), 1u);
}

TEST_F(Outside, AnInterruptDoesNotComeBetweenAnAccessAndItsInstruction)
{
    bench.arm(CODE, {str_imm(r2, r1), nop()});
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.set(1, REMOTE);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    bench.complete(10);
    EXPECT_EQ(bench.run(1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.cycle(), 11u);
    EXPECT_EQ(bench.run(1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 8);
}

/* ---- aborts ---- */

TEST_F(Outside, AnAbortedAccessRestoresTheBaseAndChangesNothing)
{
    const uint32_t insns[] = {ldr_pre(r2, r1, 4),
                              ldr_post(r2, r1, 4),
                              str_pre(r2, r1, 4),
                              str_post(r2, r1, -4),
                              ldrt(r2, r1, 4),
                              half_imm(LOAD_HALF, true, true, r2, r1, 4),
                              half_imm(STORE_HALF, false, false, r2, r1, 4),
                              half_imm(LOAD_DOUBLE, true, true, r2, r1, 8),
                              half_imm(STORE_DOUBLE, false, false, r2, r1, 8),
                              ldm_w(r1, {r2, r3}),
                              ldm_w(r1, {r1, r2}),
                              stm_w(r1, {r2, r3}),
                              block_transfer(true, DB, r1, true, register_list({r2, pc})),
                              swp(r2, r3, r1)};
    for (const uint32_t insn : insns) {
        bench.set_mode(ARM968_SYSTEM, 0);
        bench.set(2, 0x2222);
        bench.set(3, 0x3333);
        bench.set(1, DEAD + 0x100);
        bench.set_word(CODE, insn);
        bench.start(CODE);
        const uint64_t waits = bench.counters().bus_wait_cycles;
        EXPECT_EQ(bench.step(), ARM968_STOP_FAULT) << std::hex << insn;
        EXPECT_EQ(bench.reg(15), 0x10u);
        EXPECT_EQ(bench.reg(14), CODE + 8);
        EXPECT_EQ(bench.reg(1), DEAD + 0x100) << std::hex << insn;
        EXPECT_EQ(bench.reg(2), 0x2222u) << std::hex << insn;
        EXPECT_EQ(bench.reg(3), 0x3333u) << std::hex << insn;
        EXPECT_EQ(bench.counters().bus_wait_cycles, waits + 4);
    }
}

TEST_F(Outside, AnAbortCostsTheInstructionItsWaitAndTheEntry)
{
    bench.set_word(CODE, ldm(r1, {r2, r3, r4}));
    bench.set(1, DEAD);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.cycle(), 3u + 4u + 3u);
    EXPECT_EQ(arm968_fault(bench.cpu).address, DEAD);
    EXPECT_EQ(arm968_fault(bench.cpu).access, ARM968_READ);
    EXPECT_EQ(arm968_fault(bench.cpu).bytes, 12);
    EXPECT_FALSE(arm968_fault(bench.cpu).misaligned);
}

TEST_F(Outside, AnAbortedAccessCanBeRepeated)
{
    bench.set_word(CODE, ldr_post(r2, r1, 4));
    bench.set_word(0x10, subs_imm(pc, lr, 8));
    bench.set(1, DEAD);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    bench.outside.regions = {{DEAD, 0x100, REGION_ANSWERS, 0}};
    bench.set_word(DEAD, 0x600d);
    bench.steps(2);
    EXPECT_EQ(bench.reg(2), 0x600du);
    EXPECT_EQ(bench.reg(1), DEAD + 4);
}

TEST_F(Outside, AnAccessOfTheOwnerMayAbort)
{
    bench.set_word(CODE, str_pre(r2, r1, 4));
    bench.set(1, REMOTE);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_OUTSIDE);
    arm968_access(bench.cpu)->abort = true;
    arm968_access_done(bench.cpu);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.reg(15), 0x10u);
    EXPECT_EQ(bench.reg(1), REMOTE);
    EXPECT_EQ(arm968_fault(bench.cpu).address, REMOTE + 4);
    EXPECT_EQ(arm968_fault(bench.cpu).access, ARM968_WRITE);
    EXPECT_EQ(arm968_fault(bench.cpu).bytes, 4);
}

TEST_F(Outside, APortMayChangeTheCodeAndTheLines)
{ /* what a DMA controller or an interrupt controller does when it is written */
    bench.arm(CODE, {str_imm(r2, r1), nop(), mov_imm(r0, 1), nop(), nop(), branch_to_self()});
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.outside.script = [&](struct arm968_access *, uint64_t cycle) {
        bench.set_word(CODE + 8, mov_imm(r0, 2));
        arm968_set_line(bench.cpu, ARM968_IRQ, true, cycle + 1);
        return ARM968_REPLY_DONE;
    };
    bench.set(0, 0);
    bench.set(1, FAST);
    bench.start(CODE);
    EXPECT_EQ(arm968_run(bench.cpu, 4), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 2u);
    EXPECT_EQ(bench.reg(15), 0x18u); /* asserted at 1, seen at 3 */
    EXPECT_EQ(bench.reg(14), CODE + 12 + 4);
    EXPECT_EQ(bench.cycle(), 6u);
}

TEST(OutsideWithoutPorts, EveryAccessAborts)
{
    bench_config config;
    config.ports = false;
    core_bench bench(config);
    bench.set_word(CODE, ldr_imm(r2, r1));
    bench.set(1, FAST);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_DATA);
    bench.start(FAST);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_PREFETCH);
}

TEST_F(Outside, AThumbAccessLooksTheSame)
{
    bench.set_word(FAST + 8, 0x1234);
    bench.thumb(
        CODE, {thumb::ldr_imm(r2, r1, 8), thumb::stmia(r1, {r2, r3}), thumb::ldrb_imm(r4, r1, 1)});
    bench.set(1, FAST);
    bench.start(CODE, true);
    bench.steps(3);
    EXPECT_EQ(bench.reg(2), 0x1234u);
    ASSERT_EQ(bench.outside.log.size(), 3u);
    EXPECT_EQ(bench.outside.log[1].access.words, 2u);
    EXPECT_EQ(bench.outside.log[1].access.data[0], 0x1234u);
    EXPECT_EQ(bench.outside.log[2].access.address, FAST + 9);
    EXPECT_EQ(bench.reg(1), FAST + 8);
}

/* Whoever sets pc gives up the access that an instruction waits for: other code must neither take
 * what it has brought, nor run past its horizon because it is there. */
TEST_F(Outside, AnAccessInHandIsGivenUpWithPc)
{
    bench.set_word(CODE, ldr_imm(r2, r1));
    bench.set_word(CODE + 0x100, branch_to_self());
    bench.set(1, REMOTE);
    bench.set(2, 7);
    bench.start(CODE);
    ASSERT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    bench.complete();
    bench.start(CODE + 0x100);
    const uint64_t horizon = bench.cycle() + 100;
    EXPECT_EQ(arm968_run(bench.cpu, horizon), ARM968_STOP_HORIZON);
    EXPECT_LT(bench.cycle(), horizon + 5);
    EXPECT_EQ(bench.reg(2), 7u);
}

/* stops_test.cpp - marks and breakpoints: they stop once each time pc arrives and change nothing.
 */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/random_program.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

#include <random>

static constexpr uint32_t CODE = CODE_BASE;

TEST(Stops, AMarkStopsBeforeItsInstruction)
{
    core_bench bench;
    bench.arm(CODE, {mov_imm(r0, 1), mov_imm(r0, 2), mov_imm(r0, 3), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4), STATUS_OK);
    ASSERT_EQ(arm968_add_breakpoint(bench.cpu, CODE + 8), STATUS_OK);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_MARK);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.reg(0), 1u);
    EXPECT_EQ(bench.cycle(), 1u);
    EXPECT_EQ(bench.run(100), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.reg(0), 2u);
    EXPECT_EQ(bench.cycle(), 2u);
    EXPECT_EQ(arm968_run(bench.cpu, 6), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 3u);
    EXPECT_EQ(bench.cycle(), 6u);
}

TEST(Stops, AMarkAtTheStartingPointStopsAtOnceAndOnce)
{
    core_bench bench;
    bench.arm(CODE, {mov_imm(r0, 1), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE), STATUS_OK);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_MARK);
    EXPECT_EQ(bench.cycle(), 0u);
    EXPECT_EQ(bench.run(10), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 1u);
    bench.set(15, CODE); /* arrives again */
    EXPECT_EQ(bench.run(10), ARM968_STOP_MARK);
}

TEST(Stops, AMarkInALoopStopsInEachRound)
{
    for (const bool thumb_state : {false, true}) {
        core_bench bench;
        bench.arm(CODE, {nop(), subs_imm(r0, r0, 1), when(NE, b(8, 0)), branch_to_self()});
        uint32_t mark = CODE + 4;
        uint32_t end = CODE + 12;
        if (thumb_state) {
            bench.thumb(CODE, {thumb::nop(), thumb::sub_imm(r0, 1), thumb::b_if(NE, 4, 0),
                               thumb::branch_to_self()});
            mark = CODE + 2;
            end = CODE + 6;
        }
        ASSERT_EQ(arm968_add_mark(bench.cpu, mark), STATUS_OK);
        ASSERT_EQ(arm968_add_breakpoint(bench.cpu, end), STATUS_OK);
        bench.set(0, 5);
        bench.start(CODE, thumb_state);
        for (uint32_t i = 0; i < 5; i++) {
            EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
            EXPECT_EQ(bench.reg(0), 5 - i);
            EXPECT_EQ(bench.cycle(), 5 * i + 1);
        }
        EXPECT_EQ(bench.run(1000), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(bench.cycle(), 4u * 5u + 3u);
    }
}

TEST(Stops, AMarkOnABranchToItselfStopsInEachRound)
{
    core_bench bench;
    bench.arm(CODE, {branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE), STATUS_OK);
    bench.start(CODE);
    for (uint64_t i = 0; i < 4; i++) {
        EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
        EXPECT_EQ(bench.cycle(), 3 * i);
    }
}

TEST(Stops, AMarkInADelayLoopStopsInEachRound)
{
    core_bench bench;
    bench.arm(CODE, {subs_imm(r0, r0, 1), when(NE, b(4, 0)), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE), STATUS_OK);
    bench.set(0, 3);
    bench.start(CODE);
    for (uint64_t i = 0; i < 3; i++) {
        EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
        EXPECT_EQ(bench.cycle(), 4 * i);
    }
    EXPECT_EQ(bench.run(8), ARM968_STOP_HORIZON);
}

TEST(Stops, AMarkOnAnInstructionThatGoesOutsideStopsOnce)
{
    for (const region_kind kind : {REGION_ANSWERS, REGION_OUTSIDE}) {
        core_bench bench;
        bench.outside.regions = {{0x60000000, 0x100, kind, 3}};
        bench.arm(CODE, {nop(), ldr_imm(r0, r1), add_imm(r2, r2, 1), branch_to_self()});
        ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4), STATUS_OK);
        ASSERT_EQ(arm968_add_breakpoint(bench.cpu, CODE + 12), STATUS_OK);
        bench.set(1, 0x60000000);
        bench.set(2, 0);
        bench.start(CODE);
        EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
        enum arm968_stop stop = bench.run(1000);
        if (kind == REGION_OUTSIDE) {
            EXPECT_EQ(stop, ARM968_STOP_OUTSIDE);
            bench.complete(3);
            stop = bench.run(1000);
        }
        EXPECT_EQ(stop, ARM968_STOP_BREAKPOINT) << "region kind " << kind;
        EXPECT_EQ(bench.reg(2), 1u);
        EXPECT_EQ(bench.cycle(), 1u + 1u + 3u + 1u);
    }
}

TEST(Stops, AMarkOnAnInstructionThatAbortsStopsOnceForEachArrival)
{
    core_bench bench;
    bench.arm(CODE, {nop(), ldr_imm(r0, r1)});
    bench.arm(0x10, {subs_imm(pc, lr, 8)});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4), STATUS_OK);
    bench.set(1, 0x70000000);
    bench.start(CODE);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_FAULT);
}

/* The handler comes before the instruction, and its return arrives there once more. */
TEST(Stops, AnInterruptTakenAtAMarkStopsThereAgainAfterwards)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), mov_imm(r0, 1), branch_to_self()});
    bench.arm(0x18, {subs_imm(pc, lr, 4)});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 8), STATUS_OK);
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(CODE);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0); /* visible at 2, where the core stands */
    EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 8 + 4);
    arm968_set_line(bench.cpu, ARM968_IRQ, false, bench.cycle());
    EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
    EXPECT_EQ(bench.reg(15), CODE + 8);
    EXPECT_EQ(bench.cycle(), 2u + 3u + 3u);
    EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 1u);
}

TEST(Stops, AMarkOutsideItcmStops)
{
    core_bench bench;
    bench.outside.regions = {{0x60000000, 0x100, REGION_ANSWERS, 2}};
    bench.set_words(0x60000000, {nop(), mov_imm(r0, 7), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, 0x60000004), STATUS_OK);
    bench.start(0x60000000);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_MARK);
    EXPECT_EQ(bench.reg(15), 0x60000004u);
    EXPECT_EQ(bench.run(1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(0), 7u);
}

TEST(Stops, ABreakpointGoesBeforeAMarkAtTheSameAddress)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4), STATUS_OK);
    ASSERT_EQ(arm968_add_breakpoint(bench.cpu, CODE + 4), STATUS_OK);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(arm968_run(bench.cpu, 2), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), CODE + 8);
}

TEST(Stops, ClearingThemRemovesAll)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4), STATUS_OK);
    arm968_clear_stops(bench.cpu);
    bench.start(CODE);
    EXPECT_EQ(bench.run(5), ARM968_STOP_HORIZON);
}

/* What a debugger does to go on from a breakpoint. */
TEST(Stops, ABreakpointTakenAwayForAStepAndPutBackStopsAgain)
{
    core_bench bench;
    bench.arm(CODE, {nop(), add_imm(r0, r0, 1), b(CODE + 8, CODE)});
    bench.set(0, 0);
    bench.start(CODE);
    for (uint32_t i = 0; i < 4; i++) {
        ASSERT_EQ(arm968_add_breakpoint(bench.cpu, CODE + 4), STATUS_OK);
        EXPECT_EQ(bench.run(100), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(bench.reg(0), i);
        arm968_clear_stops(bench.cpu);
        EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.reg(0), i + 1);
    }
}

TEST(Stops, OneMayBeAddedWhereTheCoreStands)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), nop(), branch_to_self()});
    bench.start(CODE);
    EXPECT_EQ(bench.run(1), ARM968_STOP_HORIZON);
    ASSERT_EQ(arm968_add_breakpoint(bench.cpu, CODE + 8), STATUS_OK);
    EXPECT_EQ(bench.run(100), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.cycle(), 2u);
}

TEST(Stops, AThousandMarksAreKept)
{
    core_bench bench;
    for (uint32_t i = 0; i < 1000; i++) {
        bench.set_word(CODE + 4 * i, nop());
        ASSERT_EQ(arm968_add_mark(bench.cpu, CODE + 4 * i), STATUS_OK);
    }
    bench.start(CODE);
    for (uint32_t i = 0; i < 1000; i++) {
        ASSERT_EQ(bench.run(1000), ARM968_STOP_MARK);
        ASSERT_EQ(bench.reg(15), CODE + 4 * i);
        ASSERT_EQ(bench.cycle(), i);
    }
}

TEST(Stops, ChangeNoCycleAndNoCountOfRandomCode)
{
    std::mt19937 random(3);
    for (uint32_t seed = 90000; seed < 92000 && !HasFailure(); seed++) {
        const random_program program = make_random_program(seed, (seed & 1) != 0, 40);
        core_bench plain;
        core_bench marked;
        load_random_program(&plain, program);
        load_random_program(&marked, program);
        const uint32_t insns = (program.end - program.entry) / (program.thumb ? 2 : 4);
        for (unsigned i = 0; i < 6; i++) {
            const uint32_t at = program.entry + random() % insns * (program.thumb ? 2u : 4u);
            ASSERT_EQ(i % 2 == 0 ? arm968_add_mark(marked.cpu, at)
                                 : arm968_add_breakpoint(marked.cpu, at),
                      STATUS_OK);
        }
        ASSERT_EQ(plain.run_to(program.end), ARM968_STOP_BREAKPOINT);
        enum arm968_stop stop = ARM968_STOP_MARK;
        for (unsigned i = 0; i < 5000 && stop != ARM968_STOP_HORIZON; i++) {
            stop = arm968_run(marked.cpu, plain.cycle());
        }
        EXPECT_EQ(view_of(marked.cpu), view_of(plain.cpu));
        EXPECT_EQ(marked.dtcm, plain.dtcm);
        EXPECT_EQ(memcmp(&marked.counters(), &plain.counters(), sizeof(struct arm968_counters)), 0);
        if (HasFailure()) {
            ADD_FAILURE() << program.listing();
        }
    }
}

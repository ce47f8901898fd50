/* self_modifying_test.cpp - code that changes: by the core itself, by its owner, alone and with a
 * code library that several cores share.  From the second instruction behind a store on, the new
 * code must run; what follows the store at once may still be the old. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/random_program.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

static constexpr uint32_t CODE = CODE_BASE;

struct library_owner {
    struct arm968_code_library *library = arm968_code_library_create();
    ~library_owner()
    {
        arm968_code_library_destroy(library);
    }
};

static bench_config with_library(const library_owner &owner)
{
    bench_config config;
    config.library = owner.library;
    return config;
}

/* Each test runs on a core with a code cache of its own and on one that shares. */
class SelfModifying : public ::testing::TestWithParam<bool>
{
  protected:
    SelfModifying()
    {
        bench_config config;
        config.library = GetParam() ? owner.library : nullptr;
        bench = std::make_unique<core_bench>(config);
    }
    ~SelfModifying() override
    {
        bench.reset(); /* before the library */
    }

    library_owner owner;
    std::unique_ptr<core_bench> bench;
};

INSTANTIATE_TEST_SUITE_P(, SelfModifying, ::testing::Values(false, true),
                         [](const ::testing::TestParamInfo<bool> &info) {
                             return info.param ? "Shared" : "Own";
                         });

TEST_P(SelfModifying, TheSecondInstructionBehindAStoreIsTheNewOne)
{
    bench->arm(CODE, {str_imm(r1, r2), nop(), mov_imm(r0, 1), branch_to_self()});
    bench->set(1, mov_imm(r0, 2));
    bench->set(2, CODE + 8);
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(0), 2u);
    EXPECT_EQ(bench->cycle(), 2u + 1u + 1u);
}

TEST_P(SelfModifying, CodeThatHasRunBeforeIsReplaced)
{
    /* a function called three times, changed in between by STR, STM and SWP */
    const uint32_t function = 0x2000;
    bench->arm(function, {mov_imm(r0, 1), add_imm(r0, r0, 0x10), bx(lr)});
    bench->arm(CODE, {bl(CODE, function), mov(r4, r0), str_imm(r1, r3), bl(CODE + 12, function),
                      mov(r5, r0), stm(r3, {r2, r6}), bl(CODE + 24, function), mov(r7, r0),
                      swp(r8, r1, r3), bl(CODE + 36, function), branch_to_self()});
    bench->set(1, mov_imm(r0, 2));
    bench->set(2, mov_imm(r0, 3));
    bench->set(3, function);
    bench->set(6, add_imm(r0, r0, 0x20));
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 40), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(4), 0x11u);
    EXPECT_EQ(bench->reg(5), 0x12u);
    EXPECT_EQ(bench->reg(7), 0x23u);
    EXPECT_EQ(bench->reg(0), 0x22u);
    EXPECT_EQ(bench->reg(8), mov_imm(r0, 3));
}

TEST_P(SelfModifying, HalvesAndBytesOfThumbCodeAreReplaced)
{
    const uint32_t function = 0x2000;
    bench->thumb(function, {thumb::mov_imm(r0, 1), thumb::add_imm(r0, 0x10), thumb::bx(lr)});
    bench->thumb(CODE, {thumb::bl_prefix(CODE, function), thumb::bl_suffix(CODE, function),
                        thumb::mov(r8, r0), thumb::strh_imm(r1, r3, 2),
                        thumb::bl_prefix(CODE + 8, function), thumb::bl_suffix(CODE + 8, function),
                        thumb::mov(r9, r0), thumb::strb_imm(r2, r3, 0),
                        thumb::bl_prefix(CODE + 16, function),
                        thumb::bl_suffix(CODE + 16, function), thumb::branch_to_self()});
    bench->set(1, thumb::add_imm(r0, 0x20));
    bench->set(2, 7); /* the immediate of the MOV */
    bench->set(3, function);
    bench->start(CODE, true);
    EXPECT_EQ(bench->run_to(CODE + 20), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(8), 0x11u);
    EXPECT_EQ(bench->reg(9), 0x21u);
    EXPECT_EQ(bench->reg(0), 0x27u);
}

TEST_P(SelfModifying, ALoopThatWritesItselfSeesEachNewVersion)
{ /* r0 += 1, 2, 3 ...: the immediate of the ADD is incremented in each round */
    bench->arm(CODE, {add_imm(r0, r0, 1), ldr_imm(r1, r2), add_imm(r1, r1, 1), str_imm(r1, r2),
                      subs_imm(r3, r3, 1), when(NE, b(20, 0)), branch_to_self()});
    bench->set(0, 0);
    bench->set(2, CODE);
    bench->set(3, 10);
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 24), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(0), 55u);
}

TEST_P(SelfModifying, TheOwnerMayChangeCodeWhileTheCoreStandsInIt)
{
    bench->arm(CODE, {nop(), nop(), mov_imm(r0, 1), nop(), branch_to_self()});
    bench->start(CODE);
    EXPECT_EQ(arm968_run(bench->cpu, 2), ARM968_STOP_HORIZON);
    bench->set_word(CODE + 8, mov_imm(r0, 2)); /* tells the core */
    EXPECT_EQ(arm968_run(bench->cpu, 4), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench->reg(0), 2u);
    EXPECT_EQ(bench->reg(15), CODE + 16);
}

TEST_P(SelfModifying, ALiteralThatChangesIsReadAgain)
{
    bench->arm(CODE,
               {ldr_imm(r0, pc, 8), str_imm(r1, r2), ldr_imm(r3, pc, 0), branch_to_self(), 0x1111});
    bench->set(1, 0x2222);
    bench->set(2, CODE + 16);
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(0), 0x1111u);
    EXPECT_EQ(bench->reg(3), 0x2222u);
}

TEST_P(SelfModifying, DataStoresBesideTheCodeLeaveItAlone)
{
    bench->arm(CODE, {str_imm(r1, r2), subs_imm(r3, r3, 1), when(NE, b(8, 0)), branch_to_self()});
    bench->set(2, CODE + 0x100);
    bench->set(3, 100);
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->cycle(), 100u * (2u + 1u + 3u) - 2u);
    EXPECT_EQ(bench->counters().itcm_data_accesses, 100u);
}

TEST_P(SelfModifying, CodeWrittenInUserModeRuns)
{
    bench->set_mode(ARM968_USER, 0);
    bench->arm(CODE, {strt(r1, r2), nop(), mov_imm(r0, 1), branch_to_self()});
    bench->set(1, mov_imm(r0, 2));
    bench->set(2, CODE + 8);
    bench->start(CODE);
    EXPECT_EQ(bench->run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench->reg(0), 2u);
}

TEST_P(SelfModifying, ResetForgetsNothingOfTheMemory)
{
    bench->arm(0, {b(0, CODE)});
    bench->arm(CODE, {str_imm(r1, r2), nop(), mov_imm(r0, 1), branch_to_self()});
    bench->set(1, mov_imm(r0, 2));
    bench->set(2, CODE + 8);
    for (unsigned round = 0; round < 2; round++) {
        bench->set(0, 0);
        EXPECT_EQ(bench->run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(bench->reg(0), 2u);
        arm968_reset(bench->cpu);
    }
}

/* ---- several cores ---- */

TEST(SharedCode, OneCoreChangesItsCodeAndTheOtherDoesNot)
{
    library_owner owner;
    core_bench one(with_library(owner));
    core_bench other(with_library(owner));
    for (core_bench *bench : {&one, &other}) {
        bench->arm(CODE, {mov_imm(r0, 1), b(CODE + 4, CODE)});
        bench->start(CODE);
        (void)arm968_run(bench->cpu, 8);
        EXPECT_EQ(bench->reg(0), 1u);
    }
    one.set_word(CODE, mov_imm(r0, 2));
    (void)arm968_run(one.cpu, 16);
    (void)arm968_run(other.cpu, 16);
    EXPECT_EQ(one.reg(0), 2u);
    EXPECT_EQ(other.reg(0), 1u);
    other.set_word(CODE, mov_imm(r0, 3));
    (void)arm968_run(one.cpu, 24);
    (void)arm968_run(other.cpu, 24);
    EXPECT_EQ(one.reg(0), 2u);
    EXPECT_EQ(other.reg(0), 3u);
}

TEST(SharedCode, ALiteralThatOneCoreChangesStaysTheOthers)
{
    library_owner owner;
    core_bench one(with_library(owner));
    core_bench other(with_library(owner));
    for (core_bench *bench : {&one, &other}) {
        bench->arm(CODE, {ldr_imm(r0, pc, 8), when(EQ, str_imm(r1, r2)), ldr_imm(r3, pc, 0),
                          branch_to_self(), 0x1111});
        bench->set(1, 0x2222);
        bench->set(2, CODE + 16);
        arm968_set_cpsr(bench->cpu, ARM968_SUPERVISOR | (bench == &one ? FLAG_Z : 0));
        bench->start(CODE);
    }
    one.steps(3);
    other.steps(3);
    EXPECT_EQ(one.reg(0), 0x1111u);
    EXPECT_EQ(one.reg(3), 0x2222u);
    EXPECT_EQ(other.reg(0), 0x1111u);
    EXPECT_EQ(other.reg(3), 0x1111u);
    other.set_word(CODE + 16, 0x3333); /* as a DMA controller does */
    for (core_bench *bench : {&one, &other}) {
        bench->start(CODE);
        bench->steps(1);
    }
    EXPECT_EQ(one.reg(0), 0x2222u);
    EXPECT_EQ(other.reg(0), 0x3333u);
}

TEST(SharedCode, ACoreThatWritesItsOwnCodeDoesNotDisturbTheOther)
{
    library_owner owner;
    core_bench one(with_library(owner));
    core_bench other(with_library(owner));
    for (core_bench *bench : {&one, &other}) {
        bench->arm(CODE,
                   {when(EQ, str_imm(r1, r2)), nop(), add_imm(r0, r0, 1), b(CODE + 12, CODE)});
        bench->set(0, 0);
        bench->set(1, add_imm(r0, r0, 0x10));
        bench->set(2, CODE + 8);
        arm968_set_cpsr(bench->cpu, ARM968_SUPERVISOR | (bench == &one ? FLAG_Z : 0));
        bench->start(CODE);
    }
    for (unsigned i = 0; i < 3; i++) { /* in turns, three rounds of four instructions each */
        one.steps(4);
        other.steps(4);
    }
    EXPECT_EQ(one.reg(0), 0x30u);
    EXPECT_EQ(other.reg(0), 3u);
}

TEST(SharedCode, CoresWithTheSameAndWithOtherCodeRunAsAlone)
{
    library_owner owner;
    const random_program programs[2] = {make_random_program(4711, false, 40),
                                        make_random_program(4712, true, 40)};
    for (unsigned i = 0; i < 6; i++) {
        const random_program &program = programs[i / 2 % 2];
        core_bench shared(with_library(owner));
        core_bench alone;
        load_random_program(&shared, program);
        load_random_program(&alone, program);
        EXPECT_EQ(shared.run_to(program.end), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(alone.run_to(program.end), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(view_of(shared.cpu), view_of(alone.cpu));
        EXPECT_EQ(shared.dtcm, alone.dtcm);
    }
}

TEST(SharedCode, CoresOnSeveralThreadsRunAsAlone)
{
    enum { THREADS = 4, PROGRAMS = 60 };
    std::vector<random_program> programs;
    std::vector<core_view> expected;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        programs.push_back(make_random_program(5000 + i, i % 2 != 0, 60));
        core_bench alone;
        load_random_program(&alone, programs.back());
        ASSERT_EQ(alone.run_to(programs.back().end), ARM968_STOP_BREAKPOINT);
        expected.push_back(view_of(alone.cpu));
    }
    library_owner owner;
    std::vector<unsigned> equal(THREADS);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < THREADS; t++) {
        threads.emplace_back([&, t] {
            for (unsigned i = 0; i < PROGRAMS; i++) {
                core_bench shared(with_library(owner));
                load_random_program(&shared, programs[i]);
                (void)arm968_run(shared.cpu, expected[i].cycle);
                equal[t] += view_of(shared.cpu) == expected[i] ? 1 : 0;
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const unsigned count : equal) {
        EXPECT_EQ(count, static_cast<unsigned>(PROGRAMS));
    }
}

TEST(SharedCode, CoresWithDifferentTimingDoNotShareCycles)
{
    library_owner owner;
    bench_config slow = with_library(owner);
    slow.timing.mul = 7;
    core_bench one(with_library(owner));
    core_bench other(slow);
    for (core_bench *bench : {&one, &other}) {
        bench->arm(CODE, {mul(r0, r1, r2), branch_to_self()});
        bench->start(CODE);
        bench->steps(1);
    }
    EXPECT_EQ(one.cycle(), 2u);
    EXPECT_EQ(other.cycle(), 7u);
}

TEST(SharedCode, AStopOfOneCoreIsNotTheOthers)
{
    library_owner owner;
    core_bench one(with_library(owner));
    core_bench other(with_library(owner));
    for (core_bench *bench : {&one, &other}) {
        bench->arm(CODE, {nop(), nop(), nop(), branch_to_self()});
        bench->start(CODE);
    }
    ASSERT_EQ(arm968_add_mark(one.cpu, CODE + 8), STATUS_OK);
    EXPECT_EQ(one.run(10), ARM968_STOP_MARK);
    EXPECT_EQ(other.run(10), ARM968_STOP_HORIZON);
    EXPECT_EQ(one.reg(15), CODE + 8);
}

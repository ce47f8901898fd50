/* accessed_test.cpp - ports.accessed: each data access of an instruction is told once, with the
 * instruction's address and time, and nothing else of the core changes. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t CODE = CODE_BASE;
constexpr uint32_t FAST = 0x60000000;
constexpr uint32_t REMOTE = 0x62000000;
constexpr uint32_t DEAD = 0x63000000;
constexpr uint32_t DATA = DTCM_BASE + 0x100;

bench_config telling()
{
    bench_config config;
    config.tells = true;
    return config;
}

void prepare(core_bench &bench, uint32_t r1_value)
{
    bench.outside.regions = {{FAST, 0x1000, REGION_ANSWERS, 3},
                             {REMOTE, 0x1000, REGION_OUTSIDE, 0},
                             {DEAD, 0x1000, REGION_ABORTS, 4}};
    for (unsigned i = 0; i < 13; i++) {
        bench.set(i, 0x01010101 * i);
    }
    bench.set(13, DTCM_BASE + 0x8000);
    bench.set(1, r1_value);
}

class Accessed : public ::testing::Test
{
  protected:
    /* Executes one instruction; returns what is told, if it is one access. */
    arm968_data_access told(uint32_t insn, uint32_t r1_value)
    {
        core_bench bench(telling());
        core_bench plain;
        for (core_bench *each : {&bench, &plain}) {
            prepare(*each, r1_value);
            each->arm(CODE, {insn, nop()});
            each->start(CODE);
            (void)each->step();
        }
        EXPECT_EQ(view_of(bench.cpu), view_of(plain.cpu));
        EXPECT_EQ(bench.dtcm, plain.dtcm);
        EXPECT_EQ(bench.itcm, plain.itcm);
        EXPECT_TRUE(plain.outside.told.empty());
        EXPECT_EQ(bench.outside.told.size(), 1u);
        return bench.outside.told.empty() ? arm968_data_access{} : bench.outside.told[0];
    }

    void expect(uint32_t insn, uint32_t r1_value, arm968_access_kind kind, uint32_t address,
                unsigned bytes)
    {
        const arm968_data_access access = told(insn, r1_value);
        EXPECT_EQ(access.kind, kind);
        EXPECT_EQ(access.address, address);
        EXPECT_EQ(access.bytes, bytes);
        EXPECT_EQ(access.pc, CODE);
        EXPECT_EQ(access.cycle, 0u);
        EXPECT_EQ(access.mode, ARM968_SUPERVISOR);
    }
};

TEST_F(Accessed, EachFormInEachMemory)
{
    for (const uint32_t at : {DATA, 0x2000u, FAST + 0x40}) {
        expect(ldr_imm(r2, r1, 4), at, ARM968_READ, at + 4, 4);
        expect(ldrb_imm(r2, r1, 3), at, ARM968_READ, at + 3, 1);
        expect(ldrh_imm(r2, r1, 2), at, ARM968_READ, at + 2, 2);
        expect(ldrd_imm(r2, r1, 8), at, ARM968_READ, at + 8, 8);
        expect(ldm(r1, {r2, r3, r4}), at, ARM968_READ, at, 12);
        expect(str_imm(r2, r1, 4), at, ARM968_WRITE, at + 4, 4);
        expect(strb_imm(r2, r1, 1), at, ARM968_WRITE, at + 1, 1);
        expect(strh_imm(r2, r1, 6), at, ARM968_WRITE, at + 6, 2);
        expect(strd_imm(r2, r1, 8), at, ARM968_WRITE, at + 8, 8);
        expect(stm(r1, {r2, r3, r4, r5, r6}), at, ARM968_WRITE, at, 20);
        expect(swp(r2, r3, r1), at, ARM968_SWAP, at, 4);
        expect(swpb(r2, r3, r1), at + 1, ARM968_SWAP, at + 1, 1);
    }
}

TEST_F(Accessed, AMisalignedWordIsToldWhereItIs)
{
    expect(ldr_imm(r2, r1, 0), DATA + 3, ARM968_READ, DATA, 4);
    expect(str_imm(r2, r1, 0), DATA + 2, ARM968_WRITE, DATA, 4);
}

TEST_F(Accessed, TheStackPointerIsThatBehindTheInstruction)
{
    EXPECT_EQ(told(push({r0, r1}), 0).sp, DTCM_BASE + 0x8000 - 8);
}

TEST_F(Accessed, LiteralsAndOtherInstructionsTellNothing)
{
    core_bench bench(telling());
    prepare(bench, DATA);
    bench.arm(CODE, {ldr_imm(r2, pc, 0), nop(), 0x12345678});
    bench.start(CODE);
    bench.steps(2);
    EXPECT_TRUE(bench.outside.told.empty());
}

TEST_F(Accessed, AnAbortTellsNothing)
{
    core_bench bench(telling());
    prepare(bench, DEAD);
    bench.arm(CODE, {ldr_imm(r2, r1, 0)});
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_TRUE(bench.outside.told.empty());
}

TEST_F(Accessed, AnAccessThatOthersPerformIsToldWhenItHasBeenMade)
{
    core_bench bench(telling());
    prepare(bench, REMOTE);
    bench.arm(CODE, {nop(), str_imm(r2, r1, 8), nop()});
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_OUTSIDE);
    EXPECT_TRUE(bench.outside.told.empty());
    bench.complete(7);
    (void)bench.step();
    ASSERT_EQ(bench.outside.told.size(), 1u);
    EXPECT_EQ(bench.outside.told[0].pc, CODE + 4);
    EXPECT_EQ(bench.outside.told[0].cycle, 1u) << "when the instruction began";
    EXPECT_EQ(bench.outside.told[0].address, REMOTE + 8);
    EXPECT_EQ(bench.outside.told_words[0], 0x02020202u);
}

TEST_F(Accessed, WordsWrittenOutsideAreShown)
{
    core_bench bench(telling());
    prepare(bench, FAST);
    bench.arm(CODE, {stm(r1, {r3, r4}), nop()});
    bench.start(CODE);
    (void)bench.step();
    ASSERT_EQ(bench.outside.told.size(), 1u);
    EXPECT_EQ(bench.outside.told_words[0], 0x03030303u);
}

TEST_F(Accessed, AddressesOfThumbInstructions)
{
    core_bench bench(telling());
    prepare(bench, DATA);
    bench.thumb(CODE, {thumb::nop(), thumb::str_imm(r2, r1, 4), thumb::ldr_imm(r3, r1, 4)});
    bench.start(CODE, true);
    bench.steps(3);
    ASSERT_EQ(bench.outside.told.size(), 2u);
    EXPECT_EQ(bench.outside.told[0].pc, CODE + 2);
    EXPECT_EQ(bench.outside.told[1].pc, CODE + 4);
    EXPECT_EQ(bench.outside.told[1].kind, ARM968_READ);
}

TEST_F(Accessed, ALoopTakesTheSameCyclesHoweverItsRunIsDivided)
{
    const std::vector<uint32_t> loop = {str_post(r2, r1, 4), ldr_imm(r3, r1, -4),
                                        subs_imm(r4, r4, 1), when(NE, b(CODE + 12, CODE)), nop()};
    core_bench plain;
    core_bench whole(telling());
    core_bench parts(telling());
    for (core_bench *each : {&plain, &whole, &parts}) {
        prepare(*each, DATA);
        each->set(4, 100);
        each->arm(CODE, loop);
        each->start(CODE);
    }
    (void)plain.run(500);
    (void)whole.run(500);
    while (parts.cycle() < 500) {
        (void)parts.run(7 < 500 - parts.cycle() ? 7 : 500 - parts.cycle());
    }
    EXPECT_EQ(view_of(whole.cpu), view_of(plain.cpu));
    EXPECT_EQ(view_of(parts.cpu), view_of(plain.cpu));
    ASSERT_EQ(whole.outside.told.size(), parts.outside.told.size());
    for (size_t i = 0; i < whole.outside.told.size(); i++) {
        EXPECT_EQ(whole.outside.told[i].cycle, parts.outside.told[i].cycle) << i;
        EXPECT_EQ(whole.outside.told[i].address, parts.outside.told[i].address) << i;
    }
    EXPECT_EQ(arm968_native_runs(whole.cpu), 0u);
}

} // namespace

/* special_cases_test.cpp - results the architecture leaves open, encodings that version 5TE does
 * not have, corners of operand 2 and of the multiplies. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;

class SpecialCases : public ::testing::Test
{
  protected:
    void run(uint32_t insn)
    {
        bench.set_word(CODE, insn);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON) << std::hex << insn;
        ASSERT_EQ(bench.reg(15), CODE + 4);
    }

    uint64_t notes() const
    {
        return bench.counters().unpredictable;
    }

    core_bench bench;
};

TEST_F(SpecialCases, AMultiplyIntoItsFirstOperandIsComputedAndNoted)
{
    bench.set(0, 7);
    bench.set(1, 6);
    bench.set(2, 5);
    run(mul(r0, r0, r1));
    EXPECT_EQ(bench.reg(0), 42u);
    EXPECT_EQ(notes(), 1u);
    run(mla(r1, r1, r2, r0));
    EXPECT_EQ(bench.reg(1), 6u * 5u + 42u);
    EXPECT_EQ(notes(), 2u);
    run(mul(r3, r0, r1)); /* this one is fine */
    EXPECT_EQ(notes(), 2u);
}

TEST_F(SpecialCases, ALongMultiplyIntoOneRegisterKeepsTheHighWord)
{
    bench.set(0, 0x10000);
    bench.set(1, 0x30005);
    run(umull(r2, r2, r0, r1));
    EXPECT_EQ(bench.reg(2), 3u);
    EXPECT_EQ(notes(), 1u);
    bench.set(0, 0xffffffff);
    bench.set(1, 2);
    run(multiply_long(true, false, false, r3, r3, r0, r1));
    EXPECT_EQ(bench.reg(3), 0xffffffffu);
    EXPECT_EQ(notes(), 2u);
}

TEST_F(SpecialCases, AFailedConditionIsNotNoted)
{
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.set(0, 7);
    run(when(EQ, mul(r0, r0, r1)));
    EXPECT_EQ(bench.reg(0), 7u);
    EXPECT_EQ(notes(), 0u);
}

TEST_F(SpecialCases, EachExecutionIsNoted)
{
    bench.arm(CODE, {mul(r0, r0, r1), subs_imm(r3, r3, 1), when(NE, b(8, 0)), branch_to_self()});
    bench.set(3, 5);
    bench.start(CODE);
    EXPECT_EQ(bench.run_to(CODE + 12), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(notes(), 5u);
}

TEST_F(SpecialCases, MultipliesWithFlagsLeaveCarryAndOverflow)
{
    const uint32_t before = FLAG_C | FLAG_V | ARM968_SYSTEM;
    arm968_set_cpsr(bench.cpu, before);
    bench.set(0, 0x80000000);
    bench.set(1, 1);
    bench.set(2, 0);
    run(mul(r3, r0, r1, true));
    EXPECT_EQ(bench.cpsr(), FLAG_N | before);
    run(mla(r3, r0, r2, r2, true));
    EXPECT_EQ(bench.cpsr(), FLAG_Z | before);
    run(umull(r3, r4, r0, r1, true));
    EXPECT_EQ(bench.cpsr(), before);
    run(multiply_long(true, false, true, r3, r4, r0, r1));
    EXPECT_EQ(bench.cpsr(), FLAG_N | before);
    run(umull(r3, r4, r0, r2, true));
    EXPECT_EQ(bench.cpsr(), FLAG_Z | before);
    bench.thumb(CODE, {thumb::data(thumb::OP_MUL, r0, r1)});
    bench.start(CODE, true);
    bench.steps(1);
    EXPECT_EQ(bench.cpsr(), FLAG_N | STATE_T | before);
}

TEST_F(SpecialCases, ComparisonsWithADestinationArePlain)
{
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.set(1, 5);
    run(data_imm(CMP, true, pc, r1, 5)); /* CMPP of version 3 */
    EXPECT_EQ(bench.cpsr(), FLAG_Z | FLAG_C | ARM968_SYSTEM);
    run(data_imm(TEQ, true, r7, r1, 4));
    EXPECT_EQ(bench.cpsr(), FLAG_C | ARM968_SYSTEM);
    EXPECT_EQ(bench.reg(7), 0u);
}

TEST_F(SpecialCases, AnMsrWithoutFieldsIsANop)
{
    const core_view before = view_of(bench.cpu);
    run(0xe320f000); /* the NOP hint of later versions */
    run(0xe320f003);
    run(msr_cpsr(0, r0));
    EXPECT_EQ(bench.cpsr(), before.cpsr);
    EXPECT_EQ(notes(), 0u);
}

TEST_F(SpecialCases, ShiftsByRegisterUseEightBits)
{
    const struct {
        arm_shift shift;
        uint32_t amount, result, carry; /* of 0x80000001, carry in set */
    } rows[] = {
        {LSL, 0, 0x80000001, 1},   {LSL, 1, 2, 1},
        {LSL, 31, 0x80000000, 0},  {LSL, 32, 0, 1},
        {LSL, 33, 0, 0},           {LSL, 0x100, 0x80000001, 1},
        {LSL, 0x120, 0, 1},        {LSR, 0, 0x80000001, 1},
        {LSR, 1, 0x40000000, 1},   {LSR, 32, 0, 1},
        {LSR, 33, 0, 0},           {LSR, 255, 0, 0},
        {ASR, 31, 0xffffffff, 0},  {ASR, 32, 0xffffffff, 1},
        {ASR, 200, 0xffffffff, 1}, {ASR, 0xff00, 0x80000001, 1},
        {ROR, 32, 0x80000001, 1},  {ROR, 64, 0x80000001, 1},
        {ROR, 1, 0xc0000000, 1},   {ROR, 33, 0xc0000000, 1},
        {ROR, 2, 0x60000000, 0},   {ROR, 0x200, 0x80000001, 1},
    };
    for (const auto &row : rows) {
        arm968_set_cpsr(bench.cpu, FLAG_C | ARM968_SYSTEM);
        bench.set(1, 0x80000001);
        bench.set(2, row.amount);
        run(data_shift_reg(MOV, true, r0, 0, r1, row.shift, r2));
        EXPECT_EQ(bench.reg(0), row.result) << row.shift << " by " << row.amount;
        EXPECT_EQ(bench.cpsr() >> 29 & 1, row.carry) << row.shift << " by " << row.amount;
    }
}

TEST_F(SpecialCases, SaturationAndOverflowOfTheDspInstructions)
{
    const uint32_t top = 0x7fffffff;
    const uint32_t bottom = 0x80000000;
    const struct {
        uint32_t insn, r1, r2, r3, result;
        bool q;
    } rows[] = {
        {saturating(0, r0, r1, r2), top, 1, 0, top, true},
        {saturating(0, r0, r1, r2), bottom, 0xffffffff, 0, bottom, true},
        {saturating(0, r0, r1, r2), top, bottom, 0, 0xffffffff, false},
        {saturating(1, r0, r1, r2), 0, bottom, 0, top, true},
        {saturating(1, r0, r1, r2), bottom, 1, 0, bottom, true},
        {saturating(2, r0, r1, r2), 1, 0x40000000, 0, top, true}, /* only the doubling saturates */
        {saturating(2, r0, r1, r2), bottom, 0x40000000, 0, 0xffffffff, true},
        {saturating(3, r0, r1, r2), 5, 3, 0, 0xffffffff, false},
        {saturating(3, r0, r1, r2), 0, 0xc0000000, 0, top, true},
        {smla(0, 0, r0, r1, r2, r3), 0x8000, 0x8000, top, 0xbfffffff, true},
        {smla(1, 1, r0, r1, r2, r3), 0x20000, 0xffff0000, bottom + 1, 0x7fffffff, true},
        {smlaw(0, r0, r1, r2, r3), 0x7fffffff, 0x7fff, 0x60000000, 0x9fff7fff, true},
        {smulw(1, r0, r1, r2), bottom, 0x80000000, 0, 0x40000000, false},
        {smul_half(0, 1, r0, r1, r2), 0x8000, 0x80000000, 0, 0x40000000, false},
    };
    for (const auto &row : rows) {
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
        bench.set(1, row.r1);
        bench.set(2, row.r2);
        bench.set(3, row.r3);
        run(row.insn);
        EXPECT_EQ(bench.reg(0), row.result) << std::hex << row.insn;
        EXPECT_EQ(bench.cpsr(), (row.q ? FLAG_Q : 0) | ARM968_SYSTEM) << std::hex << row.insn;
    }
}

TEST_F(SpecialCases, LeadingZerosOfNothingAreThirtyTwo)
{
    bench.set(1, 0);
    run(clz(r0, r1));
    EXPECT_EQ(bench.reg(0), 32u);
    bench.set(1, 1);
    run(clz(r0, r1));
    EXPECT_EQ(bench.reg(0), 31u);
    bench.set(1, 0xffffffff);
    run(clz(r0, r1));
    EXPECT_EQ(bench.reg(0), 0u);
}

/* ---- what version 5TE does not have ---- */

struct later_insn {
    const char *name;
    uint32_t word;
};

/* PLD_reg_shift: a register offset of PLD is addressing mode 2, whose bit 4 is clear. */
static const later_insn LATER[] = {
    {"PLD_reg_shift", 0xf7d1f012}, {"UMAAL", 0xe0400190},       {"MLS", 0xe0610392},
    {"LDREX", 0xe1910f9f},         {"STREX", 0xe1810f92},       {"REV", 0xe6bf0f31},
    {"SXTB", 0xe6af0071},          {"UXTH", 0xe6ff0071},        {"PKHBT", 0xe6810012},
    {"SSAT", 0xe6a10012},          {"USAD8", 0xe780f211},       {"SADD8", 0xe6110f92},
    {"CPSID", 0xf10c0080},         {"SETEND", 0xf1010200},      {"RFE", 0xf8910a00},
    {"SRS", 0xf84d0513},           {"BXJ", 0xe12fff21},         {"MOVW", 0xe3000001},
    {"MOVT", 0xe3400001},          {"LDRHT", 0xe0f100b2},       {"STRHT", 0xe0e100b2},
    {"LDRSBT", 0xe0f100d2},        {"SDIV", 0xe710f211},        {"DMB", 0xf57ff05f},
    {"CLREX", 0xf57ff01f},         {"UDF", 0xe7f000f0},         {"SMC", 0xe1600070},
    {"HVC", 0xe1400070},           {"ERET", 0xe160006e},        {"LDRD_odd", 0xe1c210d0},
    {"STRD_odd", 0xe1c210f0},      {"LDRD_post_w", 0xe0e200d0}, {"NV_AND", 0xf0000000},
    {"NV_SWI", 0xff000000},        {"NV_STR", 0xf5800000},      {"BKPT_EQ", 0x01200070},
    {"PLI", 0xf4d1f000},           {"NEON", 0xf2000110},        {"UBFX", 0xe7e00051},
    {"BFC", 0xe7c0001f},
};

class NotInVersion5 : public ::testing::TestWithParam<later_insn>
{
};

TEST_P(NotInVersion5, IsUndefined)
{
    core_bench bench;
    for (unsigned i = 0; i < 15; i++) {
        bench.set(i, DTCM_BASE + 0x100 * i);
    }
    arm968_set_cpsr(bench.cpu, FLAG_Z | ARM968_SYSTEM);
    bench.set_word(CODE, GetParam().word);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_UNDEFINED);
    EXPECT_EQ(bench.reg(15), 0x04u);
    EXPECT_EQ(bench.reg(14), CODE + 4);
    EXPECT_EQ(bench.counters().instructions, 0u);
    for (unsigned i = 0; i < 13; i++) {
        EXPECT_EQ(bench.reg(i), DTCM_BASE + 0x100 * i);
    }
}

INSTANTIATE_TEST_SUITE_P(, NotInVersion5, ::testing::ValuesIn(LATER),
                         [](const ::testing::TestParamInfo<later_insn> &info) {
                             return std::string(info.param.name);
                         });

TEST(NotInThumbVersion5, IsUndefined)
{
    const uint16_t halves[] = {0xde00, /* permanently undefined */
                               0xb100, /* CBZ */
                               0xb200, /* SXTH */
                               0xb660, /* CPS */
                               0xb650, /* SETEND */
                               0xba00, /* REV */
                               0xbf00, /* NOP hint, IT */
                               0xe801, /* BLX suffix with bit 0 */
                               0xb800, 0xb900, 0xbb00, 0xb300};
    for (const uint16_t half : halves) {
        core_bench bench;
        bench.thumb(CODE, {half});
        bench.start(CODE, true);
        EXPECT_EQ(bench.step(), ARM968_STOP_FAULT) << std::hex << half;
        EXPECT_EQ(bench.reg(15), 0x04u) << std::hex << half;
        EXPECT_EQ(bench.reg(14), CODE + 2) << std::hex << half;
        EXPECT_EQ(bench.cycle(), 3u) << std::hex << half;
    }
}

/* pc where the architecture leaves it open reads as it does elsewhere, whatever has run before. */
TEST_F(SpecialCases, PcWhereItIsOpenReadsTwoAhead)
{
    const uint32_t seen = CODE_BASE + 8;
    bench.arm(CODE_BASE + 0x40, {add_imm(r9, pc, 0x100)}); /* leaves another pc operand */
    struct {
        uint32_t word, expected;
    } const cases[] = {{clz(r0, pc), 19},
                       {mul(r0, pc, r1), seen * 3},
                       {mla(r0, r1, r1, pc), 9 + seen},
                       {qadd(r0, pc, r1), seen + 3},
                       {smul_half(0, 0, r0, pc, r1), seen * 3},
                       {multiply_long(false, true, false, r0, pc, r1, r1), 9 + 5}};
    for (const auto &it : cases) {
        bench.arm(CODE_BASE, {it.word});
        bench.start(CODE_BASE + 0x40);
        (void)bench.step();
        bench.set(0, 5);
        bench.set(1, 3);
        bench.start(CODE_BASE);
        (void)bench.step();
        EXPECT_EQ(bench.reg(0), it.expected) << std::hex << it.word;
        EXPECT_EQ(bench.reg(15), CODE_BASE + 4);
    }
}

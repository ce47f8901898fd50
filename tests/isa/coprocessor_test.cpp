/* coprocessor_test.cpp - CP15, coprocessors that do not exist, TCMs switched off. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE;

static uint32_t read_cp15(unsigned rd, uint32_t crn, uint32_t crm, uint32_t op2)
{
    return mrc(15, 0, rd, crn, crm, op2);
}

static uint32_t write_cp15(unsigned rd, uint32_t crn, uint32_t crm, uint32_t op2)
{
    return mcr(15, 0, rd, crn, crm, op2);
}

static void run(core_bench *bench, uint32_t insn)
{
    bench->set_word(CODE, insn);
    bench->start(CODE);
    ASSERT_EQ(bench->step(), ARM968_STOP_HORIZON);
    ASSERT_EQ(bench->reg(15), CODE + 4);
}

TEST(Cp15, TheIdIsTheOneConfigured)
{
    bench_config config;
    config.id = 0x4105968f;
    core_bench bench(config);
    run(&bench, read_cp15(r0, 0, 0, 0));
    EXPECT_EQ(bench.reg(0), 0x4105968fu);
    run(&bench, read_cp15(r1, 0, 0, 7)); /* an unknown one of this group */
    EXPECT_EQ(bench.reg(1), 0x4105968fu);
}

TEST(Cp15, TcmSizesFollowTheMemories)
{
    const struct {
        uint32_t code, data, expected;
    } rows[] = {{32 * 1024, 64 * 1024, 0x001c0180},
                {4096, 4096, 0x000c00c0},
                {64 * 1024, 128 * 1024, 0x002001c0},
                {0, 64 * 1024, 0x001c0004},
                {32 * 1024, 0, 0x00004180}};
    for (const auto &row : rows) {
        bench_config config;
        config.code_bytes = row.code;
        config.data_bytes = row.data;
        core_bench bench(config);
        /* code outside, so that it works without ITCM */
        bench.outside.regions = {{0x60000000, 0x100, REGION_ANSWERS, 0}};
        bench.set_word(0x60000000, read_cp15(r0, 0, 0, 2));
        bench.start(0x60000000);
        (void)bench.step();
        EXPECT_EQ(bench.reg(0), row.expected) << std::hex << row.code << " " << row.data;
    }
}

TEST(Cp15, ControlReadsWhatWasWrittenToItsBits)
{
    core_bench bench;
    bench.set(0, 0x00001f7e); /* what SARK writes */
    run(&bench, write_control(r0));
    run(&bench, read_control(r1));
    EXPECT_EQ(bench.reg(1) & 0xf0ffu, 0x107eu);
    EXPECT_EQ(arm968_control(bench.cpu), bench.reg(1));
    const uint32_t stored =
        CONTROL_L4 | CONTROL_V | CONTROL_I | 1u << 7 | CONTROL_W | CONTROL_D | CONTROL_A;
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t kept = CONTROL_I; /* the code itself lies in ITCM */
        bench.set(0, kept | 1u << i);
        run(&bench, write_control(r0));
        run(&bench, read_control(r1));
        EXPECT_EQ(bench.reg(1) & stored, (kept | 1u << i) & stored) << "bit " << i;
        EXPECT_EQ(bench.reg(1) & 0xffff4f01u & ~(0xfu << 8), 0u) << "bit " << i;
    }
}

TEST(Cp15, ControlHasItsResetValue)
{
    bench_config config;
    config.control = 0x3074;
    core_bench bench(config);
    EXPECT_EQ(arm968_control(bench.cpu), 0x3074u);
    EXPECT_EQ(bench.reg(15), HIGH_VECTOR_BASE);
}

TEST(Cp15, ControlTakesEffectAtTheNextInstruction)
{
    core_bench bench;
    bench.arm(CODE, {write_control(r0), ldr_imm(r1, r2)});
    bench.set(0, CONTROL_LOW | CONTROL_A);
    bench.set(2, DTCM_BASE + 1);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_FAULT);
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_DATA);
    EXPECT_EQ(arm968_fault(bench.cpu).pc, CODE + 4);
}

TEST(Cp15, TraceIdIsStoredAndReturned)
{
    core_bench bench;
    bench.set(0, 0x87654321);
    run(&bench, write_cp15(r0, 13, 0, 1));
    run(&bench, read_cp15(r1, 13, 0, 1));
    EXPECT_EQ(bench.reg(1), 0x87654321u);
    run(&bench, read_cp15(r2, 13, 1, 1));
    EXPECT_EQ(bench.reg(2), 0x87654321u);
    EXPECT_EQ(bench.counters().unpredictable, 0u);
}

TEST(Cp15, TestRegistersReadAsWritten)
{
    core_bench bench;
    bench.set(0, 0x1234abcd);
    run(&bench, write_cp15(r0, 15, 0, 0));
    run(&bench, read_cp15(r1, 15, 0, 0));
    EXPECT_EQ(bench.reg(1), 0x1234abcdu);
    EXPECT_EQ(bench.counters().unpredictable, 0u);
}

TEST(Cp15, DrainingTheWriteBufferIsAccepted)
{
    core_bench bench;
    run(&bench, write_cp15(r0, 7, 10, 4));
    EXPECT_EQ(bench.counters().unpredictable, 0u);
    EXPECT_EQ(bench.cycle(), 2u);
}

TEST(Cp15, UnknownRegistersAreNotedAndDoNothing)
{
    core_bench bench;
    bench.set(0, 0x12345678);
    run(&bench, write_cp15(r0, 2, 0, 0));
    EXPECT_EQ(bench.counters().unpredictable, 1u);
    run(&bench, read_cp15(r1, 2, 0, 0));
    EXPECT_EQ(bench.reg(1), 0u);
    EXPECT_EQ(bench.counters().unpredictable, 2u);
    run(&bench, write_cp15(r0, 0, 0, 0)); /* the ID cannot be written */
    run(&bench, read_cp15(r1, 0, 0, 0));
    EXPECT_EQ(bench.reg(1), CORE_ID);
}

TEST(Cp15, ReadingToPcSetsTheFlagsOnly)
{
    core_bench bench;
    bench.set(0, 0xa7ffffff);
    run(&bench, write_cp15(r0, 13, 0, 1));
    arm968_set_cpsr(bench.cpu, FLAG_Q | FLAG_V | MASK_I | ARM968_SYSTEM);
    run(&bench, read_cp15(pc, 13, 0, 1));
    EXPECT_EQ(bench.cpsr(), FLAG_N | FLAG_C | FLAG_Q | MASK_I | ARM968_SYSTEM);
}

TEST(Cp15, UserModeHasNoAccess)
{
    const uint32_t insns[] = {read_control(r1), write_control(r1), read_cp15(r1, 0, 0, 0),
                              read_cp15(pc, 13, 0, 1), wait_for_interrupt()};
    for (const uint32_t insn : insns) {
        core_bench bench;
        bench.set_mode(ARM968_USER, 0);
        bench.set(1, 0xabcd);
        bench.set_word(CODE, insn);
        bench.start(CODE);
        EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
        EXPECT_EQ(bench.reg(15), 0x04u);
        EXPECT_EQ(bench.reg(14), CODE + 4);
        EXPECT_EQ(bench.cpsr() & 0xff, MASK_I | ARM968_UNDEFINED);
        EXPECT_EQ(bench.reg(1), 0xabcdu);
        EXPECT_EQ(arm968_control(bench.cpu), CONTROL_LOW);
        EXPECT_FALSE(arm968_waiting(bench.cpu));
        EXPECT_EQ(bench.counters().undefined, 1u);
    }
}

/* A coprocessor that does not accept: busy-wait 1, and 4 with the Undefined entry, whatever the
 * access would have cost; it leaves no result. */
TEST(Cp15, ARefusedAccessCostsWhatAnAbsentCoprocessorDoes)
{
    const uint32_t accesses[] = {read_control(r1), mrc(15, 0, pc, 1, 0, 0), mcr(15, 0, r1, 1, 0, 0),
                                 mcr(15, 0, r1, 7, 0, 4)};
    for (const uint32_t access : accesses) {
        core_bench bench;
        bench.set_mode(ARM968_USER, 0);
        bench.arm(0x04, {add(r2, r1, r1)});
        bench.set_word(CODE, access);
        bench.start(CODE);
        EXPECT_EQ(bench.step(), ARM968_STOP_FAULT) << std::hex << access;
        EXPECT_EQ(bench.cycle(), 5u) << std::hex << access;
        EXPECT_EQ(bench.counters().exception_cycles, 5u) << std::hex << access;
        bench.steps(1);
        EXPECT_EQ(bench.cycle(), 6u) << std::hex << access;
        EXPECT_EQ(bench.counters().interlock_cycles, 0u) << std::hex << access;
    }
}

TEST(Cp15, ARefusedAccessFollowsTheTimingTable)
{
    bench_config config;
    config.timing.coprocessor_absent = 9;
    config.timing.coprocessor_busy = 3;
    config.timing.coprocessor = 2;
    config.timing.coprocessor_pc = 30;
    for (const uint32_t access : {read_control(r1), mrc(15, 0, pc, 1, 0, 0)}) {
        core_bench bench(config);
        bench.set_mode(ARM968_USER, 0);
        bench.arm(CODE, {nop(), access});
        bench.start(CODE);
        EXPECT_EQ(bench.run(100), ARM968_STOP_FAULT);
        EXPECT_EQ(bench.cycle(), 1u + 9u + 3u);
    }
}

/* A result that the access, had it been accepted, would have given time to ripen. */
TEST(Cp15, ARefusedAccessThatIsCheapLeavesOlderResultsPending)
{
    bench_config config;
    config.timing.coprocessor = 5;
    config.timing.coprocessor_busy = 0;
    config.timing.coprocessor_absent = 1;
    config.timing.load_result = 3;
    core_bench bench(config);
    bench.set_mode(ARM968_USER, 0);
    bench.arm(CODE, {ldr_imm(r0, r8), read_control(r1), nop(), nop()});
    bench.arm(0x04, {add(r2, r0, r0)});
    bench.set(8, DTCM_BASE);
    bench.start(CODE);
    EXPECT_EQ(bench.run(100), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.cycle(), 1u + 1u);
    bench.steps(1); /* the load is ready at 1 + 3 */
    EXPECT_EQ(bench.cycle(), 4u + 1u);
}

static void expect_undefined(uint32_t insn)
{
    core_bench bench;
    bench.set(0, DTCM_BASE);
    bench.set_word(CODE, insn);
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT) << std::hex << insn;
    EXPECT_EQ(bench.reg(15), 0x04u) << std::hex << insn;
    EXPECT_EQ(bench.reg(14), CODE + 4) << std::hex << insn;
    EXPECT_EQ(bench.reg(0), DTCM_BASE) << std::hex << insn;
    EXPECT_EQ(bench.cycle(), 5u) << std::hex << insn;
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_UNDEFINED);
}

TEST(AbsentCoprocessors, TakeTheUndefinedException)
{
    for (unsigned cp = 0; cp < 16; cp++) {
        const uint32_t always = 0xf0000000; /* CDP2, LDC2, MCR2, MRC2 */
        for (const uint32_t insn :
             {cdp(cp), ldc(cp, r0), stc(cp, r0), mcrr(cp), mrrc(cp), cdp(cp) | always,
              ldc(cp, r0) | always, mcr(cp, 0, r0, 0, 0, 0) | always,
              mrc(cp, 0, r0, 0, 0, 0) | always}) {
            expect_undefined(insn);
        }
        if (cp != 15) {
            expect_undefined(mcr(cp, 0, r0, 0, 0, 0));
            expect_undefined(mrc(cp, 0, r0, 0, 0, 0));
        }
    }
}

TEST(AbsentCoprocessors, DoNothingWhenTheConditionFails)
{
    core_bench bench;
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    for (const uint32_t insn : {cdp(3), ldc(3, r0), mcr(3, 0, r0, 0, 0, 0), undefined_word()}) {
        const uint64_t before = bench.cycle();
        run(&bench, when(EQ, insn));
        EXPECT_EQ(bench.cycle() - before, 1u);
    }
}

/* ---- TCMs switched off ---- */

TEST(TcmControl, WithoutDtcmItsAddressesGoOutside)
{
    core_bench bench;
    bench.outside.regions = {{DTCM_BASE, 0x1000, REGION_ANSWERS, 2}};
    bench.set_word(DTCM_BASE, 0x11111111);
    bench.outside.write(DTCM_BASE, 4, 0x22222222);
    bench.arm(CODE, {ldr_imm(r1, r0), write_control(r3), ldr_imm(r2, r0), str_imm(r4, r0, 4),
                     write_control(r5), ldr_imm(r6, r0)});
    bench.set(0, DTCM_BASE);
    bench.set(3, CONTROL_LOW & ~CONTROL_D);
    bench.set(4, 0x44444444);
    bench.set(5, CONTROL_LOW);
    bench.start(CODE);
    EXPECT_EQ(bench.run_to(CODE + 24), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.reg(1), 0x11111111u);
    EXPECT_EQ(bench.reg(2), 0x22222222u);
    EXPECT_EQ(bench.reg(6), 0x11111111u);
    EXPECT_EQ(bench.word(DTCM_BASE + 4), 0u);
    EXPECT_EQ(bench.outside.read(DTCM_BASE + 4, 4), 0x44444444u);
    EXPECT_EQ(bench.outside.log.size(), 2u);
    EXPECT_EQ(bench.cycle(), 1u + 2u + 3u + 3u + 2u + 1u);
}

TEST(TcmControl, WithoutItcmDataAndCodeComeFromOutside)
{
    core_bench bench;
    bench.outside.regions = {{0, 0x8000, REGION_ANSWERS, 4}};
    bench.outside.write(0x4000, 4, 0x22222222);
    bench.set_word(0x4000, 0x11111111);
    bench.outside.write(CODE, 4, mov_imm(r1, 99));
    bench.outside.write(CODE + 4, 4, ldr_imm(r2, r0));
    bench.arm(CODE, {mov_imm(r1, 11)});
    bench.set(0, 0x4000);
    arm968_set_control(bench.cpu, CONTROL_LOW & ~CONTROL_I);
    bench.start(CODE);
    bench.steps(2);
    EXPECT_EQ(bench.reg(1), 99u);
    EXPECT_EQ(bench.reg(2), 0x22222222u);
    EXPECT_EQ(bench.cycle(), 4u + 1u + 4u + 1u + 4u);
    ASSERT_EQ(bench.outside.log.size(), 3u);
    EXPECT_EQ(bench.outside.log[0].access.kind, ARM968_FETCH);
    EXPECT_EQ(bench.outside.log[2].access.kind, ARM968_READ);
    EXPECT_EQ(bench.counters().itcm_data_accesses, 0u);
}

TEST(TcmControl, SwitchingItcmOffSendsTheNextFetchOutside)
{
    core_bench bench;
    bench.outside.regions = {{0, 0x8000, REGION_ANSWERS, 0}};
    bench.arm(CODE, {write_control(r0), mov_imm(r1, 11)});
    bench.outside.write(CODE + 4, 4, mov_imm(r1, 99));
    bench.set(0, CONTROL_LOW & ~CONTROL_I);
    bench.start(CODE);
    EXPECT_EQ(bench.run(3), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(1), 99u);
}

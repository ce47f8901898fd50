/* counters_test.cpp - the counts of a core agree with each other and with what was executed.
 *
 * Identities, after any run:
 *   cycle = active_cycles + sleep_cycles
 *   active_cycles = multiply + memory + branch + interlock + exception + itcm_wait + bus_wait
 * cycles
 *                   + the issue cycles of all other instructions */
#include "tests/cycles/bench_run.h"
#include "tests/cycles/trace.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

static uint64_t classified_cycles(const struct arm968_counters &c)
{
    return c.multiply_cycles + c.memory_cycles + c.branch_cycles + c.interlock_cycles +
           c.exception_cycles + c.itcm_wait_cycles + c.bus_wait_cycles + c.contention_cycles;
}

TEST(Counters, EachInstructionIsCountedInItsClass)
{
    core_bench bench;
    const piece_of_code piece = {{mov_imm(r0, 5),                   /* other 1 */
                                  mul(r1, r0, r0),                  /* multiply 2 */
                                  add(r2, r1, r1),                  /* other 1, interlock 1 */
                                  ldr_imm(r3, r8),                  /* memory 1 */
                                  str_imm(r3, r9),                  /* memory 1, interlock 1 */
                                  ldr_imm(r4, r10),                 /* memory 1, ITCM 1 */
                                  stm(r10, {r0, r1, r2}),           /* memory 3, ITCM 3 */
                                  str_imm(r0, r6),                  /* memory 1, bus 5 */
                                  ldm(r6, {r0, r1}),                /* memory 2, bus 5 */
                                  when(EQ, smlabb(r0, r1, r2, r3)), /* other 1: fails */
                                  b(40, 48),                        /* branch 3 */
                                  nop(), mrs_cpsr(r5)},             /* other 2 */
                                 false,
                                 NO_IRQ,
                                 0};
    ASSERT_TRUE(run_piece(&bench, piece, false));
    const struct arm968_counters &c = bench.counters();
    EXPECT_EQ(c.instructions, 12u);
    EXPECT_EQ(c.multiply_cycles, 2u);
    EXPECT_EQ(c.memory_cycles, 9u);
    EXPECT_EQ(c.branch_cycles, 3u);
    EXPECT_EQ(c.interlock_cycles, 2u);
    EXPECT_EQ(c.itcm_wait_cycles, 4u);
    EXPECT_EQ(c.bus_wait_cycles, 10u);
    EXPECT_EQ(c.exception_cycles, 0u);
    EXPECT_EQ(c.branches_taken, 1u);
    EXPECT_EQ(c.words_loaded, 4u);
    EXPECT_EQ(c.words_stored, 5u);
    EXPECT_EQ(c.itcm_data_accesses, 4u);
    EXPECT_EQ(c.bus_writes, 1u);
    EXPECT_EQ(c.bus_reads, 2u);
    EXPECT_EQ(c.active_cycles, bench.cycle());
    EXPECT_EQ(c.active_cycles, classified_cycles(c) + 5u);
    EXPECT_EQ(c.sleep_cycles, 0u);
}

TEST(Counters, AWriteOfPcIsCountedInTheClassOfItsInstruction)
{
    core_bench bench;
    const piece_of_code piece = {{data_shift_reg(MOV, false, pc, 0, r7, LSL, r11),
                                  nop(),                         /* branch 4, to TARGET */
                                  ldr_reg(pc, r8, r11, LSL, 2)}, /* memory 6 */
                                 false,
                                 NO_IRQ,
                                 TARGET};
    ASSERT_TRUE(run_piece(&bench, piece, false)); /* stands at TARGET */
    EXPECT_EQ(bench.counters().branch_cycles, 4u);
    EXPECT_EQ(bench.counters().memory_cycles, 0u);
    bench.steps(1); /* the load goes to TARGET again */
    EXPECT_EQ(bench.reg(15), TARGET);
    EXPECT_EQ(bench.counters().branch_cycles, 4u);
    EXPECT_EQ(bench.counters().memory_cycles, 6u);
    EXPECT_EQ(bench.counters().branches_taken, 0u);
}

TEST(Counters, AnItcmAccessIsCountedEvenWhenItCostsNothing)
{
    bench_config config;
    config.timing.itcm_data = 0;
    core_bench bench(config);
    const piece_of_code piece = {
        {ldr_imm(r0, pc, 0), str_imm(r1, r10), ldr_imm(r2, r10)}, false, NO_IRQ, 0};
    ASSERT_TRUE(run_piece(&bench, piece, false));
    EXPECT_EQ(bench.counters().itcm_wait_cycles, 0u);
    EXPECT_EQ(bench.counters().itcm_data_accesses, 3u);
}

TEST(Counters, ExceptionsAreCountedByKindAndTheirEntryApart)
{
    core_bench bench;
    const piece_of_code piece = {
        {swi(7), undefined_word(), bkpt(0), ldr_imm(r0, r12), cdp(1), mov(r5, r5), mov(r5, r5)},
        false,
        NO_IRQ,
        0};
    ASSERT_TRUE(run_piece(&bench, piece, false));
    const struct arm968_counters &c = bench.counters();
    EXPECT_EQ(c.software_interrupts, 1u);
    EXPECT_EQ(c.undefined, 2u);
    EXPECT_EQ(c.prefetch_aborts, 1u);
    EXPECT_EQ(c.data_aborts, 1u);
    EXPECT_EQ(c.interrupts, 0u);
    EXPECT_EQ(c.fast_interrupts, 0u);
    /* Undefined 3, BKPT 3, aborted load 1 + entry 3, absent coprocessor 5 */
    EXPECT_EQ(c.exception_cycles, 3u + 3u + 4u + 5u);
    /* SWI 3 and the returns: MOVS pc three times, SUBS pc twice */
    EXPECT_EQ(c.branch_cycles, 3u + 3u * 4u + 2u * 3u);
    EXPECT_EQ(c.active_cycles, classified_cycles(c) + 2u);
    /* retired: the SWI, five returns, two moves; what takes an exception is not */
    EXPECT_EQ(c.instructions, 1u + 5u + 2u);
}

TEST(Counters, SleepingCyclesAreNotActive)
{
    core_bench bench;
    bench.arm(CODE_BASE, {wait_for_interrupt(), nop(), branch_to_self()});
    bench.start(CODE_BASE);
    EXPECT_EQ(bench.run(1000), ARM968_STOP_WAIT);
    EXPECT_EQ(bench.cycle(), 2u); /* MCR 1, coprocessor busy 1 */
    EXPECT_EQ(arm968_run(bench.cpu, 102), ARM968_STOP_WAIT);
    EXPECT_EQ(bench.cycle(), 102u);
    EXPECT_EQ(bench.counters().sleep_cycles, 100u);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 200); /* seen at 202 */
    EXPECT_EQ(arm968_run(bench.cpu, 203), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.counters().sleep_cycles, 200u);
    EXPECT_EQ(bench.counters().active_cycles, 3u);
    EXPECT_EQ(bench.cycle(), bench.counters().active_cycles + bench.counters().sleep_cycles);
    EXPECT_EQ(bench.reg(15), CODE_BASE + 8);
}

TEST(Counters, AStallForMemoryTrafficIsActiveAndLetsNoResultRipen)
{
    core_bench bench;
    bench.arm(CODE_BASE, {ldrb_imm(r0, r1), add(r2, r0, r0), nop(), branch_to_self()});
    bench.set(1, DTCM_BASE);
    bench.start(CODE_BASE);
    bench.steps(1);
    arm968_stall(bench.cpu, 10);
    EXPECT_EQ(bench.cycle(), 11u);
    EXPECT_EQ(bench.reg(15), CODE_BASE + 4);
    bench.steps(1);
    EXPECT_EQ(bench.cycle(), 11u + 2u + 1u);
    const struct arm968_counters &c = bench.counters();
    EXPECT_EQ(c.contention_cycles, 10u);
    EXPECT_EQ(c.active_cycles, 14u);
    EXPECT_EQ(c.active_cycles, classified_cycles(c) + 1u);
}

TEST(Counters, ACoreHeldInResetIsNeitherActiveNorAsleep)
{
    core_bench bench;
    bench.arm(CODE_BASE, {nop(), nop(), branch_to_self()});
    bench.start(CODE_BASE);
    bench.steps(1);
    arm968_hold(bench.cpu, 1000);
    EXPECT_EQ(bench.cycle(), 1000u);
    arm968_hold(bench.cpu, 500); /* time does not go back */
    EXPECT_EQ(bench.cycle(), 1000u);
    bench.steps(1);
    EXPECT_EQ(bench.cycle(), 1001u);
    EXPECT_EQ(bench.counters().active_cycles, 2u);
    EXPECT_EQ(bench.counters().sleep_cycles, 0u);
}

/* As many counts in a cycle as there can be, for longer than a lane can hold them; read at stops
 * within blocks, behind conditions that fail. */
TEST(Counters, ALongRunLosesNone)
{
    const uint64_t cycles = 1000000;
    const unsigned doubles = 27;
    bench_config config;
    config.timing.load_double = 1;
    config.timing.load_double_result = 0;
    std::vector<uint32_t> code(doubles, ldrd_imm(r0, r8));
    code.push_back(when(EQ, ldrd_imm(r0, r8))); /* Z is clear: fails */
    code.push_back(ldr_imm(r4, pc, -8));        /* a literal */
    code.push_back(b(4 * (doubles + 2), 0));
    const uint64_t round = doubles + 1 + 2 + 3;
    for (const uint64_t slice : {cycles, UINT64_C(27991), UINT64_C(1013), UINT64_C(7)}) {
        core_bench bench(config);
        bench.arm(CODE_BASE, code);
        bench.set(8, DTCM_BASE);
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM | MASK_I | MASK_F);
        bench.start(CODE_BASE);
        uint64_t words_before = 0;
        while (bench.cycle() < cycles / round * round) {
            const uint64_t left = cycles / round * round - bench.cycle();
            ASSERT_EQ(bench.run(slice < left ? slice : left), ARM968_STOP_HORIZON);
            ASSERT_GE(bench.counters().words_loaded, words_before);
            words_before = bench.counters().words_loaded;
        }
        const uint64_t rounds = cycles / round;
        const struct arm968_counters &c = bench.counters();
        EXPECT_EQ(bench.cycle(), rounds * round);
        EXPECT_EQ(c.instructions, rounds * (doubles + 3));
        EXPECT_EQ(c.words_loaded, rounds * (2 * doubles + 1));
        EXPECT_EQ(c.memory_cycles, rounds * (doubles + 1));
        EXPECT_EQ(c.itcm_data_accesses, rounds);
        EXPECT_EQ(c.itcm_wait_cycles, rounds);
        EXPECT_EQ(c.branches_taken, rounds);
        EXPECT_EQ(c.branch_cycles, 3 * rounds);
    }
}

/* What is left of the active cycles are the issue cycles of the class OTHER. */
TEST(Counters, ClassesAddUpToTheActiveCyclesInRandomCode)
{
    for (uint32_t seed = 50000; seed < 51000; seed++) {
        const random_program program = make_random_program(seed, (seed & 1) != 0, 30);
        core_bench stepped;
        load_random_program(&stepped, program);
        const std::vector<trace_step> trace = trace_to(&stepped, program.end, 5000);
        uint64_t other = 0;
        for (const trace_step &step : trace) {
            struct scoreboard alone(arm968_timing_default(), ITCM_BYTES);
            (void)alone.execute(step.insn);
            other += alone.counters.active_cycles - classified_cycles(alone.counters);
        }
        core_bench whole;
        load_random_program(&whole, program);
        ASSERT_EQ(whole.run(stepped.cycle()), ARM968_STOP_HORIZON);
        const struct arm968_counters &c = whole.counters();
        ASSERT_EQ(c.active_cycles, classified_cycles(c) + other) << program.listing();
        ASSERT_EQ(c.active_cycles + c.sleep_cycles, whole.cycle());
    }
}

TEST(Counters, ADearerBranchCostsEachBranchTakenOnce)
{
    for (uint32_t seed = 60000; seed < 61000; seed++) {
        const random_program program = make_random_program(seed, (seed & 1) != 0, 30);
        core_bench plain;
        bench_config config;
        config.timing.branch_taken *= 2;
        core_bench dearer(config);
        load_random_program(&plain, program);
        load_random_program(&dearer, program);
        ASSERT_EQ(plain.run_to(program.end), ARM968_STOP_BREAKPOINT);
        ASSERT_EQ(dearer.run_to(program.end), ARM968_STOP_BREAKPOINT);
        ASSERT_EQ(dearer.cycle(), plain.cycle() + 3 * plain.counters().branches_taken)
            << program.listing();
    }
}

TEST(Counters, NamesAndFieldsBelongTogether)
{
    size_t count = 0;
    const struct counter_info *info = arm968_counter_info(&count);
    ASSERT_EQ(count * sizeof(uint64_t), sizeof(struct arm968_counters));
    struct arm968_counters counters = {};
    counters.instructions = 11;
    counters.unpredictable = 99;
    EXPECT_STREQ(info[0].name, "instructions");
    EXPECT_EQ(counter_value(&counters, 0), 11u);
    EXPECT_STREQ(info[count - 1].name, "unpredictable");
    EXPECT_EQ(counter_value(&counters, count - 1), 99u);
}

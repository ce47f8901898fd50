/* exceptions_test.cpp - entry and return of every exception, in both states, with low and high
 * vectors; priorities; what the core reports. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t CODE = CODE_BASE + 0x10;
static constexpr uint32_t NOWHERE = 0x70000000;

struct exception_case {
    const char *name;
    uint32_t arm_insn;
    uint16_t thumb_insn;
    uint32_t vector;
    enum arm968_mode mode;
    bool masks_fiq;
    uint32_t arm_offset, thumb_offset; /* r14 - address of the instruction */
    uint64_t cycles;                   /* with the entry */
    enum arm968_stop stop;
    enum arm968_fault_kind fault;
};

/* r0 = NOWHERE; IRQ and FIQ: an instruction that does not happen, the line is asserted before. */
static const exception_case CASES[] = {
    {"Undefined", undefined_word(), thumb::undefined_half(), 0x04, ARM968_UNDEFINED, false, 4, 2, 3,
     ARM968_STOP_FAULT, ARM968_FAULT_UNDEFINED},
    {"Swi", swi(0x123456), thumb::swi(0xab), 0x08, ARM968_SUPERVISOR, false, 4, 2, 3,
     ARM968_STOP_HORIZON, ARM968_FAULT_NONE},
    {"Breakpoint", bkpt(0x1234), thumb::bkpt(1), 0x0c, ARM968_ABORT, false, 4, 4, 3,
     ARM968_STOP_FAULT, ARM968_FAULT_BREAKPOINT},
    {"DataAbort", ldr_imm(r1, r0), thumb::ldr_imm(r1, r0, 0), 0x10, ARM968_ABORT, false, 8, 8, 4,
     ARM968_STOP_FAULT, ARM968_FAULT_DATA},
    {"StoreAbort", str_imm(r1, r0), thumb::str_imm(r1, r0, 0), 0x10, ARM968_ABORT, false, 8, 8, 4,
     ARM968_STOP_FAULT, ARM968_FAULT_DATA},
    {"Irq", nop(), thumb::nop(), 0x18, ARM968_IRQ_MODE, false, 4, 4, 3, ARM968_STOP_HORIZON,
     ARM968_FAULT_NONE},
    {"Fiq", nop(), thumb::nop(), 0x1c, ARM968_FIQ_MODE, true, 4, 4, 3, ARM968_STOP_HORIZON,
     ARM968_FAULT_NONE},
};

struct entry_parameters {
    exception_case exception;
    bool thumb, high;
    uint32_t masks; /* of the code that is interrupted */
};

static std::vector<entry_parameters> all_entries()
{
    std::vector<entry_parameters> all;
    for (const exception_case &exception : CASES) {
        for (const bool thumb_state : {false, true}) {
            for (const bool high : {false, true}) {
                all.push_back({exception, thumb_state, high, 0});
            }
            if (exception.vector < 0x18) { /* I and F stay as they are */
                all.push_back({exception, thumb_state, false, MASK_F});
            }
        }
    }
    return all;
}

class Exceptions : public ::testing::TestWithParam<entry_parameters>
{
  protected:
    Exceptions() : bench(config_for(GetParam()))
    {
        const entry_parameters &p = GetParam();
        bench.arm(CODE, {p.exception.arm_insn, nop()});
        if (p.thumb) {
            bench.thumb(CODE, {p.exception.thumb_insn, thumb::nop()});
        }
        for (unsigned i = 0; i < 15; i++) {
            bench.set(i, 0xabc000 + i);
        }
        arm968_set_cpsr(bench.cpu, FLAG_N | FLAG_C | FLAG_Q | p.masks | ARM968_SYSTEM);
        bench.set(0, NOWHERE);
        bench.set(13, 0x1300);
        bench.set(14, 0x1400);
        bench.start(CODE, p.thumb);
        if (p.exception.vector >= 0x18) {
            const enum arm968_line line = p.exception.masks_fiq ? ARM968_FIQ : ARM968_IRQ;
            arm968_set_line(bench.cpu, line, true, 0);
            /* visible after the synchroniser: two cycles, spent in two instructions before */
            bench.thumb(CODE - (p.thumb ? 4 : 8), {thumb::nop(), thumb::nop()});
            if (!p.thumb) {
                bench.arm(CODE - 8, {nop(), nop()});
            }
            bench.set(15, CODE - (p.thumb ? 4 : 8));
            bench.steps(2);
        }
    }

    static bench_config config_for(const entry_parameters &p)
    {
        bench_config config;
        config.control = CONTROL_LOW | (p.high ? CONTROL_V : 0);
        return config;
    }

    core_bench bench;
};

TEST_P(Exceptions, EntrySavesTheStateAndGoesToTheVector)
{
    const entry_parameters &p = GetParam();
    const uint32_t before = bench.cpsr();
    const uint64_t start = bench.cycle();
    ASSERT_EQ(bench.reg(15), CODE);
    EXPECT_EQ(bench.step(), p.exception.stop);
    EXPECT_EQ(bench.reg(15), p.exception.vector + (p.high ? HIGH_VECTOR_BASE : 0));
    EXPECT_EQ(bench.reg(14), CODE + (p.thumb ? p.exception.thumb_offset : p.exception.arm_offset));
    EXPECT_EQ(arm968_spsr(bench.cpu, p.exception.mode), before);
    const uint32_t fiq = p.exception.masks_fiq ? MASK_F : p.masks & MASK_F;
    EXPECT_EQ(bench.cpsr(), FLAG_N | FLAG_C | FLAG_Q | MASK_I | fiq | p.exception.mode);
    EXPECT_EQ(bench.cycle() - start, p.exception.cycles);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SYSTEM, 13), 0x1300u);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SYSTEM, 14), 0x1400u);
    EXPECT_EQ(bench.reg(1), 0xabc001u);
    EXPECT_EQ(arm968_fault(bench.cpu).kind, p.exception.fault);
    if (p.exception.fault != ARM968_FAULT_NONE) {
        EXPECT_EQ(arm968_fault(bench.cpu).pc, CODE);
    }
    if (p.exception.fault == ARM968_FAULT_DATA) {
        EXPECT_EQ(arm968_fault(bench.cpu).address, NOWHERE);
    }
}

TEST_P(Exceptions, ReturnGoesOnBehindOrAtTheInstruction)
{
    const entry_parameters &p = GetParam();
    const uint32_t before = bench.cpsr();
    const uint32_t base = p.high ? HIGH_VECTOR_BASE : 0; /* high handlers lie outside */
    bench.outside.regions = {{HIGH_VECTOR_BASE, 0x100, REGION_ANSWERS, 0}};
    const bool retry = p.exception.vector == 0x10;
    const bool interrupt = p.exception.vector >= 0x18;
    /* behind Undefined and SWI; the instruction itself after aborts and interrupts */
    const uint32_t back = retry                        ? subs_imm(pc, lr, 8)
                          : interrupt                  ? subs_imm(pc, lr, 4)
                          : p.exception.vector == 0x0c ? subs_imm(pc, lr, 4)
                                                       : movs(pc, lr);
    bench.arm(base + p.exception.vector, {back});
    (void)bench.step();
    arm968_set_line(bench.cpu, ARM968_IRQ, false, bench.cycle());
    arm968_set_line(bench.cpu, ARM968_FIQ, false, bench.cycle());
    ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    const bool behind = p.exception.vector == 0x04 || p.exception.vector == 0x08;
    EXPECT_EQ(bench.reg(15), CODE + (behind ? (p.thumb ? 2 : 4) : 0));
    EXPECT_EQ(bench.cpsr(), before);
    EXPECT_EQ(bench.reg(13), 0x1300u);
    EXPECT_EQ(bench.reg(14), 0x1400u);
}

INSTANTIATE_TEST_SUITE_P(, Exceptions, ::testing::ValuesIn(all_entries()),
                         [](const ::testing::TestParamInfo<entry_parameters> &info) {
                             const entry_parameters &p = info.param;
                             return std::string(p.exception.name) + (p.thumb ? "Thumb" : "Arm") +
                                    (p.high ? "High" : "") + (p.masks != 0 ? "Masked" : "");
                         });

TEST(Reset, EntersSupervisorModeMaskedInArmState)
{
    for (const uint32_t vectors : {0u, CONTROL_V}) {
        bench_config config;
        config.control = CONTROL_LOW | vectors;
        core_bench bench(config);
        const uint32_t base = vectors != 0 ? HIGH_VECTOR_BASE : 0;
        EXPECT_EQ(bench.reg(15), base);
        EXPECT_EQ(bench.cpsr(), MASK_I | MASK_F | ARM968_SUPERVISOR);
        EXPECT_EQ(bench.cycle(), 0u);

        bench.set_word(DTCM_BASE, 0x12345678);
        arm968_set_cpsr(bench.cpu, FLAG_Z | ARM968_USER);
        arm968_set_control(bench.cpu, CONTROL_LOW | CONTROL_A);
        bench.thumb(CODE, {thumb::nop(), thumb::nop(), thumb::nop()});
        bench.start(CODE, true);
        bench.steps(3);
        arm968_reset(bench.cpu);
        EXPECT_EQ(bench.reg(15), base);
        EXPECT_EQ(bench.cpsr() & 0xff, MASK_I | MASK_F | ARM968_SUPERVISOR);
        EXPECT_EQ(arm968_control(bench.cpu), CONTROL_LOW | vectors);
        EXPECT_EQ(bench.cycle(), 3u);
        EXPECT_EQ(bench.counters().instructions, 3u);
        EXPECT_EQ(bench.word(DTCM_BASE), 0x12345678u);
    }
}

TEST(PrefetchAbort, IsTakenWhereNothingAnswers)
{
    for (const bool thumb_state : {false, true}) {
        core_bench bench;
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
        bench.start(NOWHERE, thumb_state);
        const uint32_t before = bench.cpsr();
        EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
        EXPECT_EQ(bench.reg(15), 0x0cu);
        EXPECT_EQ(bench.reg(14), NOWHERE + 4);
        EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_ABORT), before);
        EXPECT_EQ(bench.cpsr(), MASK_I | ARM968_ABORT);
        EXPECT_EQ(bench.cycle(), 3u);
        EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_PREFETCH);
        EXPECT_EQ(arm968_fault(bench.cpu).pc, NOWHERE);
        EXPECT_EQ(arm968_fault(bench.cpu).address, NOWHERE);
        EXPECT_EQ(bench.counters().prefetch_aborts, 1u);
        EXPECT_EQ(bench.counters().instructions, 0u);
    }
}

TEST(PrefetchAbort, IsTakenInDtcmEvenIfTheOutsideWouldAnswerThere)
{
    core_bench bench;
    bench.outside.regions = {{0, 0xffffffff, REGION_ANSWERS, 0}};
    bench.start(DTCM_BASE + 0x100);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.reg(15), 0x0cu);
    EXPECT_EQ(bench.reg(14), DTCM_BASE + 0x104);
    EXPECT_TRUE(bench.outside.log.empty());
}

TEST(PrefetchAbort, ReturnRepeatsTheFetch)
{
    core_bench bench;
    bench.arm(0x0c, {subs_imm(pc, lr, 4)});
    bench.start(NOWHERE);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    bench.outside.regions = {{NOWHERE, 0x100, REGION_ANSWERS, 0}};
    bench.set_words(NOWHERE, {mov_imm(r0, 77), branch_to_self()});
    bench.steps(2);
    EXPECT_EQ(bench.reg(0), 77u);
    EXPECT_EQ(bench.reg(15), NOWHERE + 4);
}

TEST(Priorities, FiqGoesBeforeIrq)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), nop(), nop()});
    bench.arm(0x1c, {subs_imm(pc, lr, 4)});
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(CODE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    arm968_set_line(bench.cpu, ARM968_FIQ, true, 0);
    bench.steps(3); /* two NOPs, then the entry */
    EXPECT_EQ(bench.reg(15), 0x1cu);
    EXPECT_EQ(bench.reg(14), CODE + 12);
    EXPECT_EQ(bench.cycle(), 5u);
    arm968_set_line(bench.cpu, ARM968_FIQ, false, bench.cycle());
    bench.steps(1); /* the return; the IRQ still waits */
    EXPECT_EQ(bench.reg(15), CODE + 8);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 12);
    EXPECT_EQ(bench.counters().fast_interrupts, 1u);
    EXPECT_EQ(bench.counters().interrupts, 1u);
}

TEST(Priorities, FiqInterruptsAnIrqHandlerButNotTheOtherWayRound)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), nop()});
    bench.arm(0x18, {nop(), nop()}); /* the second one is the FIQ vector's */
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(CODE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    bench.steps(3);
    ASSERT_EQ(bench.reg(15), 0x18u);
    arm968_set_line(bench.cpu, ARM968_FIQ, true, bench.cycle() - 2);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x1cu);
    EXPECT_EQ(bench.reg(14), 0x18u + 4);
    EXPECT_EQ(bench.cpsr(), MASK_I | MASK_F | ARM968_FIQ_MODE);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_FIQ_MODE), MASK_I | ARM968_IRQ_MODE);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x20u);
}

TEST(Priorities, AFiqFollowsADataAbortAtOnceAndAnIrqDoesNot)
{
    core_bench bench;
    bench.arm(CODE, {nop(), ldr_imm(r1, r0)});
    bench.arm(0x10, {nop(), nop()});
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.set(0, NOWHERE);
    bench.start(CODE);
    bench.steps(1);
    /* both become visible while the load is under way */
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    arm968_set_line(bench.cpu, ARM968_FIQ, true, 0);
    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.reg(15), 0x10u);
    EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x1cu);
    EXPECT_EQ(bench.reg(14), 0x10u + 4);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_FIQ_MODE), MASK_I | ARM968_ABORT);
    EXPECT_EQ(bench.cycle(), 1u + 1u + 3u + 3u);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_ABORT, 14), CODE + 4 + 8);
}

TEST(Masks, KeepTheirLineOutUntilCleared)
{
    core_bench bench;
    bench.arm(CODE, {nop(), nop(), nop(), msr_cpsr_imm(PSR_C, MASK_F | ARM968_SYSTEM), nop()});
    arm968_set_cpsr(bench.cpu, MASK_I | MASK_F | ARM968_SYSTEM);
    bench.start(CODE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    arm968_set_line(bench.cpu, ARM968_FIQ, true, 0);
    bench.steps(4);
    EXPECT_EQ(bench.reg(15), CODE + 16);
    bench.steps(1);
    EXPECT_EQ(bench.reg(15), 0x18u);
    EXPECT_EQ(bench.reg(14), CODE + 16 + 4);
    EXPECT_EQ(bench.cpsr(), MASK_I | MASK_F | ARM968_IRQ_MODE);
}

TEST(Lines, AreSeenSynchronisedAndOnlyWhileAsserted)
{
    for (uint16_t sync = 0; sync < 4; sync++) {
        bench_config config;
        config.timing.interrupt_sync = sync;
        core_bench bench(config);
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), UINT64_MAX);
        arm968_set_line(bench.cpu, ARM968_IRQ, true, 10);
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), 10u + sync);
        arm968_set_line(bench.cpu, ARM968_IRQ, true, 20); /* is asserted already */
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), 10u + sync);
        arm968_set_line(bench.cpu, ARM968_FIQ, true, 5);
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), 5u + sync);
        arm968_set_line(bench.cpu, ARM968_FIQ, false, 6);
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), 10u + sync);
        arm968_set_line(bench.cpu, ARM968_IRQ, false, 7);
        EXPECT_EQ(arm968_wake_cycle(bench.cpu), UINT64_MAX);

        for (uint32_t i = 0; i < 32; i++) {
            bench.set_word(CODE + 4 * i, nop());
        }
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
        bench.start(CODE);
        arm968_set_line(bench.cpu, ARM968_IRQ, true, 10);
        EXPECT_EQ(arm968_run(bench.cpu, 10u + sync), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.reg(15), CODE + 4 * (10u + sync));
        EXPECT_EQ(arm968_run(bench.cpu, 11u + sync), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.reg(15), 0x18u);
        EXPECT_EQ(bench.cycle(), 13u + sync);
    }
}

TEST(Lines, ALineThatFallsBeforeItIsSeenIsNotTaken)
{
    core_bench bench;
    for (uint32_t i = 0; i < 16; i++) {
        bench.set_word(CODE + 4 * i, nop());
    }
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(CODE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 0);
    bench.steps(1);
    arm968_set_line(bench.cpu, ARM968_IRQ, false, 1);
    bench.steps(10);
    EXPECT_EQ(bench.reg(15), CODE + 44);
    EXPECT_EQ(bench.counters().interrupts, 0u);
}

TEST(Semihosting, StopsBehindTheCallWhenAskedFor)
{
    bench_config config;
    config.semihosting = true;
    for (const bool thumb_state : {false, true}) {
        core_bench bench(config);
        bench.arm(CODE, {swi(0x123456), swi(0x123457)});
        if (thumb_state) {
            bench.thumb(CODE, {thumb::swi(0xab), thumb::swi(0xac)});
        }
        bench.start(CODE, thumb_state);
        const uint32_t before = bench.cpsr();
        EXPECT_EQ(bench.run(100), ARM968_STOP_REQUEST);
        EXPECT_EQ(bench.reg(15), CODE + (thumb_state ? 2 : 4));
        EXPECT_EQ(bench.cpsr(), before);
        EXPECT_EQ(bench.counters().software_interrupts, 0u);
        bench.steps(1); /* any other number is an exception */
        EXPECT_EQ(bench.reg(15), 0x08u);
        EXPECT_EQ(bench.counters().software_interrupts, 1u);
    }
}

TEST(Semihosting, IsAnExceptionWhenNotAskedFor)
{
    core_bench bench;
    bench.arm(CODE, {swi(0x123456)});
    bench.start(CODE);
    EXPECT_EQ(bench.step(), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), 0x08u);
}

/* An instruction opens the masks while lines are up, and each handler's return lets in the next
 * interrupt.  A run of any length does what single steps do. */
class OpenedMasks : public ::testing::TestWithParam<std::vector<enum arm968_line>>
{
  protected:
    void prepare(core_bench *bench)
    {
        bench->arm(0x18, {b(0x18, 0x100), b(0x1c, 0x200)});
        bench->arm(0x100, {add_imm(r4, r4, 1), msr_cpsr_imm(PSR_C, MASK_I | ARM968_IRQ_MODE),
                           subs_imm(pc, lr, 4)});
        bench->arm(0x200, {add_imm(r5, r5, 1), subs_imm(pc, lr, 4)});
        bench->arm(CODE, {ldrb_imm(r3, r1), msr_cpsr_imm(PSR_C, ARM968_SYSTEM), add(r0, r3, r3),
                          branch_to_self()});
        bench->set(1, DTCM_BASE);
        bench->start(CODE);
        for (const enum arm968_line line : GetParam()) {
            arm968_set_line(bench->cpu, line, true, 0);
        }
    }
};

TEST_P(OpenedMasks, OneRunDoesWhatSingleStepsDo)
{
    for (uint64_t cycles = 1; cycles < 60; cycles++) {
        core_bench run;
        core_bench stepped;
        prepare(&run);
        prepare(&stepped);
        (void)run.run(cycles);
        while (stepped.cycle() < cycles) {
            (void)stepped.step();
        }
        ASSERT_EQ(view_of(run.cpu), view_of(stepped.cpu)) << cycles;
        ASSERT_EQ(run.counters().interrupts, stepped.counters().interrupts);
        ASSERT_EQ(run.counters().fast_interrupts, stepped.counters().fast_interrupts);
        ASSERT_EQ(run.counters().exception_cycles, stepped.counters().exception_cycles);
        ASSERT_EQ(run.counters().interlock_cycles, stepped.counters().interlock_cycles);
    }
}

INSTANTIATE_TEST_SUITE_P(Exceptions, OpenedMasks,
                         ::testing::Values(std::vector<enum arm968_line>{ARM968_IRQ},
                                           std::vector<enum arm968_line>{ARM968_FIQ},
                                           std::vector<enum arm968_line>{ARM968_IRQ, ARM968_FIQ}));

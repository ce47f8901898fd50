/* translated_ports_test.cpp - words of the ports accessed from native code: the ports see the same
 * accesses at the same cycles as from the interpreter, and whatever they answer or do meanwhile
 * (wait, refuse, abort, raise an interrupt, bring the horizon nearer) has the same effects. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"

namespace
{

constexpr uint32_t PORTS_BASE = 0x10000000;
constexpr uint32_t ACKNOWLEDGE = 0x100; /* a store there takes the interrupt away */
constexpr uint32_t ABORT_AT = 0x10;
constexpr uint32_t IRQ_AT = 0x18;
constexpr uint32_t PROGRAM_AT = 0x100;
constexpr uint32_t CONDITIONAL_AT = PROGRAM_AT + 40; /* its conditional access */

/* Sums what the ports give, hands the sum back, and takes two ways through the program; r0 is the
 * base of the ports, r3 of DTCM, r6 an offset into the ports. */
const std::vector<uint32_t> PROGRAM = {
    ldr_imm(r2, r0, 4),
    add(r1, r1, r2),
    str_reg(r1, r0, r6),
    str_imm(r1, r3, 8),
    ldr_reg(r7, r0, r6),
    ldr_imm(r9, r0, 12),
    data_imm(AND, true, r10, r7, 1),
    when(NE, add_imm(r8, r8, 1)),
    when(NE, b(PROGRAM_AT + 32, PROGRAM_AT + 48)),
    ldr_imm(r11, r0, 16),
    when(EQ, str_imm(r11, r0, 20)),
    str_imm(r9, r0, 24),
    ldr_pre(r12, r3, 0),
    ldr_imm(r12, r0, 28),
    b(PROGRAM_AT + 56, PROGRAM_AT),
};

/* What the ports do at times, drawn from address and cycle: the same for both cores. */
struct habits {
    unsigned refuses, aborts, interrupts, ends; /* one in so many; 0: never */
};

class TranslatedPorts : public ::testing::TestWithParam<habits>
{
  protected:
    TranslatedPorts() : translator(on_demand()), it(&translator)
    {
        for (core_bench *bench : {&it.native, &it.reference}) {
            std::vector<logged_access> *log = &bench->outside.log;
            struct arm968 *cpu = bench->cpu;
            bench->outside.script = [this, cpu, log](struct arm968_access *access, uint64_t cycle) {
                return answer(cpu, access, cycle, log);
            };
            bench->arm(ABORT_AT, {subs_imm(pc, lr, 4)});
            bench->arm(IRQ_AT, {str_imm(r4, r0, ACKNOWLEDGE), subs_imm(pc, lr, 4)});
            bench->arm(PROGRAM_AT, PROGRAM);
            bench->set(0, PORTS_BASE);
            bench->set(3, DTCM_BASE);
            bench->set(6, 64);
            bench->set_mode(ARM968_SYSTEM, 0);
        }
        it.start(PROGRAM_AT);
    }

    static uint32_t draw(uint32_t address, uint64_t cycle)
    {
        uint32_t x = address * 2654435761u ^ static_cast<uint32_t>(cycle) * 40503u;
        x ^= x >> 15;
        x *= 2246822519u;
        return x ^ x >> 13;
    }
    static bool now(unsigned one_in, uint32_t drawn)
    {
        return one_in != 0 && drawn % one_in == 0;
    }

    enum arm968_reply answer(struct arm968 *cpu, struct arm968_access *access, uint64_t cycle,
                             std::vector<logged_access> *log) const
    {
        const uint32_t drawn = draw(access->address, cycle);
        const habits does = GetParam();
        if (access->address == PORTS_BASE + ACKNOWLEDGE) {
            arm968_set_line(cpu, ARM968_IRQ, false, cycle);
            return ARM968_REPLY_DONE;
        }
        if (now(does.refuses, drawn >> 3)) {
            return ARM968_REPLY_OUTSIDE;
        }
        log->push_back({*access, cycle});
        access->wait_cycles = drawn % 4;
        access->abort = now(does.aborts, drawn >> 5);
        if (access->kind == ARM968_READ) {
            access->data[0] = drawn;
        }
        if (now(does.interrupts, drawn >> 7)) {
            arm968_set_line(cpu, ARM968_IRQ, true, cycle + drawn % 50);
        }
        if (now(does.ends, drawn >> 9)) {
            arm968_limit_horizon(cpu, cycle + drawn % 30);
        }
        return ARM968_REPLY_DONE;
    }

    static enum arm968_stop run_one(core_bench *bench, uint64_t horizon)
    {
        const enum arm968_stop stop = arm968_run(bench->cpu, horizon);
        if (stop == ARM968_STOP_OUTSIDE) {
            arm968_access(bench->cpu)->data[0] = 77;
            arm968_access(bench->cpu)->wait_cycles = 9;
            arm968_access_done(bench->cpu);
        }
        return stop;
    }

    void run_both(uint64_t cycles, uint64_t longest)
    {
        const uint64_t end = it.reference.cycle() + cycles;
        while (it.reference.cycle() < end && !HasFailure()) {
            const uint64_t horizon = it.reference.cycle() + 1 + it.random() % longest;
            ASSERT_EQ(run_one(&it.native, horizon), run_one(&it.reference, horizon));
            ASSERT_EQ(view_of(it.native.cpu), view_of(it.reference.cpu));
            ASSERT_TRUE(same_counters(it.native.counters(), it.reference.counters()));
            ASSERT_TRUE(same_memories(it.native, it.reference));
        }
    }

    void expect_same_accesses() const
    {
        const std::vector<logged_access> &native = it.native.outside.log;
        const std::vector<logged_access> &reference = it.reference.outside.log;
        ASSERT_EQ(native.size(), reference.size());
        for (size_t i = 0; i < native.size(); i++) {
            ASSERT_EQ(native[i].cycle, reference[i].cycle) << i;
            ASSERT_EQ(native[i].access.address, reference[i].access.address) << i;
            ASSERT_EQ(native[i].access.kind, reference[i].access.kind) << i;
            ASSERT_EQ(native[i].access.privileged, reference[i].access.privileged) << i;
            if (native[i].access.kind == ARM968_WRITE) {
                ASSERT_EQ(native[i].access.data[0], reference[i].access.data[0]) << i;
            }
        }
    }

    translator_pointer translator;
    twins it;
};

TEST_P(TranslatedPorts, SeeWhatTheySeeOfTheInterpreter)
{
    run_both(5000, 400);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    run_both(200000, 2000);
    run_both(20000, 30);
    expect_same_accesses();
    EXPECT_GT(it.native_runs(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Each, TranslatedPorts,
                         ::testing::Values(habits{0, 0, 0, 0}, habits{7, 0, 0, 0},
                                           habits{0, 9, 0, 0}, habits{0, 0, 5, 0},
                                           habits{0, 0, 0, 6}, habits{23, 19, 11, 13}));

/* Where the ports answer everything at once and nothing else happens, native code is not left: one
 * run of it goes on to the end of its budget.  (Conditional accesses are the interpreter's.) */
TEST(TranslatedPortsAlone, DoNotEndARunOfNativeCode)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    it.arm(PROGRAM_AT, PROGRAM);
    it.arm(CONDITIONAL_AT, {nop()});
    for (core_bench *bench : {&it.native, &it.reference}) {
        bench->outside.regions = {{PORTS_BASE, 0x1000, REGION_ANSWERS, 3}};
        bench->set(0, PORTS_BASE);
        bench->set(3, DTCM_BASE);
        bench->set(6, 64);
    }
    it.start(PROGRAM_AT);
    it.run(5000, 400);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    it.run(20000, 20000);
    const uint64_t accesses = it.native.outside.log.size();
    const uint64_t runs = it.native_runs();
    it.run(200000, 20000);
    EXPECT_GT(it.native.outside.log.size() - accesses, 20000u);
    EXPECT_LT(it.native_runs() - runs, 200u);
}

} // namespace

/* interrupts_test.cpp - IRQ and FIQ at random cycles of random code: a core that runs freely enters
 * the exception at the same instruction boundary, cycle and state as one that is stepped.
 *
 * The boundary is decided here, on the stepped core: the first one at or after the cycle at which
 * the line is visible, if the mask is clear; FIQ before IRQ. */
#include "tests/cycles/trace.h"
#include "tests/support/arm_asm.h"

#include <random>

namespace
{

constexpr uint32_t IRQ_AT = 0x18;
constexpr uint32_t FIQ_AT = 0x1c;
constexpr uint32_t IRQ_HANDLER = 0x200;
constexpr uint32_t FIQ_HANDLER = 0x300;
constexpr uint64_t NEVER = UINT64_MAX;

struct pins {
    uint64_t visible[2]; /* by enum arm968_line; NEVER: not asserted */
};

void load_handlers(core_bench *bench)
{
    bench->arm(IRQ_AT, {b(IRQ_AT, IRQ_HANDLER), b(FIQ_AT, FIQ_HANDLER)});
    bench->arm(IRQ_HANDLER, {push({r0, r1, lr}), mrs_spsr(r0), ldr_imm(r1, sp, 4), add(r0, r0, r1),
                             str_imm(r0, sp, -32), pop({r0, r1, lr}), subs_imm(pc, lr, 4)});
    bench->arm(FIQ_HANDLER,
               {add_imm(r8, r8, 1), mul(r9, r8, r8), str_imm(r9, sp, -4), subs_imm(pc, lr, 4)});
    arm968_set_banked_register(bench->cpu, ARM968_IRQ_MODE, 13, DTCM_BASE + 0x1000);
    arm968_set_banked_register(bench->cpu, ARM968_FIQ_MODE, 13, DTCM_BASE + 0x2000);
}

/* The line that a core has to take at the boundary where it stands, or -1. */
int due(const core_bench &reference, const pins &pins)
{
    const uint64_t now = reference.cycle();
    const uint32_t cpsr = reference.cpsr();
    if (pins.visible[ARM968_FIQ] <= now && (cpsr & MASK_F) == 0) {
        return ARM968_FIQ;
    }
    return pins.visible[ARM968_IRQ] <= now && (cpsr & MASK_I) == 0 ? ARM968_IRQ : -1;
}

/* Steps the reference to the boundary at which an interrupt has to be taken, or to `end`. */
int step_to_interrupt(core_bench *reference, const pins &pins, uint32_t end)
{
    for (unsigned i = 0; i < 20000; i++) {
        const int line = due(*reference, pins);
        if (line >= 0 || reference->reg(15) == end) {
            return line;
        }
        (void)reference->step();
    }
    ADD_FAILURE() << "the program does not end";
    return -1;
}

void expect_entry(const core_bench &core, enum arm968_line line, const core_view &before,
                  uint64_t cycle)
{
    const bool fiq = line == ARM968_FIQ;
    const enum arm968_mode mode = fiq ? ARM968_FIQ_MODE : ARM968_IRQ_MODE;
    EXPECT_EQ(core.reg(15), fiq ? FIQ_AT : IRQ_AT);
    EXPECT_EQ(core.cycle(), cycle);
    EXPECT_EQ(core.reg(14), before.r[15] + 4);
    EXPECT_EQ(arm968_spsr(core.cpu, mode), before.cpsr);
    const uint32_t kept = before.cpsr & 0xf8000000u;
    const uint32_t masks = MASK_I | (fiq ? MASK_F : before.cpsr & MASK_F);
    EXPECT_EQ(core.cpsr(), kept | masks | mode);
    for (unsigned i = 0; i < (fiq ? 8u : 13u); i++) {
        EXPECT_EQ(core.reg(i), before.r[i]) << "r" << i;
    }
}

void raise(core_bench *core, pins *pins, std::mt19937 *random, uint64_t sync)
{
    for (const enum arm968_line line : {ARM968_IRQ, ARM968_FIQ}) {
        if (pins->visible[line] == NEVER && (line == ARM968_IRQ || (*random)() % 3 == 0)) {
            const uint64_t at = core->cycle() + (*random)() % 50;
            arm968_set_line(core->cpu, line, true, at);
            pins->visible[line] = at + sync;
        }
    }
}

/* Lets the stepped core take a line at the boundary where it stands. */
void take(core_bench *reference, int line, uint64_t sync)
{
    const uint64_t before = reference->cycle();
    arm968_set_line(reference->cpu, static_cast<enum arm968_line>(line), true, before - sync);
    (void)reference->step();
    EXPECT_EQ(reference->cycle(), before + 3) << "more than the entry, or less";
}

/* Both cores to the next entry, or to the end: then false.  An FIQ that has become visible during
 * the entry of an IRQ is taken before the first instruction of its handler. */
bool one_interrupt(core_bench *core, core_bench *reference, pins *pins, uint32_t end, uint64_t sync)
{
    int line = step_to_interrupt(reference, *pins, end);
    if (line < 0) { /* the core may already have gone some rounds of the last branch */
        EXPECT_EQ(arm968_run(core->cpu, reference->cycle()), ARM968_STOP_HORIZON);
        EXPECT_EQ(arm968_run(reference->cpu, core->cycle()), ARM968_STOP_HORIZON);
        EXPECT_EQ(view_of(core->cpu), view_of(reference->cpu));
        return false;
    }
    core_view before = {};
    int last = line;
    for (; line >= 0; line = due(*reference, *pins)) {
        before = view_of(reference->cpu);
        take(reference, line, sync);
        last = line;
        pins->visible[line] = NEVER;
    }
    EXPECT_EQ(arm968_run(core->cpu, reference->cycle()), ARM968_STOP_HORIZON);
    expect_entry(*core, static_cast<enum arm968_line>(last), before, before.cycle + 3);
    EXPECT_EQ(view_of(core->cpu), view_of(reference->cpu));
    for (const enum arm968_line acknowledged : {ARM968_IRQ, ARM968_FIQ}) {
        if (pins->visible[acknowledged] == NEVER) {
            arm968_set_line(reference->cpu, acknowledged, false, reference->cycle());
            arm968_set_line(core->cpu, acknowledged, false, core->cycle());
        }
    }
    return !::testing::Test::HasFailure();
}

void check(uint32_t seed, bool in_advance)
{
    const random_program program = make_random_program(seed, (seed & 1) != 0, 40);
    std::mt19937 random(seed);
    bench_config config;
    const uint64_t sync = random() % 4;
    config.timing.interrupt_sync = static_cast<uint16_t>(sync);
    core_bench core(config);
    core_bench reference(config);
    for (core_bench *bench : {&core, &reference}) {
        load_random_program(bench, program);
        load_handlers(bench);
    }
    pins pins = {{NEVER, NEVER}};
    for (unsigned i = 0; i < 8; i++) {
        const bool quiet = pins.visible[ARM968_IRQ] == NEVER && pins.visible[ARM968_FIQ] == NEVER;
        if (!in_advance && quiet) {
            ASSERT_EQ(core.run(random() % 40), ARM968_STOP_HORIZON);
        }
        raise(&core, &pins, &random, sync);
        if (!one_interrupt(&core, &reference, &pins, program.end, sync)) {
            break;
        }
    }
    EXPECT_TRUE(same_memories(core, reference));
    EXPECT_TRUE(same_counters(core.counters(), reference.counters()));
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << program.listing();
    }
}

} // namespace

TEST(Interrupts, EntriesKnownInAdvanceComeAtTheExactBoundary)
{
    for (uint32_t seed = 70000; seed < 73000 && !HasFailure(); seed++) {
        check(seed, true);
    }
}

TEST(Interrupts, EntriesRaisedAtAStopComeAtTheExactBoundary)
{
    for (uint32_t seed = 80000; seed < 83000 && !HasFailure(); seed++) {
        check(seed, false);
    }
}

/* Only in a table with a latency above the cost of an entry: what the interrupted code would have
 * overwritten unread is still on its way when the handler reads it. */
TEST(Interrupts, AResultThatOutlastsTheEntryHoldsUpTheHandler)
{
    bench_config config;
    config.timing.exception_entry = 1;
    config.timing.load_result = 6;
    config.timing.interrupt_sync = 0;
    core_bench bench(config);
    bench.arm(CODE_BASE, {ldr_imm(r0, r1), mov_imm(r0, 1), branch_to_self()});
    bench.arm(IRQ_AT, {add(r2, r0, r0)});
    bench.set(1, DTCM_BASE);
    arm968_set_cpsr(bench.cpu, ARM968_SYSTEM);
    bench.start(CODE_BASE);
    arm968_set_line(bench.cpu, ARM968_IRQ, true, 1);
    EXPECT_EQ(arm968_run(bench.cpu, 3), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.reg(15), FIQ_AT);
    EXPECT_EQ(bench.cycle(), 1u + 1u + 5u + 1u); /* load, entry, stall, add */
}

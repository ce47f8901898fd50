/* ahead_test.cpp - cores that run ahead and are taken back, by interpreter and native code: all of
 * them is as it was, and what they do then is what a core does that never went ahead.  And accesses
 * that ports perform at once, in the middle of blocks, beside the same performed outside. */
#include "tests/cycles/twins.h"
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"

#include <algorithm>

namespace
{

constexpr uint32_t IRQ_AT = 0x18;
constexpr uint32_t FIQ_AT = 0x1c;
constexpr uint32_t HANDLER = 0x200;
constexpr unsigned PROGRAMS = 40;
constexpr unsigned UNDO_LOG_WORDS = 4096; /* AHEAD_UNDO_WORDS */

struct whole_state {
    struct arm968_snapshot snapshot;
    std::vector<uint8_t> itcm, dtcm;
};

whole_state state_of(const core_bench &bench)
{
    whole_state state;
    memset(&state.snapshot, 0, sizeof state.snapshot);
    (void)bench.counters();
    arm968_save(bench.cpu, &state.snapshot);
    state.itcm = bench.itcm;
    state.dtcm = bench.dtcm;
    return state;
}

void expect_state(const core_bench &bench, const whole_state &before)
{
    const whole_state now = state_of(bench);
    ASSERT_TRUE(same_counters(now.snapshot.counters, before.snapshot.counters));
    ASSERT_EQ(memcmp(&now.snapshot, &before.snapshot, sizeof now.snapshot), 0);
    ASSERT_TRUE(now.itcm == before.itcm);
    ASSERT_TRUE(now.dtcm == before.dtcm);
}

void expect_same(const core_bench &one, const core_bench &other)
{
    ASSERT_EQ(view_of(one.cpu), view_of(other.cpu));
    ASSERT_TRUE(same_counters(one.counters(), other.counters()));
    ASSERT_TRUE(same_memories(one, other));
}

/* Handlers that use their stacks, so that entries and returns are a part of what is taken back. */
void load_handlers(core_bench *bench)
{
    bench->arm(IRQ_AT, {b(IRQ_AT, HANDLER), b(FIQ_AT, HANDLER)});
    bench->arm(HANDLER,
               {push({r0, r1, lr}), mrs_spsr(r0), str_imm(r0, sp, -8), strb_imm(r1, sp, -9),
                strh_imm(r1, sp, -12), pop({r0, r1, lr}), subs_imm(pc, lr, 4)});
    arm968_set_banked_register(bench->cpu, ARM968_IRQ_MODE, 13, DTCM_BASE + 0xd000);
    arm968_set_banked_register(bench->cpu, ARM968_FIQ_MODE, 13, DTCM_BASE + 0xe000);
}

void set_lines(core_bench *bench, uint32_t choice, uint64_t cycle)
{
    for (const enum arm968_line line : {ARM968_IRQ, ARM968_FIQ}) {
        arm968_set_line(bench->cpu, line,
                        (choice >> (4 * line) & 3) == 0 || arm968_waiting(bench->cpu),
                        cycle + (choice >> 8 & 15));
    }
}

/* Runs up to a cycle, whatever stops it but what cannot be taken back. */
enum arm968_stop run_to(core_bench *bench, uint64_t horizon)
{
    for (;;) {
        const enum arm968_stop stop = arm968_run(bench->cpu, horizon);
        if (stop == ARM968_STOP_AHEAD || bench->cycle() >= horizon) {
            return stop;
        }
    }
}

/* A core that goes ahead now and then, and a twin that never does. */
struct pair {
    core_bench *ahead, *twin;
    std::mt19937 random;
    uint64_t native_runs = 0, taken_back = 0, stopped = 0;

    void both(uint64_t horizon, uint32_t lines)
    {
        for (core_bench *bench : {ahead, twin}) {
            set_lines(bench, lines, twin->cycle());
            (void)run_to(bench, horizon);
        }
        expect_same(*ahead, *twin);
    }

    void one_step(uint64_t longest)
    {
        const whole_state before = state_of(*ahead);
        const uint64_t runs = arm968_native_runs(ahead->cpu);
        const uint64_t from = ahead->cycle();
        const uint64_t horizon = from + 1 + random() % longest;
        const auto lines = static_cast<uint32_t>(random());
        arm968_ahead_begin(ahead->cpu);
        set_lines(ahead, lines, from);
        enum arm968_stop stop = run_to(ahead, from + (horizon - from) / 2);
        if (stop != ARM968_STOP_AHEAD) {
            stop = run_to(ahead, horizon);
        }
        stopped += stop == ARM968_STOP_AHEAD;
        native_runs += arm968_native_runs(ahead->cpu) - runs;
        if (random() % 3 != 0) {
            arm968_ahead_roll_back(ahead->cpu);
            expect_state(*ahead, before);
            taken_back++;
        } else { /* so it was: the twin comes there, too */
            arm968_ahead_settle(ahead->cpu);
            set_lines(twin, lines, from);
            (void)run_to(twin, from + (horizon - from) / 2 < ahead->cycle()
                                   ? from + (horizon - from) / 2
                                   : ahead->cycle());
            (void)run_to(twin, ahead->cycle());
            expect_same(*ahead, *twin);
        }
    }

    void run(uint64_t cycles, uint64_t longest)
    {
        const uint64_t end = twin->cycle() + cycles;
        while (twin->cycle() < end && !::testing::Test::HasFailure()) {
            one_step(longest);
            if (!::testing::Test::HasFailure()) {
                both(twin->cycle() + 1 + random() % (longest / 2), static_cast<uint32_t>(random()));
            }
        }
    }
};

void load(core_bench *bench, const random_program &program)
{
    load_random_program(bench, program);
    load_handlers(bench);
    bench->start(program.entry, program.thumb);
}

/* From the start again, with the same code. */
void again(core_bench *bench, const random_program &program)
{
    load_random_state(bench, program);
    for (const enum arm968_line line : {ARM968_IRQ, ARM968_FIQ}) {
        arm968_set_line(bench->cpu, line, false, bench->cycle());
    }
}

void random_programs(bool translated)
{
    uint64_t native_runs = 0;
    uint64_t taken_back = 0;
    uint64_t stopped = 0;
    const uint64_t count = amount("SPINNSIM_AHEAD_PROGRAMS", translated ? 6 : PROGRAMS);
    for (uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); seed++) {
        const bool thumb = seed % 3 == 2;
        const random_program program = make_random_program(9000 + seed, thumb, thumb ? 110 : 500);
        translator_pointer translator = on_demand();
        {
            core_bench ahead(configured(translated ? translator.get() : nullptr, nullptr));
            core_bench twin;
            pair pair = {&ahead, &twin, std::mt19937(seed)};
            for (core_bench *bench : {&ahead, &twin}) {
                load(bench, program);
                for (unsigned i = 0; i < 3000 && bench->reg(15) != program.end; i++) {
                    (void)bench->run(100);
                }
                (void)arm968_run(bench->cpu, 400000); /* both have come to the end */
            }
            if (translated) {
                EXPECT_TRUE(arm968_translate(ahead.cpu));
            }
            for (const uint64_t longest : {40u, 400u, 4000u}) {
                again(&ahead, program);
                again(&twin, program);
                pair.run(longest * 40, longest);
            }
            native_runs += pair.native_runs;
            taken_back += pair.taken_back;
            stopped += pair.stopped;
            translator.reset(); /* before its core */
        }
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << program.listing();
        }
    }
    EXPECT_GT(taken_back, 20 * count);
    EXPECT_GT(stopped, count / 4); /* before stores to ITCM */
    if (translated) {
        EXPECT_GT(native_runs, 10 * count);
    }
}

} // namespace

/* ---- taken back ---- */

TEST(Ahead, RandomProgramsAreTakenBack)
{
    random_programs(false);
}

TEST(Ahead, TranslatedProgramsAreTakenBack)
{
    random_programs(true);
}

/* Each way to store, sleep and change the mode, by itself. */
TEST(Ahead, EveryStoreIsTakenBack)
{
    static const std::vector<uint32_t> PIECES[] = {
        {str_imm(r1, r9, 4)},
        {str_imm(r1, r9, 5)}, /* misaligned */
        {strb_imm(r1, r9, 7)},
        {strh_imm(r1, r9, 6)},
        {strd_imm(r2, r9, 8)},
        {stm(r9, {r1, r2, r3, r4})},
        {stm_w(r9, {r1, r2, r3, r4, r5, r6, r7})},
        {block_transfer(false, DB, r9, true, 0x1ff, true)},
        {push({r0, r1, r2}), pop({r3, r4, r5})},
        {swp(r1, r2, r9)},
        {swpb(r1, r2, r9)},
        {str_pre(r1, r9, 16), str_post(r2, r9, 4)},
        {movs(r1, r1), when(NE, str_imm(r1, r9)), when(EQ, str_imm(r2, r9))},
        {msr_cpsr_imm(PSR_C, ARM968_FIQ_MODE | 0xc0), str_imm(r1, r8, 12), mov_imm(r8, 5),
         msr_cpsr_imm(PSR_C, ARM968_SYSTEM)},
        {swi(3), str_imm(r1, r9)},
        {str_imm(r1, r9), wait_for_interrupt(), str_imm(r2, r9, 4)},
        {undefined_word(), str_imm(r1, r9)},
    };
    for (const std::vector<uint32_t> &piece : PIECES) {
        for (unsigned cycles = 1; cycles < 30; cycles++) {
            core_bench bench;
            load_handlers(&bench);
            bench.arm(0x04, {movs(pc, lr), movs(pc, lr)});
            bench.arm(CODE_BASE, piece);
            bench.arm(CODE_BASE + 4 * static_cast<uint32_t>(piece.size()), {branch_to_self()});
            bench.set_mode(ARM968_SYSTEM, 0);
            arm968_set_banked_register(bench.cpu, ARM968_FIQ_MODE, 8, DTCM_BASE + 0x300);
            for (unsigned i = 0; i < 9; i++) {
                bench.set(i, 0x01010101 * (i + 1));
            }
            bench.set(9, DTCM_BASE + 0x200);
            bench.set(13, DTCM_BASE + 0x400);
            bench.start(CODE_BASE);
            const whole_state before = state_of(bench);
            arm968_ahead_begin(bench.cpu);
            arm968_set_line(bench.cpu, ARM968_IRQ, true, bench.cycle() + cycles);
            (void)arm968_run(bench.cpu, bench.cycle() + cycles);
            (void)arm968_run(bench.cpu, bench.cycle() + 40);
            EXPECT_GT(bench.cycle(), before.snapshot.cycle);
            EXPECT_FALSE(bench.dtcm == before.dtcm);
            arm968_ahead_roll_back(bench.cpu);
            expect_state(bench, before);
        }
    }
}

/* More stores than are kept, one by one and several at a time. */
void fill_undo_log(bool translated, const std::vector<uint32_t> &body, unsigned words)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    it.arm(CODE_BASE, {mov_imm(r8, DTCM_BASE), mov_imm(r7, 0x400)}); /* 1024 rounds */
    uint32_t at = CODE_BASE + 8;
    it.arm(at, body);
    at += 4 * static_cast<uint32_t>(body.size());
    it.arm(at, {subs_imm(r7, r7, 1), when(NE, b(at + 4, CODE_BASE + 8)), b(at + 8, CODE_BASE)});
    it.start(CODE_BASE);
    it.run(40000, 1000);
    if (translated) {
        ASSERT_TRUE(arm968_translate(it.native.cpu));
        it.run(40000, 1000);
    }
    core_bench &bench = it.native;
    for (unsigned i = 0; i < 6 && !::testing::Test::HasFailure(); i++) {
        const whole_state before = state_of(bench);
        const uint64_t runs = it.native_runs();
        arm968_ahead_begin(bench.cpu);
        ASSERT_EQ(arm968_run(bench.cpu, bench.cycle() + 1000000), ARM968_STOP_AHEAD);
        const uint64_t stored =
            bench.counters().words_stored - before.snapshot.counters.words_stored;
        EXPECT_LE(stored, UNDO_LOG_WORDS);
        EXPECT_GT(stored + words, UNDO_LOG_WORDS / 2);
        EXPECT_EQ(it.native_runs() > runs, translated);
        ASSERT_EQ(arm968_run(bench.cpu, bench.cycle() + 10), ARM968_STOP_AHEAD); /* still there */
        if (i % 2 == 0) {
            arm968_ahead_roll_back(bench.cpu);
            expect_state(bench, before);
        } else {
            arm968_ahead_settle(bench.cpu);
            (void)arm968_run(it.reference.cpu, bench.cycle());
            expect_same(bench, it.reference);
        }
        it.run(10000, 1000);
    }
}

TEST(Ahead, AJournalFills)
{
    for (const bool translated : {false, true}) {
        fill_undo_log(translated, {str_post(r1, r8, 4), add_imm(r1, r1, 1)}, 1);
        fill_undo_log(translated, {strb_imm(r1, r8, 1), data_reg(ADD, false, r1, r1, r7)}, 1);
        fill_undo_log(translated, {stm(r8, {r0, r1, r2, r3, r4, r5}), add_imm(r2, r2, 1)}, 6);
        fill_undo_log(translated, {strd_imm(r2, r8, 8), add_imm(r2, r2, 1)}, 2);
        fill_undo_log(translated, {swp(r2, r7, r8), add_imm(r7, r7, 0)}, 1);
    }
}

TEST(Ahead, StoresIntoCodeWait)
{
    for (const uint32_t store : {str_imm(r1, r2), strb_imm(r1, r2), strh_imm(r1, r2),
                                 swp(r3, r1, r2), stm(r2, {r1, r4}), strd_imm(r4, r2)}) {
        core_bench bench;
        bench.arm(CODE_BASE, {mov_imm(r0, 1), str_imm(r0, r9), store, mov_imm(r5, 7), nop(), nop(),
                              mov_imm(r6, 1), branch_to_self()});
        bench.set(1, mov_imm(r6, 2));
        bench.set(2, CODE_BASE + 24);
        bench.set(4, mov_imm(r6, 3));
        bench.set(9, DTCM_BASE);
        bench.start(CODE_BASE);
        const whole_state before = state_of(bench);
        arm968_ahead_begin(bench.cpu);
        EXPECT_EQ(bench.run(1000), ARM968_STOP_AHEAD);
        EXPECT_EQ(bench.reg(15), CODE_BASE + 8);
        EXPECT_TRUE(bench.itcm == before.itcm);
        arm968_ahead_roll_back(bench.cpu);
        expect_state(bench, before);
        arm968_ahead_begin(bench.cpu);
        EXPECT_EQ(bench.run(1000), ARM968_STOP_AHEAD);
        arm968_ahead_settle(bench.cpu);
        EXPECT_EQ(bench.run(100), ARM968_STOP_HORIZON);
        EXPECT_FALSE(bench.itcm == before.itcm);
        EXPECT_EQ(bench.reg(0), 1u);
        EXPECT_NE(bench.reg(6), 1u) << std::hex << store;
    }
}

/* ---- accesses performed at once ---- */

namespace
{

constexpr uint32_t OUTSIDE = 0x60000000;
constexpr uint32_t TARGETS = 0x60010000; /* words to load into pc */
constexpr uint32_t ACKNOWLEDGE = 0x60020000;

uint32_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return static_cast<uint32_t>(value >> 29 ^ value);
}

/* What an access does beside moving its data: the same for two cores. */
struct effect {
    uint32_t wait_cycles;
    bool aborts, ends, raises, lowers;
    uint64_t end_cycle, raise_cycle;
};

effect effect_of(const struct arm968_access &access, uint64_t cycle, uint32_t seed)
{
    const uint32_t choice = mix(cycle * 977 + access.address + seed);
    return {choice >> 4 & 7,
            choice % 23 == 0,
            choice % 5 == 0,
            choice % 3 == 0,
            access.address == ACKNOWLEDGE,
            cycle + (choice >> 12) % 60,
            cycle + (choice >> 20) % 40};
}

void apply(core_bench *bench, struct arm968_access *access, const effect &effect, uint64_t cycle)
{
    access->wait_cycles = effect.wait_cycles;
    access->abort = effect.aborts && access->address < TARGETS;
    if (!access->abort) {
        bench->outside.perform(access);
    }
    if (effect.lowers) {
        arm968_set_line(bench->cpu, ARM968_IRQ, false, cycle);
    } else if (effect.raises) {
        arm968_set_line(bench->cpu, ARM968_IRQ, true, effect.raise_cycle);
    }
}

/* Loads and stores of all kinds outside among others, with conditions, bursts and jumps. */
std::vector<uint32_t> outside_code(uint32_t seed, core_bench *one, core_bench *other)
{
    std::mt19937 random(seed);
    std::vector<uint32_t> code;
    uint32_t target = TARGETS;
    const auto here = [&code] { return CODE_BASE + 4 * static_cast<uint32_t>(code.size()); };
    const auto jump = [&](uint32_t to, uint32_t at) {
        one->outside.write(at, 4, to);
        other->outside.write(at, 4, to);
    };
    for (unsigned i = 0; i < 150; i++) {
        const unsigned d = random() % 7;
        const auto offset = static_cast<int32_t>(4 * (random() % 32));
        const auto odd = static_cast<int32_t>(random() % 128);
        const unsigned low = d & 6;
        uint32_t insn = 0;
        switch (random() % 17) {
        case 0:
            insn = ldr_imm(d, r9, offset);
            break;
        case 1:
            insn = ldr_imm(d, r9, odd); /* rotated */
            break;
        case 2:
            insn = str_imm(d, r9, offset);
            break;
        case 3:
            insn = random() % 2 == 0 ? ldrb_imm(d, r9, odd) : ldrsb_imm(d, r9, odd);
            break;
        case 4:
            insn = random() % 2 == 0 ? ldrsh_imm(d, r9, offset) : strh_imm(d, r9, offset);
            break;
        case 5:
            insn = ldm(r9, {0, 2, 5});
            break;
        case 6:
            insn = stm(r9, {1, 3, 4, 6});
            break;
        case 7:
            insn = random() % 2 == 0 ? swp(d, (d + 1) % 7, r9) : swpb(d, (d + 1) % 7, r9);
            break;
        case 8:
            insn = random() % 2 == 0 ? ldrd_imm(low < 6 ? low : 4, r9, 8)
                                     : strd_imm(low < 6 ? low : 4, r9, 16);
            break;
        case 9: /* to the next instruction */
            jump(here() + 4, target);
            code.push_back(ldr_post(pc, r10, 4));
            target += 4;
            continue;
        case 10:
            jump(7 * i, target);
            jump(here() + 4, target + 4);
            code.push_back(ldm_w(r10, {r3, pc}));
            target += 8;
            continue;
        case 11:
            insn = str_imm(d, r8, offset);
            break;
        case 12:
            insn = ldr_imm(d, r8, odd);
            break;
        case 13:
            insn = mla(d, (d + 1) % 7, (d + 2) % 7, (d + 3) % 7);
            break;
        default:
            insn = data_reg(static_cast<arm_data_op>(random() % 8), random() % 2 == 0, d,
                            random() % 7, random() % 7);
            break;
        }
        code.push_back(random() % 3 == 0 ? when(static_cast<arm_condition>(random() % 14), insn)
                                         : insn);
    }
    code.push_back(mov(r10, r11));
    code.push_back(b(here(), CODE_BASE));
    return code;
}

/* One core whose port does it at once, one for which the test does it. */
struct performers {
    core_bench *at_once, *outside;
    uint32_t seed;
    uint64_t accesses = 0;

    void prepare()
    {
        at_once->outside.script = [this](struct arm968_access *access, uint64_t cycle) {
            const effect effect = effect_of(*access, cycle, seed);
            apply(at_once, access, effect, cycle);
            if (effect.ends) {
                arm968_limit_horizon(at_once->cpu, effect.end_cycle);
            }
            accesses++;
            return ARM968_REPLY_DONE;
        };
        outside->outside.script = [](struct arm968_access *, uint64_t) {
            return ARM968_REPLY_OUTSIDE;
        };
    }
    void step(uint64_t horizon)
    {
        const enum arm968_stop stop = arm968_run(at_once->cpu, horizon);
        enum arm968_stop other = arm968_run(outside->cpu, horizon);
        for (; other == ARM968_STOP_OUTSIDE; other = arm968_run(outside->cpu, horizon)) {
            struct arm968_access *access = arm968_access(outside->cpu);
            const uint64_t cycle = outside->cycle();
            const effect effect = effect_of(*access, cycle, seed);
            apply(outside, access, effect, cycle);
            arm968_access_done(outside->cpu);
            horizon = effect.ends ? std::min(horizon, effect.end_cycle) : horizon;
        }
        ASSERT_EQ(stop, other);
        expect_same(*at_once, *outside);
        ASSERT_EQ(at_once->outside.words, outside->outside.words);
    }
};

void perform_at_once(uint32_t seed, bool translated, uint64_t *runs)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    performers both = {&it.native, &it.reference, seed};
    both.prepare();
    const std::vector<uint32_t> code = outside_code(seed, &it.native, &it.reference);
    it.arm(0x10, {subs_imm(pc, lr, 4)});
    it.arm(IRQ_AT, {b(IRQ_AT, HANDLER)});
    it.arm(HANDLER, {str_imm(r0, sp, -4), str_imm(r0, r12), subs_imm(pc, lr, 4)});
    it.arm(CODE_BASE, code);
    for (core_bench *bench : {&it.native, &it.reference}) {
        bench->set_mode(ARM968_SYSTEM, MASK_F);
        arm968_set_banked_register(bench->cpu, ARM968_IRQ_MODE, 13, DTCM_BASE + 0x800);
        for (unsigned i = 0; i < 7; i++) {
            bench->set(i, seed * (2 * i + 1) * 2654435761u);
        }
        bench->set(8, DTCM_BASE);
        bench->set(9, OUTSIDE);
        bench->set(10, TARGETS);
        bench->set(11, TARGETS);
        bench->set(12, ACKNOWLEDGE);
        bench->start(CODE_BASE);
    }
    std::mt19937 random(seed);
    for (unsigned i = 0; i < 600 && !::testing::Test::HasFailure(); i++) {
        both.step(it.reference.cycle() + 1 + random() % (i % 2 == 0 ? 30 : 2000));
        if (i == 200 && translated) {
            EXPECT_TRUE(arm968_translate(it.native.cpu));
        }
    }
    EXPECT_GT(both.accesses, 1000u);
    EXPECT_GT(it.reference.counters().interrupts, 100u);
    *runs += it.native_runs();
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << seed;
    }
}

} // namespace

TEST(Ahead, PortsPerformAtOnceWhatOthersDoOutside)
{
    uint64_t runs = 0;
    for (uint32_t seed = 1; seed < 60 && !HasFailure(); seed++) {
        perform_at_once(seed, false, &runs);
    }
    EXPECT_EQ(runs, 0u);
}

TEST(Ahead, PortsPerformAtOnceBetweenNativeCode)
{
    uint64_t runs = 0;
    for (uint32_t seed = 61; seed < 66 && !HasFailure(); seed++) {
        perform_at_once(seed, true, &runs);
    }
    EXPECT_GT(runs, 100u);
}

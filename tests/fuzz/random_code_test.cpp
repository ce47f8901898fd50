/* random_code_test.cpp - random words as code, in both states and all modes, with an outside that
 * answers, waits, aborts and stops at random.  Nothing may crash, hang, or run past its horizon by
 * more than one instruction; and a core that runs freely must end where a stepped one does. */
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace
{

enum : unsigned {
    TRANSLATED = 40,
    PROGRAMS = 2000,
    CYCLES = 2000,
    STOPS = 20000,
    EVENT_CYCLES = 100,
    STARTS = 16, /* of one image */
    NATIVE_ROUNDS = 200
};

/* LDM of 16 registers with pc from ITCM 20 + 16, its interlock 2, an exception's entry 3, the wait
 * of its fetch and of its access. */
constexpr uint64_t LONGEST_WAIT = 15;
constexpr uint64_t LONGEST_INSN = 20 + 16 + 2 + 3 + 2 * LONGEST_WAIT;

uint32_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return static_cast<uint32_t>(value ^ value >> 32);
}

/* The outside: a function of seed, address and cycle alone, so that two cores find the same. */
struct random_world {
    uint32_t seed;

    void perform(struct arm968_access *access, uint64_t cycle) const
    {
        const uint32_t choice = mix(access->address ^ static_cast<uint64_t>(seed) << 32 ^ cycle);
        access->wait_cycles = choice >> 8 & LONGEST_WAIT;
        access->abort = choice % 8 == 0;
        for (unsigned i = 0; i < access->words && access->kind != ARM968_WRITE; i++) {
            access->data[i] = mix(choice + i);
        }
    }

    enum arm968_reply answer(struct arm968_access *access, uint64_t cycle) const
    {
        if (mix(access->address + cycle) % 4 == 0) {
            return ARM968_REPLY_OUTSIDE;
        }
        perform(access, cycle);
        return ARM968_REPLY_DONE;
    }
};

struct random_setup {
    uint32_t seed;
    bool thumb;
    bool likely; /* code that gets far: exceptions return, registers mostly point into the TCMs */
};

bench_config config_of(const random_setup &setup, struct arm968_translator *translator = nullptr)
{
    bench_config config;
    config.translator = translator;
    std::mt19937 random(setup.seed);
    const uint32_t bits = CONTROL_A | CONTROL_W | CONTROL_L4 | (setup.likely ? 0 : CONTROL_V);
    config.control = CONTROL_LOW | (static_cast<uint32_t>(random()) & bits);
    config.semihosting = setup.seed % 3 == 0;
    return config;
}

/* A random word; in likely code mostly with condition AL, and now and then one that random words
 * hardly ever are. */
uint32_t random_word(const random_setup &setup, std::mt19937 *random)
{
    static const uint32_t RARE[] = {wait_for_interrupt(),
                                    read_control(r3),
                                    mcr(15, 0, r4, 13, 0, 1),
                                    mrc(15, 0, pc, 0, 0, 0),
                                    msr_cpsr_imm(PSR_C, ARM968_SYSTEM),
                                    msr_cpsr_imm(PSR_C, ARM968_IRQ_MODE),
                                    msr_cpsr(PSR_ALL, r5),
                                    mrs_spsr(r6),
                                    swp(r1, r2, r3),
                                    swpb(r4, r5, r6),
                                    qadd(r1, r2, r3),
                                    clz(r5, r6),
                                    bx(r7),
                                    blx(r8),
                                    movs(pc, lr),
                                    ldrt(r1, r2, 4),
                                    block_transfer(true, IA, r9, true, 0xf00f),
                                    block_transfer(false, DB, r10, true, 0x7ff0, true),
                                    ldrd_imm(r2, r4, 8),
                                    bkpt(3)};
    const auto word = static_cast<uint32_t>((*random)());
    if (!setup.likely || setup.thumb) {
        return word;
    }
    if (word % 16 == 0) {
        return RARE[word / 16 % (sizeof RARE / sizeof *RARE)];
    }
    return word % 4 == 1 ? word : (word & 0x0fffffff) | 0xe0000000;
}

void fill_memories(core_bench *bench, const random_setup &setup, std::mt19937 *random)
{
    for (size_t i = 0; i < bench->itcm.size(); i += 4) {
        const uint32_t word = random_word(setup, random);
        memcpy(&bench->itcm[i], &word, sizeof word);
    }
    for (size_t i = 0; i < bench->dtcm.size(); i += 4) {
        const auto word = static_cast<uint32_t>((*random)());
        memcpy(&bench->dtcm[i], &word, sizeof word);
    }
    if (setup.likely) { /* on behind the instruction, or back to where an interrupt came */
        const uint32_t vectors[8] = {movs(pc, lr),        movs(pc, lr),        movs(pc, lr),
                                     subs_imm(pc, lr, 0), subs_imm(pc, lr, 4), movs(pc, lr),
                                     subs_imm(pc, lr, 4), subs_imm(pc, lr, 4)};
        memcpy(bench->itcm.data(), vectors, sizeof vectors);
    }
    arm968_code_written(bench->cpu, ITCM_BASE, ITCM_BYTES);
}

void prepare(core_bench *bench, const random_setup &setup)
{
    static const enum arm968_mode MODES[7] = {ARM968_SYSTEM,    ARM968_USER,  ARM968_IRQ_MODE,
                                              ARM968_FIQ_MODE,  ARM968_ABORT, ARM968_UNDEFINED,
                                              ARM968_SUPERVISOR};
    std::mt19937 random(setup.seed + 1);
    const random_world world = {setup.seed};
    bench->outside.script = [world](struct arm968_access *access, uint64_t cycle) {
        return world.answer(access, cycle);
    };
    fill_memories(bench, setup, &random);
    const auto mode = MODES[random() % 7];
    arm968_set_cpsr(bench->cpu, (static_cast<uint32_t>(random()) & 0xf80000c0u) | mode);
    for (unsigned i = 0; i < 15; i++) {
        const auto value = static_cast<uint32_t>(random());
        const uint32_t places[4] = {value, value % ITCM_BYTES, DTCM_BASE + value % DTCM_BYTES,
                                    DTCM_BASE + (value % DTCM_BYTES & ~3u)};
        bench->set(i, places[setup.likely ? 1 + random() % 3 : random() % 4]);
    }
    bench->start(static_cast<uint32_t>(random()) % ITCM_BYTES & ~3u, setup.thumb);
}

void expect_sane(const core_bench &bench)
{
    const uint32_t cpsr = bench.cpsr();
    const uint32_t mode = cpsr & 0x1f;
    ASSERT_TRUE(mode == 0x10 || mode == 0x11 || mode == 0x12 || mode == 0x13 || mode == 0x17 ||
                mode == 0x1b || mode == 0x1f);
    ASSERT_EQ(cpsr & 0x07ffff00u, 0u);
    ASSERT_EQ(bench.reg(15) & ((cpsr & STATE_T) != 0 ? 1u : 3u), 0u);
    ASSERT_EQ(bench.counters().active_cycles + bench.counters().sleep_cycles, bench.cycle());
}

/* Runs to a cycle; every stop but the horizon is dealt with.  step: the longest way between two
 * horizons. */
void run_until(core_bench *bench, const random_world &world, uint64_t target, uint64_t step)
{
    unsigned stops = 0;
    while (bench->cycle() < target && !::testing::Test::HasFatalFailure()) {
        const uint64_t before = bench->cycle();
        const uint64_t horizon = std::min(before + step, target);
        const enum arm968_stop stop = arm968_run(bench->cpu, horizon);
        ASSERT_GE(bench->cycle(), before);
        ASSERT_LE(bench->cycle(), horizon + LONGEST_INSN);
        if (stop == ARM968_STOP_HORIZON) {
            ASSERT_GE(bench->cycle(), horizon);
        } else if (stop == ARM968_STOP_OUTSIDE) {
            world.perform(arm968_access(bench->cpu), bench->cycle());
            arm968_access_done(bench->cpu);
        }
        ASSERT_LT(++stops, static_cast<unsigned>(STOPS)) << "no progress";
    }
}

void change_lines(core_bench *bench, uint32_t seed, unsigned event)
{
    const uint32_t choice = mix(seed * UINT64_C(977) + event);
    for (const enum arm968_line line : {ARM968_IRQ, ARM968_FIQ}) {
        const bool random = (choice >> 4 * line & 7) == 0;
        arm968_set_line(bench->cpu, line, random || arm968_waiting(bench->cpu), bench->cycle());
    }
}

void bounded_run(const random_setup &setup)
{
    core_bench bench(config_of(setup));
    prepare(&bench, setup);
    const random_world world = {setup.seed};
    std::mt19937 random(setup.seed + 2);
    for (unsigned event = 0; event * EVENT_CYCLES < CYCLES; event++) {
        run_until(&bench, world, (event + 1) * EVENT_CYCLES, 1 + random() % 200);
        expect_sane(bench);
        if (::testing::Test::HasFatalFailure()) {
            return;
        }
        change_lines(&bench, setup.seed, event);
        if (random() % 4 == 0) { /* whatever an owner may do between runs */
            struct arm968_snapshot snapshot;
            arm968_save(bench.cpu, &snapshot);
            arm968_load(bench.cpu, &snapshot);
        }
        if (random() % 4 == 0) {
            ASSERT_EQ(arm968_add_mark(bench.cpu, bench.reg(15) + 4 * (random() % 8)), STATUS_OK);
        }
        if (random() % 8 == 0) {
            arm968_clear_stops(bench.cpu);
            arm968_code_written(bench.cpu, static_cast<uint32_t>(random()), 4);
        }
        if (random() % 16 == 0) {
            arm968_reset(bench.cpu);
        }
    }
}

/* The same program in steps of one instruction and in long runs. */
void compare_runs(const random_setup &setup)
{
    core_bench whole(config_of(setup));
    core_bench stepped(config_of(setup));
    prepare(&whole, setup);
    prepare(&stepped, setup);
    const random_world world = {setup.seed};
    for (unsigned event = 0; event * EVENT_CYCLES < CYCLES; event++) {
        const uint64_t target = std::max<uint64_t>((event + 1) * EVENT_CYCLES, whole.cycle() + 1);
        run_until(&whole, world, target, CYCLES);
        run_until(&stepped, world, target, 1);
        ASSERT_EQ(view_of(whole.cpu), view_of(stepped.cpu)) << "seed " << setup.seed;
        change_lines(&whole, setup.seed, event);
        change_lines(&stepped, setup.seed, event);
    }
    ASSERT_EQ(whole.itcm, stepped.itcm);
    ASSERT_EQ(whole.dtcm, stepped.dtcm);
    ASSERT_EQ(memcmp(&whole.counters(), &stepped.counters(), sizeof(struct arm968_counters)), 0);
}

/* Translated now and then, and from the beginning again each time, beside a core that is
 * interpreted.  Adds the runs of native code. */
void compare_tiers(const random_setup &setup, struct arm968_translator *translator, uint64_t *runs)
{
    core_bench native(config_of(setup, translator));
    core_bench interpreted(config_of(setup));
    prepare(&native, setup);
    prepare(&interpreted, setup);
    const uint32_t start = native.reg(15);
    const random_world world = {setup.seed};
    for (unsigned event = 0; event * EVENT_CYCLES < 2 * CYCLES; event++) {
        const uint64_t target = std::max<uint64_t>((event + 1) * EVENT_CYCLES, native.cycle() + 1);
        run_until(&native, world, target, CYCLES);
        run_until(&interpreted, world, target, CYCLES);
        ASSERT_EQ(view_of(native.cpu), view_of(interpreted.cpu)) << "seed " << setup.seed;
        if (event == 9 || event == 24) {
            (void)arm968_translate(native.cpu); /* there may be nothing that can be */
        }
        for (core_bench *bench : {&native, &interpreted}) {
            change_lines(bench, setup.seed, event);
            if (event % 10 == 9) {
                bench->start(start, setup.thumb);
            }
        }
    }
    ASSERT_EQ(native.itcm, interpreted.itcm);
    ASSERT_EQ(native.dtcm, interpreted.dtcm);
    ASSERT_EQ(memcmp(&native.counters(), &interpreted.counters(), sizeof(struct arm968_counters)),
              0);
    *runs += arm968_native_runs(native.cpu);
}

struct arm968_translator *translator_on_demand()
{
    struct arm968_translator_options options = {};
    options.samples = UINT32_MAX; /* only when asked */
    options.quick = true;
    return arm968_translator_create(&options);
}

void each_tier(uint32_t first_seed, bool thumb)
{
    const auto count = static_cast<unsigned>(amount("SPINNSIM_FUZZ_PROGRAMS", TRANSLATED));
    struct arm968_translator *translator = translator_on_demand();
    uint64_t runs = 0;
    for (unsigned i = 0; i < count && !::testing::Test::HasFatalFailure(); i++) {
        SCOPED_TRACE(first_seed + i);
        compare_tiers({first_seed + i, thumb, i % 4 != 3}, translator, &runs);
    }
    arm968_translator_destroy(translator);
    EXPECT_GT(runs, count); /* it has been run */
}

/* Runs a core of random words from some places, `rounds` times; returns the instructions. */
uint64_t execute(core_bench *bench, const random_setup &setup, unsigned rounds)
{
    const random_world world = {setup.seed};
    const uint64_t before = bench->counters().instructions;
    for (unsigned i = 0; i < rounds * STARTS && !::testing::Test::HasFatalFailure(); i++) {
        const uint32_t place = mix(setup.seed + UINT64_C(31) * (i % STARTS));
        bench->start(place % ITCM_BYTES & ~3u, setup.thumb);
        bench->set(i % 15, mix(i) % ITCM_BYTES);
        run_until(bench, world, bench->cycle() + CYCLES, CYCLES);
        change_lines(bench, setup.seed, i);
    }
    expect_sane(*bench);
    return bench->counters().instructions - before;
}

/* So many random words are executed, image after image, by the interpreter, or most of them as
 * native code. */
void each_word(uint32_t seed, uint64_t words, struct arm968_translator *translator)
{
    uint64_t runs = 0;
    for (uint64_t done = 0; done < words && !::testing::Test::HasFatalFailure(); seed++) {
        SCOPED_TRACE(seed);
        const random_setup setup = {seed, seed % 2 == 0, seed % 8 < 6};
        core_bench bench(config_of(setup, translator));
        prepare(&bench, setup);
        done += execute(&bench, setup, 4);
        if (translator != nullptr) {
            (void)arm968_translate(bench.cpu);
            done += execute(&bench, setup, NATIVE_ROUNDS);
            runs += arm968_native_runs(bench.cpu);
        }
    }
    EXPECT_TRUE(translator == nullptr || runs > 0);
}

void each_program(uint32_t first_seed, bool thumb, void (*run)(const random_setup &setup))
{
    for (unsigned i = 0; i < PROGRAMS && !::testing::Test::HasFatalFailure(); i++) {
        SCOPED_TRACE(first_seed + i);
        run({first_seed + i, thumb, i % 2 == 0});
    }
}

} // namespace

TEST(RandomCode, ArmWordsNeitherCrashNorHangNorOverrun)
{
    each_program(1, false, bounded_run);
}

TEST(RandomCode, ThumbHalvesNeitherCrashNorHangNorOverrun)
{
    each_program(10001, true, bounded_run);
}

TEST(RandomCode, ArmWordsEndTheSameSteppedOrNot)
{
    each_program(20001, false, compare_runs);
}

TEST(RandomCode, ThumbHalvesEndTheSameSteppedOrNot)
{
    each_program(30001, true, compare_runs);
}

TEST(RandomCode, ArmWordsEndTheSameTranslated)
{
    each_tier(40001, false);
}

TEST(RandomCode, ThumbHalvesEndTheSameTranslated)
{
    each_tier(50001, true);
}

/* As many words as a variable says, in each tier. */
TEST(RandomCode, WordsInTheInterpreter)
{
    each_word(60001, amount("SPINNSIM_RANDOM_WORDS", 2000000), nullptr);
}

TEST(RandomCode, WordsInNativeCode)
{
    struct arm968_translator *translator = translator_on_demand();
    each_word(70001, amount("SPINNSIM_RANDOM_WORDS", 2000000), translator);
    arm968_translator_destroy(translator);
}

/* lockstep_test.cpp - translated code beside the interpreter: random programs, random horizons and
 * interrupts; registers, memories, cycles and counters are the same at every stop.
 *
 * Each program runs once, so that its blocks are known; then one of two cores has it translated,
 * both begin again, and are stopped at the same horizons. */
#include "tests/cycles/trace.h"
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"

#include <random>

namespace
{

enum : unsigned { PROGRAMS = 24, ARM_INSNS = 700, THUMB_INSNS = 110, STOPS_AT_MOST = 200000 };
constexpr uint32_t IRQ_AT = 0x18;

/* SPINNSIM_LOCKSTEP_PROGRAMS: more of them, for a night. */
unsigned programs()
{
    return static_cast<unsigned>(amount("SPINNSIM_LOCKSTEP_PROGRAMS", PROGRAMS));
}

struct translator {
    translator()
    {
        struct arm968_translator_options options = {};
        options.samples = UINT32_MAX; /* only when asked */
        options.quick = true;
        it = arm968_translator_create(&options);
    }
    ~translator()
    {
        arm968_translator_destroy(it);
    }
    translator(const translator &) = delete;
    translator &operator=(const translator &) = delete;
    struct arm968_translator *it;
};

/* A core, its program, and the memories with which the program begins. */
struct runner {
    runner(const random_program &source, const bench_config &config)
        : bench(config), program(source)
    {
        load_random_program(&bench, program);
        bench.arm(IRQ_AT, {subs_imm(pc, lr, 4)});
        itcm = bench.itcm;
        dtcm = bench.dtcm;
    }

    /* From the start again; the code is the same, so the core is not told. */
    void again()
    {
        std::copy(itcm.begin(), itcm.end(), bench.itcm.begin());
        std::copy(dtcm.begin(), dtcm.end(), bench.dtcm.begin());
        arm968_set_cpsr(bench.cpu, ARM968_SYSTEM | program.flags);
        for (unsigned i = 0; i < 15; i++) {
            bench.set(i, program.r[i]);
        }
        bench.start(program.entry, program.thumb);
    }

    core_bench bench;
    random_program program;
    std::vector<uint8_t> itcm, dtcm;
};

void expect_same(const runner &one, const runner &other)
{
    ASSERT_EQ(view_of(one.bench.cpu), view_of(other.bench.cpu)) << one.program.listing();
    ASSERT_TRUE(same_counters(one.bench.counters(), other.bench.counters()))
        << one.program.listing();
    ASSERT_TRUE(same_memories(one.bench, other.bench)) << one.program.listing();
}

/* To the same horizon with both; an interrupt now and then, which ends when it has been taken. */
void step_both(runner *native, runner *reference, std::mt19937 *random, uint64_t longest)
{
    const uint64_t horizon = reference->bench.cycle() + 1 + (*random)() % longest;
    const bool raises = (*random)() % 8 == 0;
    const uint64_t visible = reference->bench.cycle() + (*random)() % longest;
    for (runner *it : {native, reference}) {
        if (raises) {
            arm968_set_line(it->bench.cpu, ARM968_IRQ, true, visible);
        }
        ASSERT_EQ(arm968_run(it->bench.cpu, horizon), ARM968_STOP_HORIZON);
        if ((it->bench.cpsr() & 0x1f) == ARM968_IRQ_MODE) {
            arm968_set_line(it->bench.cpu, ARM968_IRQ, false, horizon);
        }
    }
}

void warm_up(runner *it)
{
    for (unsigned i = 0; i < STOPS_AT_MOST && it->bench.reg(15) != it->program.end; i++) {
        (void)it->bench.run(97);
    }
    ASSERT_EQ(it->bench.reg(15), it->program.end);
}

/* The number of runs of native code. */
uint64_t lockstep(const random_program &program, const bench_config &plain, uint64_t longest)
{
    const translator translator;
    bench_config translated = plain;
    translated.translator = translator.it;
    runner native(program, translated);
    runner reference(program, plain);
    warm_up(&native);
    warm_up(&reference);
    EXPECT_TRUE(arm968_translate(native.bench.cpu)) << program.listing();
    EXPECT_EQ(arm968_translator_counts(translator.it).translations, 1u);
    EXPECT_EQ(arm968_translator_counts(translator.it).failures, 0u);
    native.again();
    reference.again();
    std::mt19937 random(program.seed);
    expect_same(native, reference);
    for (unsigned i = 0; i < STOPS_AT_MOST && !::testing::Test::HasFailure() &&
                         reference.bench.reg(15) != program.end;
         i++) {
        step_both(&native, &reference, &random, longest);
        if (!::testing::Test::HasFailure()) {
            expect_same(native, reference);
        }
    }
    EXPECT_EQ(reference.bench.reg(15), program.end);
    return arm968_native_runs(native.bench.cpu);
}

TEST(Lockstep, TranslatedCodeStopsWhereInterpretedCodeDoes)
{
    static const uint64_t LONGEST[] = {27, 500, 20000};
    uint64_t runs = 0;
    for (unsigned i = 0; i < programs() && !HasFailure(); i++) {
        const bool thumb = i % 2 == 1;
        const random_program program =
            make_random_program(4000 + i, thumb, thumb ? THUMB_INSNS : ARM_INSNS);
        bench_config config;
        config.data_bytes = i / 6 % 2 == 0 ? DTCM_BYTES : DTCM_BYTES - 4096; /* no power of two */
        runs += lockstep(program, config, LONGEST[i / 2 % 3]);
    }
    EXPECT_GT(runs, 10u * programs()); /* it has really been run */
}

} // namespace

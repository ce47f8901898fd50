/* translated_scoreboard_test.cpp - translated code takes exactly the cycles that the independent
 * model of the pipeline gives it.
 *
 * ITCM is filled with random programs; they are run, translated together, and run with other
 * registers, flags and data.  A stepped core, which is interpreted, shows the scoreboard the trace.
 * SPINNSIM_SEQUENCES: how many runs. */
#include "tests/cycles/trace.h"
#include "tests/support/amount.h"

#include <iostream>

namespace
{

constexpr uint64_t SEQUENCES = 4000;
constexpr unsigned STATES = 50;  /* for each program once it is translated */
constexpr unsigned WARM_UPS = 6; /* runs before that: more of its blocks are known */
constexpr size_t TRACE_LIMIT = 5000;
constexpr uint64_t PAUSE = 50; /* cycles at the end of a program: no result is pending then */
constexpr uint32_t FIRST_SEED = 1968;
constexpr uint32_t LONGEST_PROGRAM = 1024; /* bytes, literals included */

/* Programs one behind the other, in front of the data in ITCM and behind it. */
std::vector<random_program> fill_itcm(uint32_t seed, size_t count)
{
    std::vector<random_program> programs;
    uint32_t entry = CODE_BASE;
    while (programs.size() < count && entry + LONGEST_PROGRAM <= ITCM_BYTES) {
        const bool thumb = programs.size() % 2 == 1;
        programs.push_back(make_random_program(seed, thumb, 3 + seed % 38, entry));
        seed++;
        entry += 2 * static_cast<uint32_t>(programs.back().image.size());
        if (entry < ITCM_DATA_END && entry + LONGEST_PROGRAM > ITCM_DATA_BEGIN) {
            entry = ITCM_DATA_END;
        }
    }
    return programs;
}

struct cores {
    cores(const std::vector<random_program> &programs, struct arm968_translator *translator)
        : stepped(), whole(with(translator))
    {
        for (const random_program &program : programs) {
            load_random_program(&stepped, program);
            load_random_program(&whole, program);
        }
    }

    static bench_config with(struct arm968_translator *translator)
    {
        bench_config config;
        config.translator = translator;
        return config;
    }

    void compare_run(const random_program &program);

    core_bench stepped, whole;
};

void expect_counts(const struct arm968_counters &before, const struct arm968_counters &after,
                   const struct arm968_counters &expected)
{
    size_t count = 0;
    const struct counter_info *info = arm968_counter_info(&count);
    for (size_t i = 0; i < count; i++) {
        /* these three do not follow from the trace */
        const uint64_t more = counter_value(&after, i) - counter_value(&before, i);
        const std::string name = info[i].name;
        if (name != "software_interrupts" && name != "exception_cycles" &&
            name != "unpredictable") {
            EXPECT_EQ(more, counter_value(&expected, i)) << name;
        }
    }
}

void cores::compare_run(const random_program &program)
{
    load_random_state(&stepped, program);
    load_random_state(&whole, program);
    const std::vector<trace_step> trace = trace_to(&stepped, program.end, TRACE_LIMIT);
    ASSERT_EQ(stepped.reg(15), program.end);
    std::string difference;
    const struct scoreboard board = score(trace, arm968_timing_default(), &difference);
    ASSERT_EQ(difference, "");

    const struct arm968_counters before = whole.counters();
    const uint64_t begin = whole.cycle();
    ASSERT_EQ(whole.run(board.counters.active_cycles), ARM968_STOP_HORIZON);
    EXPECT_EQ(whole.cycle() - begin, board.counters.active_cycles);
    core_view expected = view_of(stepped.cpu);
    expected.cycle = whole.cycle();
    EXPECT_EQ(view_of(whole.cpu), expected);
    EXPECT_TRUE(same_memories(whole, stepped));
    expect_counts(before, whole.counters(), board.counters);
    ASSERT_EQ(whole.run(PAUSE), ARM968_STOP_HORIZON);
    ASSERT_EQ(stepped.run(PAUSE), ARM968_STOP_HORIZON);
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

/* Runs each program with several states; returns how many of these runs have had native code. */
uint64_t run_all(cores *both, const std::vector<random_program> &programs, unsigned states,
                 uint32_t seed)
{
    uint64_t native = 0;
    for (const random_program &program : programs) {
        for (unsigned i = 0; i < states && !::testing::Test::HasFailure(); i++) {
            const random_program changed = with_new_state(program, seed++);
            const uint64_t before = arm968_native_runs(both->whole.cpu);
            both->compare_run(changed);
            native += arm968_native_runs(both->whole.cpu) > before ? 1 : 0;
            if (::testing::Test::HasFailure()) {
                ADD_FAILURE() << changed.listing();
            }
        }
    }
    return native;
}

TEST(TranslatedScoreboard, RandomCodeTakesTheModelledCycles)
{
    const uint64_t wanted = amount("SPINNSIM_SEQUENCES", SEQUENCES);
    uint64_t done = 0;
    uint64_t native = 0;
    uint32_t seed = FIRST_SEED;
    while (done < wanted && !HasFailure()) {
        const std::vector<random_program> programs =
            fill_itcm(seed, (wanted - done + STATES - 1) / STATES);
        const translator translator;
        cores both(programs, translator.it);
        seed += static_cast<uint32_t>(programs.size());
        (void)run_all(&both, programs, WARM_UPS, seed);
        while (arm968_translate(both.whole.cpu)) {
        }
        EXPECT_EQ(arm968_translator_counts(translator.it).failures, 0u);
        native += run_all(&both, programs, STATES, seed * 64);
        done += programs.size() * STATES;
    }
    std::cout << done << " sequences, " << native << " with native code\n";
    EXPECT_GT(native, done * 95 / 100);
}

} // namespace

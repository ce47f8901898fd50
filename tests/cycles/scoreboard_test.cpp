/* scoreboard_test.cpp - random code takes exactly the cycles that the independent model of the
 * pipeline gives it, in one run and however the run is cut.  SPINNSIM_SEQUENCES: how many
 * programs the first test runs. */
#include "tests/cycles/trace.h"
#include "tests/support/amount.h"

#include <random>

enum : unsigned { PROGRAMS = 10000, FIRST_SEED = 968, TRACE_LIMIT = 5000 };

/* Unless a test says otherwise a program of up to 40 instructions, ARM and Thumb in turn. */
static random_program program_number(unsigned number)
{
    const uint32_t seed = FIRST_SEED + number;
    return make_random_program(seed, (number & 1) != 0, 3 + seed % 38);
}

/* Counters that follow from the trace; those of exceptions and the bus are compared elsewhere. */
static void expect_counters(const struct arm968_counters &core, const struct scoreboard &board)
{
    EXPECT_EQ(core.instructions, board.counters.instructions);
    EXPECT_EQ(core.active_cycles, board.counters.active_cycles);
    EXPECT_EQ(core.multiply_cycles, board.counters.multiply_cycles);
    EXPECT_EQ(core.memory_cycles, board.counters.memory_cycles);
    EXPECT_EQ(core.branch_cycles, board.counters.branch_cycles);
    EXPECT_EQ(core.interlock_cycles, board.counters.interlock_cycles);
    EXPECT_EQ(core.itcm_wait_cycles, board.counters.itcm_wait_cycles);
    EXPECT_EQ(core.itcm_data_accesses, board.counters.itcm_data_accesses);
    EXPECT_EQ(core.branches_taken, board.counters.branches_taken);
    EXPECT_EQ(core.words_loaded, board.counters.words_loaded);
    EXPECT_EQ(core.words_stored, board.counters.words_stored);
}

static void check_program(const random_program &program, const struct arm968_timing &timing)
{
    bench_config config;
    config.timing = timing;
    core_bench stepped(config);
    load_random_program(&stepped, program);
    const std::vector<trace_step> trace = trace_to(&stepped, program.end, TRACE_LIMIT);
    ASSERT_EQ(stepped.reg(15), program.end) << program.listing();
    std::string difference;
    const struct scoreboard board = score(trace, timing, &difference);
    ASSERT_EQ(difference, "") << program.listing();

    core_bench whole(config);
    load_random_program(&whole, program);
    ASSERT_EQ(whole.run(board.counters.active_cycles), ARM968_STOP_HORIZON);
    EXPECT_EQ(view_of(whole.cpu), view_of(stepped.cpu));
    EXPECT_TRUE(same_memories(whole, stepped));
    EXPECT_TRUE(same_counters(whole.counters(), stepped.counters()));
    expect_counters(whole.counters(), board);
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << program.listing();
    }
}

TEST(Scoreboard, RandomCodeTakesTheModelledCycles)
{
    const uint64_t programs = amount("SPINNSIM_SEQUENCES", PROGRAMS);
    for (unsigned i = 0; i < programs && !HasFailure(); i++) {
        check_program(program_number(i), arm968_timing_default());
    }
}

/* Any table of costs, not only the shipped one. */
static struct arm968_timing random_timing(std::mt19937 *random)
{
    struct arm968_timing timing = arm968_timing_default();
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    for (size_t i = 0; i < count; i++) {
        auto *row =
            reinterpret_cast<uint16_t *>(reinterpret_cast<char *>(&timing) + rows[i].offset);
        const uint32_t span = std::min<uint32_t>(rows[i].maximum - rows[i].minimum, 9);
        *row = static_cast<uint16_t>(rows[i].minimum + (*random)() % (span + 1));
    }
    return timing;
}

TEST(Scoreboard, RandomCodeFollowsAnyTimingTable)
{
    std::mt19937 random(1);
    for (unsigned i = 0; i < PROGRAMS / 10 && !HasFailure(); i++) {
        check_program(program_number(PROGRAMS + i), random_timing(&random));
    }
}

/* The same work cut at horizons of random length: nothing may depend on where a core stops. */
static void run_cut(core_bench *bench, uint64_t cycles, std::mt19937 *random)
{
    static const uint64_t LENGTHS[] = {1, 7, 27, 500};
    while (bench->cycle() < cycles) {
        const uint64_t horizon = bench->cycle() + LENGTHS[(*random)() % 4];
        ASSERT_EQ(arm968_run(bench->cpu, std::min(horizon, cycles)), ARM968_STOP_HORIZON);
        ASSERT_GE(bench->cycle(), std::min(horizon, cycles));
    }
}

TEST(Scoreboard, ForcedStopsChangeNothing)
{
    std::mt19937 random(2);
    for (unsigned i = 0; i < PROGRAMS && !HasFailure(); i++) {
        const random_program program = program_number(i);
        core_bench whole;
        core_bench cut;
        load_random_program(&whole, program);
        load_random_program(&cut, program);
        ASSERT_EQ(whole.run_to(program.end), ARM968_STOP_BREAKPOINT);
        const uint64_t cycles = whole.cycle() + random() % 8; /* some rounds of the last branch */
        ASSERT_EQ(arm968_run(whole.cpu, cycles), ARM968_STOP_HORIZON);
        run_cut(&cut, cycles, &random);
        EXPECT_EQ(view_of(cut.cpu), view_of(whole.cpu));
        EXPECT_TRUE(same_memories(cut, whole));
        EXPECT_TRUE(same_counters(cut.counters(), whole.counters()));
        if (HasFailure()) {
            ADD_FAILURE() << program.listing();
        }
    }
}

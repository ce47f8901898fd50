/* machine_sdram_test.cpp - the policies of SDRAM in a machine: what a core and a DMA engine wait,
 * and that a machine runs the same in every way. */
#include "tests/unit/ahead_scene.h"

#include <gtest/gtest.h>

extern "C" {
#include "models/chip/sdram.h"
}

namespace
{

constexpr uint32_t ROW_BYTES = 4096, BANKS = 4;

machine_config config_of(uint64_t policy)
{
    machine_config config = bench_config();
    config.parameters.sdram_policy = policy;
    return config;
}

/* Cycles of a load from an address, when the word before it in the list has been loaded. */
uint64_t load_cycles(uint64_t policy, uint32_t before, uint32_t address)
{
    MachineBench bench(config_of(policy));
    Program program;
    program.set(0, before).set(1, address);
    program.emit({ldr_imm(2, 0)});
    program.nops(20);
    const uint32_t from = program.here();
    program.emit({ldr_imm(3, 1), nop()});
    const uint32_t to = program.here();
    program.sleep();
    bench.mark(1, from);
    bench.mark(1, to);
    bench.run(1, program);
    bench.until(20 * US);
    return bench.between(from, to);
}

struct waits {
    const char *what;
    uint32_t address;
    uint64_t closed, open; /* cycles of a load and of a nop */
};

} // namespace

/* At 130 MHz a clock is 1.54 cycles: 10 clocks for a row that is opened, 7 for one that is open, 13
 * for one that another must make room for, and 33 ns of NoC. */
TEST(MachineSdram, ALoadWaitsAsThePolicySays)
{
    const std::vector<waits> rows = {
        {"the same row", SDRAM_UNBUFFERED + 64, 22 + 1, 18 + 1},
        {"another row of the bank", SDRAM_UNBUFFERED + BANKS * ROW_BYTES, 22 + 1, 27 + 1},
        {"another bank", SDRAM_UNBUFFERED + ROW_BYTES, 22 + 1, 22 + 1},
    };
    for (const waits &row : rows) {
        EXPECT_EQ(load_cycles(SDRAM_CLOSED, SDRAM_UNBUFFERED, row.address), row.closed) << row.what;
        EXPECT_EQ(load_cycles(SDRAM_OPEN, SDRAM_UNBUFFERED, row.address), row.open) << row.what;
        EXPECT_EQ(load_cycles(SDRAM_INTERLEAVED, SDRAM_UNBUFFERED, row.address), row.open)
            << row.what;
    }
}

/* Random programs with DMA, loads, posted stores and swaps in SDRAM. */
TEST(MachineSdram, RandomProgramsAreTheSameInEveryWay)
{
    uint64_t activations[SDRAM_POLICIES] = {};
    for (const uint64_t policy : {SDRAM_CLOSED, SDRAM_OPEN, SDRAM_INTERLEAVED}) {
        for (uint32_t seed = 901; seed < 913 && !HasFailure(); seed++) {
            scene scene = random_scene(seed, seed % 4 == 0 ? 4 : 0);
            scene.parameters.sdram_policy = policy;
            scene.sample_cycles = 0; /* they are no part of a state */
            way reference;
            reference.run_ahead = RUN_AHEAD_OFF;
            const sight expected = run_scene(scene, reference);
            activations[policy] += expected.sum("sdram.activations");
            for (const uint64_t ahead : {RUN_AHEAD_AUTO, RUN_AHEAD_OFF, UINT64_C(7)}) {
                way whole;
                whole.run_ahead = ahead;
                way several = whole;
                several.threads = seed % 4 == 0 ? 3 : 1;
                several.slice_ps = 1234567;
                way changed = whole;
                changed.change_ps = scene.end_ps / 3 + seed;
                for (const way &way : {whole, several, changed}) {
                    EXPECT_EQ(difference(expected, run_scene(scene, way)), "")
                        << "policy " << policy << ", scene " << seed << ", ahead by " << ahead
                        << ", threads " << way.threads << ", slices of " << way.slice_ps
                        << ", changed at " << way.change_ps;
                }
            }
        }
    }
    EXPECT_LT(activations[SDRAM_OPEN], activations[SDRAM_CLOSED]) << "rows were found open";
    EXPECT_GT(activations[SDRAM_OPEN], 0u);
}

/* machine_sample_test.cpp - machine_observer.sample: where, when, and that nobody feels it. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace
{

struct sample {
    uint32_t pc;
    uint64_t active, cycle;
    bool operator==(const sample &other) const
    {
        return pc == other.pc && active == other.active;
    }
};

/* One core with a program, looked at every so many cycles. */
class Sampled
{
  public:
    Sampled(uint64_t every, const Program &program, uint64_t share = 0)
    {
        machine_config config = bench_config();
        config.sample_cycles = every;
        config.sample_share = share;
        config.observer = {this, nullptr, nullptr, take, nullptr, nullptr, nullptr};
        EXPECT_EQ(machine_create(&config, &machine, nullptr), STATUS_OK);
        EXPECT_EQ(machine_write(machine, CORE, program.base(), program.words().data(),
                                4 * static_cast<uint32_t>(program.words().size())),
                  STATUS_OK);
        EXPECT_EQ(machine_start_core(machine, CORE, CODE, 0), STATUS_OK);
    }
    ~Sampled()
    {
        machine_destroy(machine);
    }
    Sampled(const Sampled &) = delete;
    Sampled &operator=(const Sampled &) = delete;

    const struct arm968_counters &counters() const
    {
        return *machine_core_counters(machine, CORE);
    }

    static constexpr struct machine_core CORE = {0, 0, 1};
    struct machine *machine = nullptr;
    std::vector<sample> samples;

  private:
    static void take(void *context, struct machine_core core, uint32_t pc)
    {
        auto *bench = static_cast<Sampled *>(context);
        EXPECT_EQ(core.p, 1);
        const struct arm968_counters &counters = bench->counters();
        bench->samples.push_back(
            {pc, counters.active_cycles, counters.active_cycles + counters.sleep_cycles});
    }
};

constexpr uint32_t TIMER_1 = 1u << 4;

/* Computes, sleeps until its timer wakes it, sends to SDRAM: for ever. */
Program worker()
{
    Program program;
    program.write_buffer_on();
    program.store(TIMER, 500);
    program.store(TIMER + 8, 0xe2);
    program.store(VIC + 0x10, TIMER_1);
    const uint32_t loop = program.here();
    program.emit({mcr(15, 0, 0, 7, 0, 4)});
    program.store(TIMER + 0xc, 1);
    program.delay(30);
    program.store(SDRAM + 64, 1);
    program.store(SYSTEM_RAM + 64, 2);
    return program.branch(loop);
}

} // namespace

TEST(MachineSample, StandsAtTheFirstInstructionFromEachMultipleOn)
{
    Program program;
    program.nops(250);
    program.branch(program.here()); /* to itself, three cycles */
    Sampled bench(100, program);
    machine_run_until(bench.machine, 460 * CYCLE_PS);
    const uint32_t self = CODE + 1000;
    const std::vector<sample> expected = {
        {CODE + 400, 100, 100}, {CODE + 800, 200, 200}, {self, 301, 301}, {self, 400, 400}};
    EXPECT_EQ(bench.samples, expected);
}

TEST(MachineSample, SleepDoesNotCount)
{
    Sampled bench(50, worker());
    machine_run_until(bench.machine, 20 * US);
    EXPECT_GT(bench.counters().sleep_cycles, 1000u);
    ASSERT_EQ(bench.samples.size(), bench.counters().active_cycles / 50);
    for (size_t i = 0; i < bench.samples.size(); i++) {
        EXPECT_GE(bench.samples[i].active, 50 * (i + 1));
        EXPECT_LT(bench.samples[i].active, 50 * (i + 1) + 40); /* the longest access */
    }
}

TEST(MachineSample, WithAShareTheStepDoublesWithTheCycles)
{
    Program program;
    program.nops(250);
    program.branch(program.here());
    Sampled bench(10, program, 4);
    machine_run_until(bench.machine, 250 * CYCLE_PS);
    std::vector<uint64_t> at;
    for (const sample &of : bench.samples) {
        at.push_back(of.active);
    }
    /* Below 2 * 4 * 10 cycles a step of 10, then of 20, from 160 of 40, ... */
    EXPECT_EQ(
        at, (std::vector<uint64_t>{10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 140, 160, 200, 240}));
}

TEST(MachineSample, AShareDoesNotDependOnWhereTheRunIsCut)
{
    Sampled whole(1, worker(), 16);
    Sampled pieces(1, worker(), 16);
    machine_run_until(whole.machine, 50 * US);
    for (uint64_t time_ps = 0; time_ps <= 50 * US; time_ps += 333333) {
        machine_run_until(pieces.machine, time_ps);
    }
    machine_run_until(pieces.machine, 50 * US);
    EXPECT_EQ(whole.samples, pieces.samples);
    EXPECT_GT(whole.samples.size(), 64u);
    EXPECT_LT(whole.samples.size(), 16u * 16u);
}

TEST(MachineSample, DoesNotDependOnWhereTheRunIsCutAndChangesNothing)
{
    Sampled whole(37, worker());
    Sampled none(0, worker());
    Sampled pieces(37, worker());
    machine_run_until(whole.machine, 50 * US);
    machine_run_until(none.machine, 50 * US);
    for (uint64_t time_ps = 0; time_ps <= 50 * US; time_ps += 333333) {
        machine_run_until(pieces.machine, time_ps);
    }
    machine_run_until(pieces.machine, 50 * US);
    EXPECT_EQ(whole.samples, pieces.samples);
    EXPECT_GT(whole.samples.size(), 50u);
    EXPECT_TRUE(none.samples.empty());
    EXPECT_EQ(memcmp(&whole.counters(), &none.counters(), sizeof none.counters()), 0);
    size_t sizes[2];
    uint8_t *states[2] = {machine_save(whole.machine, &sizes[0]),
                          machine_save(none.machine, &sizes[1])};
    ASSERT_EQ(sizes[0], sizes[1]);
    EXPECT_EQ(memcmp(states[0], states[1], sizes[0]), 0);
    free(states[0]);
    free(states[1]);
}

TEST(MachineSample, OneCoreIsSampledFromATimeToATime)
{
    const machine_core core = Sampled::CORE;
    Program program;
    program.nops(250);
    program.branch(program.here());
    Sampled bench(100, program);
    machine_run_until(bench.machine, 150 * CYCLE_PS);
    ASSERT_EQ(machine_sample_core(bench.machine, core, 1), STATUS_OK);
    machine_run_until(bench.machine, 153 * CYCLE_PS);
    ASSERT_EQ(machine_sample_core(bench.machine, core, 0), STATUS_OK);
    machine_run_until(bench.machine, 250 * CYCLE_PS);
    const std::vector<sample> expected = {{CODE + 400, 100, 100},
                                          {CODE + 604, 151, 151},
                                          {CODE + 608, 152, 152},
                                          {CODE + 612, 153, 153},
                                          {CODE + 800, 200, 200}};
    EXPECT_EQ(bench.samples, expected);
    EXPECT_EQ(machine_sample_core(bench.machine, {9, 9, 1}, 1), STATUS_CONFIGURATION);
}

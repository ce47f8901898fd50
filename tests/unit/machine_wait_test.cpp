/* machine_wait_test.cpp - what a sleeping core is counted to wait for: packets, its DMA, nothing.
 */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t TIMER_1 = 1u << 4;
constexpr uint32_t ANY = 1u << 6, MULTICAST = 1u << 24, POINT_TO_POINT = 1u << 25,
                   NEAREST_NEIGHBOUR = 1u << 26, FIXED_ROUTE = 1u << 27;
constexpr uint32_t TIMER_2 = 1u << 5, RECEIVE_ERRORS = 1u << 7 | 1u << 8,
                   TRANSMITTER_FULL = 1u << 9;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint64_t WAIT_CYCLES = 2; /* of the instruction itself: asleep after them */

/* A core that sleeps once with some sources enabled, until its timer fires. */
struct sleeper {
    MachineBench bench;
    uint32_t asleep = 0, awake = 0, commit = 0; /* addresses */

    explicit sleeper(uint32_t sources, uint32_t ticks = 1000, uint32_t dma_words = 0)
    {
        Program program;
        program.store(VIC + 0x10, sources | TIMER_1);
        program.store(TIMER + 0x00, ticks);
        program.store(TIMER + 0x08, 0xa3); /* one shot, 32 bits, with interrupt */
        if (dma_words > 0) {
            program.store(DMA + 0x04, SDRAM);
            program.store(DMA + 0x08, DTCM);
            commit = program.store(DMA + 0x0c, 2u << 24 | 4u << 21 | dma_words * 4);
            bench.mark(1, commit);
        }
        asleep = program.here();
        program.emit({wait_for_interrupt()});
        awake = program.here();
        program.store(VIC + 0x14, ~0u);
        program.sleep();
        bench.mark(1, asleep);
        bench.mark(1, awake);
        bench.run(1, program);
    }
    uint64_t waited_ps()
    {
        return bench.counter("comms", 1, "core_wait_ps");
    }
    uint64_t asleep_ps() const
    {
        return (bench.cycle_of(asleep) + WAIT_CYCLES) * CYCLE_PS;
    }
    /* When the first DMA burst begins. */
    uint64_t burst_ps() const
    {
        return (bench.cycle_of(commit) + 20) * CYCLE_PS;
    }
    uint64_t slept_ps() const
    {
        return bench.cycle_of(awake) * CYCLE_PS - asleep_ps();
    }
};

} // namespace

TEST(MachineWaiting, ForPacketsIsSleepWithAReceiveInterruptEnabled)
{
    for (const uint32_t source : {ANY, MULTICAST, POINT_TO_POINT, NEAREST_NEIGHBOUR, FIXED_ROUTE}) {
        sleeper core(source);
        EXPECT_EQ(core.bench.until(100 * US), MACHINE_QUIESCENT);
        EXPECT_GT(core.slept_ps(), 900 * CYCLE_PS);
        EXPECT_EQ(core.waited_ps(), core.slept_ps()) << "nothing is enabled in its last sleep";
    }
}

TEST(MachineWaiting, IsNotForPacketsWhenOtherInterruptsAreEnabled)
{
    for (const uint32_t source : {0u, TRANSMITTER_FULL, RECEIVE_ERRORS, TIMER_2}) {
        sleeper core(source);
        EXPECT_EQ(core.bench.until(100 * US), MACHINE_QUIESCENT);
        EXPECT_GT(core.slept_ps(), 900 * CYCLE_PS);
        EXPECT_EQ(core.waited_ps(), 0u);
    }
}

/* The first burst begins 20 cycles after the store that asks for it; until then, and after the
 * last, the core waits for packets. */
TEST(MachineWaiting, BesideADmaBurstIsForThat)
{
    for (const uint32_t ticks : {200u, 5000u}) { /* awake within the transfer, or behind it */
        sleeper core(MULTICAST, ticks, 64);
        EXPECT_EQ(core.bench.until(100 * US), MACHINE_QUIESCENT);
        const uint64_t dma_ps = core.bench.counter("dma", 1, "core_wait_ps");
        const uint64_t busy_ps = core.bench.counter("dma", 1, "busy_ps");
        const uint64_t before_ps = core.burst_ps() - core.asleep_ps();
        EXPECT_GT(before_ps, 0u);
        if (ticks == 200) { /* the core sleeps on when it has been awake, beside the rest of it */
            EXPECT_EQ(core.waited_ps(), before_ps);
        } else {
            EXPECT_EQ(dma_ps, busy_ps);
            EXPECT_EQ(core.waited_ps(), core.slept_ps() - busy_ps);
            EXPECT_GT(core.waited_ps(), before_ps);
        }
    }
}

TEST(MachineWaiting, ThatDoesNotEndIsCountedUpToTheEndOfTheRun)
{
    constexpr uint64_t END_PS = 77 * US + 1234;
    for (const uint64_t cut_ps : {END_PS, uint64_t{7777777}, uint64_t{1000001}}) {
        sleeper core(MULTICAST, 0x10000000);
        for (uint64_t time_ps = 0; time_ps < END_PS;) {
            time_ps = time_ps + cut_ps < END_PS ? time_ps + cut_ps : END_PS;
            EXPECT_EQ(core.bench.until(time_ps), MACHINE_REACHED);
        }
        EXPECT_EQ(core.waited_ps(), END_PS - core.asleep_ps()) << cut_ps;
    }
}

/* The other side: it is a packet that ends the wait. */
TEST(MachineWaiting, EndsWithThePacket)
{
    sleeper core(MULTICAST, 0x10000000);
    Program sender;
    sender.store(ROUTER + 0x4000, 1u << 7);
    sender.store(ROUTER + 0xc000, ~0u);
    sender.store(ROUTER + 0x8000, 5);
    sender.delay(3000);
    sender.store(COMMS + 8, 5);
    sender.sleep();
    core.bench.run(2, sender);
    EXPECT_EQ(core.bench.until(100 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(core.bench.counter("comms", 1, "received_multicast"), 1u);
    EXPECT_GT(core.slept_ps(), 3000 * 4 * CYCLE_PS);
    EXPECT_LE(core.waited_ps(), core.slept_ps());
    EXPECT_GT(core.waited_ps(), core.slept_ps() - CYCLE_PS) << "it awakes at its clock's next edge";
}

/* ---- sleep that ends before it has begun ---- */

/* A timer whose interrupt the core sees before its long WFI instruction has ended: the core does
 * not sleep.  It runs ahead, since core 2 may send to it; whatever it does, and wherever the
 * machine stops, it goes on at the end of the instruction. */
TEST(MachineWait, AnInterruptWithinTheInstructionThatWaitsEndsItAtOnce)
{
    constexpr unsigned BUSY = 12;
    for (uint32_t load = 5; load < 40; load += 5) {
        std::vector<std::string> memories;
        std::vector<counter_map> counters;
        for (const uint64_t ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO}) {
            for (const uint64_t step_ps : {20 * US, CYCLE_PS / 2}) {
                machine_config config = bench_config();
                config.run_ahead = ahead;
                config.timing.coprocessor_busy = BUSY;
                MachineBench bench(config);
                Program sleeps;
                sleeps.store(VIC + 0x10, 1u << 24 | 1u << 4);
                sleeps.delay(100);
                sleeps.set(0, TIMER).set(1, load).set(2, 0xa3).set(3, DTCM);
                sleeps.emit({str_imm(1, 0), str_imm(2, 0, 8)}).nops(4);
                sleeps.emit({wait_for_interrupt(), ldr_imm(4, 0, 4), str_imm(4, 3)}).nops(300);
                const uint32_t loop = sleeps.here();
                bench.run(1, sleeps.branch(loop));
                Program sends;
                sends.set(5, 0x10000000);
                const uint32_t again = sends.here();
                sends.emit({str_imm(5, 5, 8)}).delay(30);
                bench.run(2, sends.branch(again));
                for (uint64_t time_ps = 2100 * US / 1000;
                     step_ps < US && time_ps < 2700 * US / 1000; time_ps += step_ps) {
                    bench.until(time_ps);
                }
                bench.until(3 * US);
                memories.push_back(bench.memory());
                counters.push_back(bench.counters());
                EXPECT_EQ(memories.back(), memories.front()) << load;
                EXPECT_EQ(counters.back(), counters.front()) << load;
            }
        }
    }
}

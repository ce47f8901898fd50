/* machine_quiet_test.cpp - when a machine makes no progress: nothing but timers' handlers. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

#include "models/common/units.h"

namespace
{

constexpr uint32_t TIMER_1 = 1u << 4;
constexpr uint32_t MULTICAST = 1u << 24;
constexpr uint32_t OTHER_CORE = 1u << 18;
constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint64_t MS = 1000 * US;

/* Sleeps between the periods of timer 1; each time it is awake for `rounds` of 4 cycles. */
Program ticker(uint32_t period_cycles, uint32_t sources, uint32_t rounds = 1)
{
    Program program;
    program.store(TIMER, period_cycles);
    program.store(TIMER + 8, 0xe2);
    program.store(VIC + 0x10, sources);
    const uint32_t loop = program.here();
    program.emit({mcr(15, 0, 0, 7, 0, 4)});
    program.store(TIMER + 0xc, 1);
    program.delay(rounds);
    return program.branch(loop);
}

Program sleeper(uint32_t sources)
{
    Program program;
    program.store(VIC + 0x10, sources);
    return program.sleep();
}

uint64_t quiet_since(MachineBench &bench)
{
    return machine_quiet_since_ps(bench.get());
}

} // namespace

TEST(MachineQuiet, WhileACoreTicksAndWaitsForPackets)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1 | MULTICAST)); /* every 10 us */
    bench.run(2, sleeper(MULTICAST));
    EXPECT_EQ(bench.until(MS), MACHINE_REACHED);
    const uint64_t since_ps = quiet_since(bench);
    EXPECT_GT(since_ps, 0u);
    EXPECT_LT(since_ps, 10 * US); /* what the programs did at first */
    bench.until(30 * MS);
    EXPECT_EQ(quiet_since(bench), since_ps);
}

TEST(MachineQuiet, NotWhileACoreHasATimerAlone)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1));
    bench.run(2, sleeper(MULTICAST));
    bench.until(30 * MS);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER);
}

TEST(MachineQuiet, NotBeforeATimerHasBeenServedTwice)
{
    MachineBench bench;
    bench.run(1, ticker(200000, TIMER_1 | OTHER_CORE)); /* every ms */
    bench.until(MS / 2);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER);
    bench.until(MS + MS / 2);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER);
    bench.until(2 * MS + MS / 2);
    EXPECT_LT(quiet_since(bench), 10 * US);
}

TEST(MachineQuiet, NotWhileACoreComputesInItsOwnMemory)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1 | MULTICAST));
    Program busy;
    busy.delay(1000000); /* 20 ms */
    const uint32_t end = busy.here();
    busy.store(VIC + 0x10, MULTICAST);
    busy.sleep();
    bench.load(2, busy);
    bench.start(2);
    bench.mark(2, end);
    bench.until(19 * MS);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER);
    bench.until(30 * MS);
    EXPECT_GT(quiet_since(bench), CYCLE_PS * bench.cycle_of(end));
    EXPECT_LT(quiet_since(bench), CYCLE_PS * bench.cycle_of(end) + US);
}

TEST(MachineQuiet, AHandlerThatTakesLongIsWork)
{
    MachineBench quick;
    quick.run(1, ticker(200000, TIMER_1 | MULTICAST, 4980)); /* 99.6 us, and some stores */
    quick.until(10 * MS + 50 * US);
    EXPECT_LT(quiet_since(quick), 10 * US);
    MachineBench slow;
    slow.run(1, ticker(200000, TIMER_1 | MULTICAST, 5000)); /* 100 us, and they */
    slow.until(10 * MS + 500 * US);
    EXPECT_EQ(quiet_since(slow), TIME_NEVER); /* no timer's handler since */
}

TEST(MachineQuiet, AHandlerUnderWayIsWorkOnceItTakesLong)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1 | MULTICAST));
    bench.run(2, ticker(100000, TIMER_1 | MULTICAST, 4900)); /* awake for 98 us of 500 */
    bench.until(2 * MS);
    const uint64_t since_ps = quiet_since(bench);
    EXPECT_LT(since_ps, 10 * US);
    for (uint64_t time_ps = 2 * MS; time_ps < 3 * MS; time_ps += 7 * US) {
        bench.until(time_ps); /* in a handler, and not */
        EXPECT_EQ(quiet_since(bench), since_ps) << time_ps;
    }
    MachineBench endless;
    Program program = ticker(100000, TIMER_1 | MULTICAST);
    endless.run(1, program);
    Program stuck;
    stuck.store(TIMER, 400000);
    stuck.store(TIMER + 8, 0xe2);
    stuck.store(VIC + 0x10, TIMER_1 | MULTICAST);
    for (int i = 0; i < 2; i++) {
        stuck.emit({mcr(15, 0, 0, 7, 0, 4)});
        stuck.store(TIMER + 0xc, 1);
    }
    stuck.emit({mcr(15, 0, 0, 7, 0, 4)});
    const uint32_t third = stuck.here();
    stuck.branch(third);
    endless.load(2, stuck);
    endless.start(2);
    endless.mark(2, third);
    endless.until(6 * MS + 50 * US); /* 2, 4, 6 ms and what the set-up takes */
    EXPECT_LT(quiet_since(endless), 10 * US);
    endless.until(CYCLE_PS * endless.cycle_of(third) + 101 * US);
    EXPECT_EQ(quiet_since(endless), TIME_NEVER);
}

TEST(MachineQuiet, NotWhilePacketsMove)
{
    MachineBench bench;
    bench.run(1, sleeper(MULTICAST)); /* is never sent one */
    Program sender;
    sender.store(ROUTER + 0x4000, 1u << (6 + 2)); /* to a core that is off */
    sender.store(ROUTER + 0xc000, 0xffffffff);
    sender.store(ROUTER + 0x8000, 0x100);
    sender.store(TIMER, 200000);
    sender.store(TIMER + 8, 0xe2);
    sender.store(VIC + 0x10, TIMER_1 | MULTICAST);
    const uint32_t loop = sender.here();
    sender.emit({mcr(15, 0, 0, 7, 0, 4)});
    sender.store(TIMER + 0xc, 1);
    sender.store(COMMS + 8, 0x100);
    sender.branch(loop);
    bench.run(3, sender);
    for (uint64_t i = 3; i < 8; i++) { /* the first three are kept, the others dumped */
        bench.until(i * MS + 500 * US);
        EXPECT_GE(quiet_since(bench), i * MS) << i;
        EXPECT_LT(quiet_since(bench), i * MS + 10 * US) << i;
    }
}

TEST(MachineQuiet, AnotherSourceThanATimerIsWork)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1 | OTHER_CORE));
    Program caller;
    caller.delay(500000); /* 10 ms */
    caller.store(SYSTEM_CONTROLLER + 0x08, 0x5ec00002);
    const uint32_t called = caller.here();
    caller.delay(50);
    caller.store(SYSTEM_CONTROLLER + 0x0c, 0x5ec00002);
    caller.store(VIC + 0x10, OTHER_CORE);
    caller.sleep();
    bench.load(2, caller);
    bench.start(2);
    bench.mark(2, called);
    bench.until(30 * MS);
    EXPECT_GT(quiet_since(bench), CYCLE_PS * bench.cycle_of(called));
    EXPECT_LT(quiet_since(bench), CYCLE_PS * bench.cycle_of(called) + 20 * US);
    EXPECT_NE(bench.cycle_of(called), UINT64_MAX);
}

TEST(MachineQuiet, WhileACoreIsStalled)
{
    MachineBench bench;
    bench.run(1, ticker(2000, TIMER_1 | MULTICAST));
    Program polls;
    polls.set(1, SDRAM_UNBUFFERED);
    const uint32_t loop = polls.here();
    polls.emit({ldr_imm(2, 1, 0)});
    polls.branch(loop);
    bench.run(2, polls);
    bench.until(MS);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER); /* it polls */
    Program stalls;
    stalls.store(SYSTEM_CONTROLLER + 0x04, 0x5ec00004);
    stalls.sleep();
    bench.run(3, stalls);
    bench.until(3 * MS);
    EXPECT_GT(quiet_since(bench), MS);
    EXPECT_LT(quiet_since(bench), MS + 100 * US); /* resets and stalls have their own pace */
}

TEST(MachineQuiet, IsTheSameHoweverTheRunIsCut)
{
    MachineBench whole;
    MachineBench cut;
    for (MachineBench *bench : {&whole, &cut}) {
        bench->run(1, ticker(2000, TIMER_1 | MULTICAST));
        bench->run(2, ticker(2300, TIMER_1 | OTHER_CORE, 300));
        bench->run(3, sleeper(MULTICAST));
    }
    whole.until(5 * MS);
    for (uint64_t time_ps = 0; time_ps < 5 * MS; time_ps += 1234567) {
        cut.until(time_ps);
    }
    cut.until(5 * MS);
    EXPECT_EQ(quiet_since(whole), quiet_since(cut));
    EXPECT_NE(quiet_since(whole), TIME_NEVER);
    EXPECT_TRUE(whole.counters() == cut.counters());
}

TEST(MachineView, ShowsWhatACoreIsAt)
{
    MachineBench bench;
    bench.run(1, sleeper(MULTICAST | OTHER_CORE));
    Program polls;
    polls.store(ROUTER, 0x00400000); /* the router takes nothing */
    polls.store(COMMS + 8, 0x777);
    polls.write_buffer_on();
    polls.set(1, SDRAM);
    const uint32_t loop = polls.here();
    polls.emit({str_imm(2, 1, 4), str_imm(2, 1, 8), ldr_imm(2, 1, 0)}); /* the stores go first */
    polls.branch(loop);
    bench.run(2, polls);
    bench.until(100 * US);
    const auto view = [&bench](uint8_t p) { return machine_core_view(bench.get(), {0, 0, p}); };
    EXPECT_EQ(view(0).state, MACHINE_CORE_OFF);
    EXPECT_EQ(view(1).state, MACHINE_CORE_ASLEEP);
    EXPECT_EQ(view(1).sources, MULTICAST | OTHER_CORE);
    EXPECT_FALSE(view(1).sends);
    EXPECT_TRUE(view(2).sends);
    EXPECT_EQ(view(2).sends_key, 0x777u);
    EXPECT_EQ(view(2).sources, 0u);
    bool blocked = false;
    for (uint64_t time_ps = 100 * US; time_ps < 101 * US; time_ps += CYCLE_PS) {
        bench.until(time_ps);
        if (view(2).state == MACHINE_CORE_BLOCKED) {
            blocked = true;
            EXPECT_EQ(view(2).access_address, SDRAM);
        }
    }
    EXPECT_TRUE(blocked);
    EXPECT_EQ(quiet_since(bench), TIME_NEVER);
    EXPECT_EQ(machine_core_view(bench.get(), {7, 0, 1}).state, MACHINE_CORE_OFF);
}

/* Clocks that change while the machine runs: what has been before keeps its time, and what follows
 * takes the new one's. */
#include "tests/unit/machine_fixture.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <utility>

namespace
{

constexpr uint32_t SC = 0xf2000000;
constexpr uint32_t SET_IRQ = SC + 0x08;
constexpr uint32_t PLL1 = SC + 0x50;
constexpr uint32_t MUX = SC + 0x60;
constexpr uint32_t MUX_BOOTED = 0x809488a5; /* as the monitor program leaves it */
constexpr uint32_t A_CRYSTAL = 0x809488a0;  /* clock A: 10 MHz */
constexpr uint32_t B_SLOWER = 0x80948925;   /* clock B: 400 MHz / 3 */
constexpr uint32_t ALL_CRYSTAL = 0;
constexpr uint32_t SYSTEM_CRYSTAL = 0x800488a5;
constexpr uint32_t ROUTER_CRYSTAL = 0x809008a5;
constexpr uint32_t MEMORY_CRYSTAL = 0x809480a5;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t WATCHDOG = 0xf3000000;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t FROM_SYSTEM = 1u << 18;
constexpr uint32_t TIMER_1 = 1u << 4;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;

constexpr uint64_t CRYSTAL_PS = 100000;
constexpr uint64_t INTERVAL_PS = 50 * US;
constexpr uint64_t FLOOR_PS = 135000;
constexpr uint64_t SYNC_AND_ENTRY = 2 + 3;
constexpr unsigned OF_A = 1; /* a core of clock A; core 0 has clock B */
constexpr unsigned OF_B = 3;

uint64_t up(uint64_t time_ps, uint64_t period_ps)
{
    return (time_ps + period_ps - 1) / period_ps;
}

uint64_t effect_ps(uint64_t cycle)
{
    return up(cycle * CYCLE_PS + FLOOR_PS, INTERVAL_PS) * INTERVAL_PS;
}

class MachineClocks : public testing::Test
{
  protected:
    /* Core 0 writes and sleeps; returns when that takes effect. */
    uint64_t change(uint32_t mux, uint32_t rounds = 10)
    {
        Program program;
        program.delay(rounds);
        const uint32_t at = program.store(MUX, mux);
        program.sleep();
        bench_.run(0, program);
        bench_.mark(0, at);
        bench_.until(bench_.time_ps() + 20 * US);
        EXPECT_NE(bench_.cycle_of(at), UINT64_MAX);
        return effect_ps(bench_.cycle_of(at));
    }
    /* All the cycles that a core that sleeps has had. */
    uint64_t cycles(unsigned core)
    {
        return bench_.counter("core", static_cast<int>(core), "active_cycles") +
               bench_.counter("core", static_cast<int>(core), "sleep_cycles");
    }
    /* A core that sleeps, a timer keeping the run going. */
    void keep_going(unsigned core)
    {
        Program program;
        program.store(VIC + 0x10, TIMER_1);
        program.store(TIMER, 0x7fffff00);
        program.store(TIMER + 0x08, 0xa3);
        bench_.run(core, program.sleep());
    }
    void handler(unsigned core, const Program &program)
    {
        bench_.load(core, Program(IRQ_VECTOR).branch(HANDLER));
        bench_.load(core, program);
        bench_.mark(core, IRQ_VECTOR);
    }
    uint64_t taken(unsigned core) const
    {
        for (const recorded_mark &mark : bench_.marks) {
            if (mark.core == core && mark.address == IRQ_VECTOR) {
                return mark.cycle;
            }
        }
        return UINT64_MAX;
    }

    MachineBench bench_;
};

} // namespace

TEST_F(MachineClocks, TheRegistersShowTheConfiguredClocks)
{
    Program program;
    program.set(0, SC);
    program.emit({ldr_imm(1, 0, 0x50), ldr_imm(2, 0, 0x54), ldr_imm(3, 0, 0x60)}).sleep();
    bench_.run(0, program);
    bench_.until(10 * US);
    EXPECT_EQ(bench_.reg(0, 1), 0x00070128u);
    EXPECT_EQ(bench_.reg(0, 2), 0x0007011au);
    EXPECT_EQ(bench_.reg(0, 3), MUX_BOOTED);
}

TEST_F(MachineClocks, AChangeIsOfItsOwnClockAndFromItsTimeOn)
{
    keep_going(OF_A);
    keep_going(OF_B);
    const uint64_t effect = change(A_CRYSTAL);
    EXPECT_EQ(effect, INTERVAL_PS);
    bench_.until(effect);
    EXPECT_EQ(cycles(OF_A), effect / CYCLE_PS);
    bench_.until(effect + 1);
    EXPECT_EQ(cycles(OF_A), effect / CYCLE_PS + 1) << "the next edge is a cycle away, and long";
    bench_.until(effect + CRYSTAL_PS);
    EXPECT_EQ(cycles(OF_A), effect / CYCLE_PS + 1);
    bench_.until(effect + CRYSTAL_PS + 1);
    EXPECT_EQ(cycles(OF_A), effect / CYCLE_PS + 2);
    bench_.until(effect + 700 * US);
    EXPECT_EQ(cycles(OF_A), effect / CYCLE_PS + 7000);
    EXPECT_EQ(cycles(OF_B), (effect + 700 * US) / CYCLE_PS);
}

TEST_F(MachineClocks, ClocksChangeAgainAndAgain)
{
    keep_going(OF_A);
    keep_going(OF_B);
    const uint64_t first = change(ALL_CRYSTAL);
    bench_.until(first + 10 * US);
    /* core 0 is slow now: its cycle tells nothing of the time, but the next interval is the next */
    Program program;
    program.store(PLL1, 0x00060110);
    program.store(MUX, 0x80528821); /* 160 MHz: 6.25 ns */
    bench_.run(0, program.sleep());
    const uint64_t second = first + INTERVAL_PS;
    bench_.until(second + 25 * US);
    for (const unsigned core : {OF_A, OF_B}) {
        EXPECT_EQ(cycles(core), first / CYCLE_PS + INTERVAL_PS / CRYSTAL_PS + 4000u);
    }
    bench_.until(second + 25 * US + 6250);
    EXPECT_EQ(cycles(OF_A), first / CYCLE_PS + INTERVAL_PS / CRYSTAL_PS + 4001u);
}

TEST_F(MachineClocks, APeriodThatIsNoWholeNumberDoesNotDrift)
{
    keep_going(OF_B);
    const uint64_t effect = change(B_SLOWER);
    bench_.until(effect + 30000 * US); /* 7.5 ns: 4,000,000 */
    EXPECT_EQ(cycles(OF_B), effect / CYCLE_PS + 4000000u);
}

TEST_F(MachineClocks, ACoreThatCountsGoesOnAtItsNewSpeed)
{
    Program program;
    program.set(2, 0);
    const uint32_t loop = program.here();
    program.emit({add_imm(2, 2, 1)}).branch(loop);
    bench_.run(OF_A, program);
    const uint64_t effect = change(A_CRYSTAL);
    bench_.until(effect);
    const uint32_t before = bench_.reg(OF_A, 2);
    EXPECT_NEAR(before, static_cast<double>(effect) / CYCLE_PS / 4, 1);
    bench_.until(effect + 4000 * CRYSTAL_PS);
    EXPECT_EQ(bench_.reg(OF_A, 2), before + 1000);
}

TEST_F(MachineClocks, AMarkIsPassedAtTheTimeOfTheClockAsItIs)
{
    Program program;
    program.set(2, 0);
    const uint32_t loop = program.here();
    program.emit({add_imm(2, 2, 1)}).branch(loop); /* 4 cycles */
    bench_.run(OF_A, program);
    bench_.mark(OF_A, loop);
    const uint64_t effect = change(A_CRYSTAL);
    bench_.until(effect + 4000 * CRYSTAL_PS);
    unsigned fast = 0;
    unsigned slow = 0;
    for (const recorded_mark &mark : bench_.marks) {
        const uint64_t at_change = effect / CYCLE_PS;
        if (mark.core == OF_A && mark.cycle <= at_change) {
            fast++;
            EXPECT_EQ(mark.time_ps, mark.cycle * CYCLE_PS);
        } else if (mark.core == OF_A) {
            slow++;
            EXPECT_EQ(mark.time_ps, effect + (mark.cycle - at_change) * CRYSTAL_PS);
        }
    }
    EXPECT_NEAR(fast, static_cast<double>(effect) / CYCLE_PS / 4, 1);
    EXPECT_NEAR(slow, 1000, 1);
}

TEST_F(MachineClocks, ASignalReachesASlowCoreAtItsNextEdge)
{
    Program masked(HANDLER);
    masked.store(VIC + 0x14, FROM_SYSTEM);
    masked.emit({RETURN});
    handler(OF_A, masked);
    Program sleeper;
    sleeper.store(VIC + 0x10, FROM_SYSTEM);
    sleeper.unmask().sleep();
    bench_.run(OF_A, sleeper);
    const uint64_t effect = change(A_CRYSTAL);
    bench_.until(effect);
    Program sender(0x3000);
    sender.delay(3000);
    const uint32_t at = sender.store(SET_IRQ, CODE_OF_SYSTEM | 1u << OF_A);
    sender.sleep();
    bench_.run(0, sender);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(5000 * US), MACHINE_QUIESCENT);
    const uint64_t signal_ps = bench_.cycle_of(at) * CYCLE_PS + FLOOR_PS;
    EXPECT_EQ(taken(OF_A), effect / CYCLE_PS + up(signal_ps - effect, CRYSTAL_PS) + SYNC_AND_ENTRY);
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

TEST_F(MachineClocks, ATimerCountsTheCyclesOfItsCore)
{
    Program masked(HANDLER);
    masked.store(TIMER + 0x0c, 1);
    masked.emit({RETURN});
    handler(OF_A, masked);
    Program sleeper;
    sleeper.store(VIC + 0x10, TIMER_1);
    sleeper.store(TIMER, 0x4000);
    const uint32_t on = sleeper.store(TIMER + 0x08, 0xa3);
    sleeper.unmask().sleep();
    bench_.run(OF_A, sleeper);
    bench_.mark(OF_A, on);
    const uint64_t effect = change(A_CRYSTAL);
    bench_.until(effect);
    const uint64_t zero = bench_.cycle_of(on) + 0x4000;
    const uint64_t zero_ps = effect + (zero + 2 - effect / CYCLE_PS) * CRYSTAL_PS;
    bench_.until(zero_ps);
    EXPECT_EQ(taken(OF_A), UINT64_MAX);
    bench_.until(zero_ps + 4 * CRYSTAL_PS);
    EXPECT_EQ(taken(OF_A), zero + SYNC_AND_ENTRY);
}

/* Cycles of clock B that a load takes before and after a change. */
static std::pair<uint64_t, uint64_t> load_cycles(uint32_t mux, uint32_t address)
{
    MachineBench bench;
    Program program;
    program.set(0, address);
    const uint32_t before = program.here();
    program.emit({ldr_imm(1, 0)});
    const uint32_t behind = program.here();
    program.store(MUX, mux);
    program.delay(5000);
    program.set(0, address);
    const uint32_t before_2 = program.here();
    program.emit({ldr_imm(1, 0)});
    const uint32_t behind_2 = program.here();
    bench.run(0, program.sleep());
    for (const uint32_t at : {before, behind, before_2, behind_2}) {
        bench.mark(0, at);
    }
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    return {bench.between(before, behind), bench.between(before_2, behind_2)};
}

TEST(MachineClockDomains, TheSystemBusFollowsItsClock)
{
    /* 72 ns of bus at 133 MHz become 960 ns at 10 MHz, and 33 ns of NoC stay */
    EXPECT_EQ(load_cycles(SYSTEM_CRYSTAL, SYSTEM_RAM), (std::pair<uint64_t, uint64_t>(21, 199)));
    EXPECT_EQ(load_cycles(SYSTEM_CRYSTAL, SDRAM), (std::pair<uint64_t, uint64_t>(22, 22)));
}

TEST(MachineClockDomains, TheSdramFollowsItsClock)
{
    /* 10 clocks of 5 MHz, and 33 ns */
    EXPECT_EQ(load_cycles(MEMORY_CRYSTAL, SDRAM), (std::pair<uint64_t, uint64_t>(22, 407)));
    EXPECT_EQ(load_cycles(MEMORY_CRYSTAL, SYSTEM_RAM), (std::pair<uint64_t, uint64_t>(21, 21)));
}

TEST_F(MachineClocks, TheRouterFollowsItsClock)
{
    EXPECT_EQ(machine_set_route(bench_.get(), 0, 0, 0, 0x42, UINT32_MAX, 1u << (6 + OF_B)),
              STATUS_OK);
    Program masked(HANDLER);
    masked.store(VIC + 0x14, MULTICAST_WAITING);
    masked.emit({RETURN});
    handler(OF_B, masked);
    Program receiver;
    receiver.store(VIC + 0x10, MULTICAST_WAITING);
    receiver.unmask().sleep();
    bench_.run(OF_B, receiver);
    const uint64_t effect = change(ROUTER_CRYSTAL);
    bench_.until(effect);
    Program sender(0x3000);
    sender.delay(100);
    const uint32_t at = sender.store(COMMS + 8, 0x42);
    bench_.run(0, sender.sleep());
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(1000 * US), MACHINE_QUIESCENT);
    const uint64_t edge_ps = up(effect, 7500) * 7500; /* the first of the slow ones */
    const uint64_t since_ps = bench_.cycle_of(at) * CYCLE_PS - edge_ps;
    const uint64_t left_ps = edge_ps + (up(since_ps, CRYSTAL_PS) + 5) * CRYSTAL_PS;
    EXPECT_EQ(taken(OF_B), up(left_ps + transit_ps(), CYCLE_PS) + SYNC_AND_ENTRY);
}

TEST_F(MachineClocks, TheWatchdogFollowsTheSystemClock)
{
    Program masked(HANDLER);
    masked.store(VIC + 0x14, 1);
    masked.emit({RETURN});
    handler(OF_B, masked);
    Program sleeper;
    sleeper.store(VIC + 0x10, 1);
    const uint32_t on = sleeper.store(WATCHDOG, 10000);
    sleeper.store(WATCHDOG + 0x08, 1);
    const uint32_t enabled = sleeper.here() - 4;
    sleeper.unmask().sleep();
    bench_.run(OF_B, sleeper);
    bench_.mark(OF_B, on);
    bench_.mark(OF_B, enabled);
    const uint64_t effect = change(SYSTEM_CRYSTAL);
    bench_.until(5000 * US);
    constexpr uint64_t TICK_PS = 7500;
    const uint64_t zero = bench_.cycle_of(enabled) * CYCLE_PS / TICK_PS + 10000;
    const uint64_t edge = up(effect, TICK_PS); /* the first of the slow ones */
    const uint64_t zero_ps = edge * TICK_PS + (zero - edge) * CRYSTAL_PS;
    EXPECT_EQ(taken(OF_B), up(zero_ps + FLOOR_PS, CYCLE_PS) + SYNC_AND_ENTRY);
}

TEST_F(MachineClocks, AWriteOfTheSameValueChangesNothing)
{
    keep_going(OF_A);
    const uint64_t effect = change(MUX_BOOTED);
    bench_.until(effect + 100 * US);
    EXPECT_EQ(cycles(OF_A), (effect + 100 * US) / CYCLE_PS);
}

TEST_F(MachineClocks, AClockWhoseSourceIsOffGoesOnAndIsListed)
{
    keep_going(OF_A);
    Program program;
    program.store(PLL1, 0);
    bench_.run(0, program.sleep());
    bench_.until(200 * US);
    EXPECT_EQ(cycles(OF_A), 200 * US / CYCLE_PS);
    ASSERT_EQ(machine_unmodelled_count(bench_.get()), 1u);
    EXPECT_STREQ(machine_unmodelled(bench_.get(), 0).block, "SYSCTL");
}

TEST_F(MachineClocks, AConfigurationWithoutASettingKeepsItsClock)
{
    machine_config config = bench_config();
    config.parameters.clock_cpu_hz = 123456789;
    MachineBench bench(config);
    Program program;
    program.store(MUX, 0x809488a5); /* as near as the registers come: no change */
    program.store(VIC + 0x10, TIMER_1);
    program.store(TIMER, 0x7fffff00);
    program.store(TIMER + 0x08, 0xa3);
    bench.run(0, program.sleep());
    bench.until(1000 * US);
    EXPECT_EQ(bench.counter("core", 0, "active_cycles") + bench.counter("core", 0, "sleep_cycles"),
              123457u);
}

TEST_F(MachineClocks, ASavedMachineKeepsItsClocks)
{
    keep_going(OF_A);
    const uint64_t effect = change(A_CRYSTAL);
    bench_.until(effect + 10 * US);
    size_t size = 0;
    uint8_t *bytes = machine_save(bench_.get(), &size);
    MachineBench other;
    EXPECT_EQ(machine_load(other.get(), bytes, size), STATUS_OK);
    free(bytes);
    other.until(effect + 110 * US);
    EXPECT_EQ(other.counter("core", OF_A, "active_cycles") +
                  other.counter("core", OF_A, "sleep_cycles"),
              effect / CYCLE_PS + 1100);
}

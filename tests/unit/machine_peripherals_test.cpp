/* The chip's register blocks as a core reaches them: SDRAM controller and watchdog. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t PL340 = 0xf0000000;
constexpr uint32_t PL340_BUFFERED = 0xe0000000;
constexpr uint32_t WATCHDOG = 0xf3000000;

constexpr uint32_t LOAD = 0x000;
constexpr uint32_t COUNT = 0x004;
constexpr uint32_t CONTROL = 0x008;
constexpr uint32_t LOCK = 0xc00;
constexpr uint32_t UNLOCK = 0x1acce551;

/* Edges of the system clock (133 MHz, 7.5 ns) up to a core cycle. */
constexpr uint64_t system_ticks(uint64_t cycle)
{
    return (cycle * 2 + 2) / 3;
}

TEST(MachinePl340, IsSetUpAndAnswers)
{
    MachineBench bench;
    Program program;
    program.store(PL340 + 0x10, 1014);               /* refresh period */
    program.store(PL340 + 0x04, 0);                  /* go */
    program.store(PL340_BUFFERED + 0x304, 1u << 24); /* enable the loop */
    program.set(r0, PL340);
    program.emit({ldr_imm(r1, r0), ldr_imm(r2, r0, 0x10), ldr_imm(r3, r0, 0x300)});
    program.sleep();
    bench.run(3, program);
    EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(3, 1), 0xb5u);
    EXPECT_EQ(bench.reg(3, 2), 1014u);
    EXPECT_EQ(bench.reg(3, 3), 1u << 18);
    EXPECT_EQ(bench.counter("chip", -1, "unmodelled_accesses"), 0u);
}

TEST(MachinePl340, RefusesPartsOfWords)
{
    MachineBench bench;
    bench.stop_at_fault = true;
    Program program;
    program.set(r0, PL340);
    program.emit({ldrb_imm(r1, r0)});
    bench.run(0, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_STOPPED);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
}

/* As the monitor processor does it at its start. */
TEST(MachineWatchdog, CanBeUnlockedAndTurnedOff)
{
    MachineBench bench;
    Program program;
    program.store(WATCHDOG + LOCK, UNLOCK);
    program.store(WATCHDOG + CONTROL, 0);
    program.set(r0, WATCHDOG + 0xf00);
    program.emit({ldr_imm(r1, r0, 0xe0)});
    program.sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 1), 5u);
    EXPECT_EQ(bench.counter("chip", -1, "unmodelled_accesses"), 0u);
}

TEST(MachineWatchdog, CountsTheSystemClock)
{
    MachineBench bench;
    Program program;
    program.store(WATCHDOG + LOAD, 100000);
    const uint32_t on = program.store(WATCHDOG + CONTROL, 1);
    program.delay(1000);
    program.set(r0, WATCHDOG);
    const uint32_t look = program.here();
    program.emit({ldr_imm(r1, r0, COUNT)});
    program.store(WATCHDOG + CONTROL, 0);
    program.sleep();
    bench.run(0, program);
    bench.mark(0, on);
    bench.mark(0, look);
    EXPECT_EQ(bench.until(100 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 1),
              100000 - (system_ticks(bench.cycle_of(look)) - system_ticks(bench.cycle_of(on))));
}

} // namespace

/* The chip's register blocks as a core reaches them: SDRAM controller and
 * watchdog. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

#include <vector>

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

constexpr uint32_t INT_CLEAR = 0x00c;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint64_t FLOOR_PS = 135000;   /* from the watchdog to a core's pins */
constexpr uint64_t TICK_PS = 7500;      /* 133 MHz */

/* Edges of the system clock up to a core cycle. */
constexpr uint64_t system_ticks(uint64_t cycle)
{
    return cycle * CYCLE_PS / TICK_PS;
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

/* Core 0 sets the watchdog up; cores 0 and 5 sleep with source 0 enabled, and
 * core 0 clears it. */
class MachineWatchdogInterrupt : public testing::Test
{
  protected:
    MachineWatchdogInterrupt()
    {
        for (const unsigned core : {0u, 5u}) {
            bench_.load(core, Program(IRQ_VECTOR).branch(HANDLER));
            bench_.mark(core, IRQ_VECTOR);
        }
    }

    /* Returns the time at which the watchdog begins to count. */
    uint64_t start(uint32_t load, uint32_t control, bool clear)
    {
        Program handler(HANDLER);
        if (clear) {
            handler.store(WATCHDOG + INT_CLEAR, 0);
            handler.delay(20); /* until its pins have heard of it */
        } else {
            handler.store(VIC + 0x14, 1);
        }
        handler.emit({RETURN});
        bench_.load(0, handler);
        Program other(HANDLER);
        other.store(VIC + 0x14, 1); /* source 0 disabled */
        other.emit({RETURN});
        bench_.load(5, other);
        Program sleeper(MAIN);
        sleeper.store(VIC + 0x10, 1);
        sleeper.unmask().sleep();
        bench_.run(5, sleeper);
        Program program(MAIN);
        program.store(VIC + 0x10, 1);
        program.store(WATCHDOG + LOAD, load);
        const uint32_t on = program.store(WATCHDOG + CONTROL, control);
        program.unmask().sleep();
        bench_.mark(0, on);
        bench_.run(0, program);
        EXPECT_EQ(bench_.until(2 * US), MACHINE_REACHED);
        return system_ticks(bench_.cycle_of(on)) * TICK_PS;
    }

    /* Cycles of the arrivals of a core at the interrupt vector. */
    std::vector<uint64_t> interrupts(unsigned core)
    {
        std::vector<uint64_t> cycles;
        for (const recorded_mark &mark : bench_.marks) {
            if (mark.core == core && mark.address == IRQ_VECTOR) {
                cycles.push_back(mark.cycle);
            }
        }
        return cycles;
    }

    MachineBench bench_;
};

TEST_F(MachineWatchdogInterrupt, ComesToAllCoresAtItsTime)
{
    const uint64_t begin_ps = start(1000, 1, false);
    const uint64_t pins_cycle = (begin_ps + 1000 * TICK_PS + FLOOR_PS) / CYCLE_PS;
    bench_.until(50 * US);
    ASSERT_EQ(interrupts(0).size(), 1u);
    ASSERT_EQ(interrupts(5).size(), 1u);
    EXPECT_EQ(interrupts(0)[0], interrupts(5)[0]);
    EXPECT_GE(interrupts(0)[0], pins_cycle);
    EXPECT_LE(interrupts(0)[0], pins_cycle + 10) << "waking, and entering the handler";
    EXPECT_EQ(bench_.counter("chip", -1, "unmodelled_accesses"), 0u);
}

TEST_F(MachineWatchdogInterrupt, ComesAgainEachTimeItIsCleared)
{
    start(1000, 3, true);
    bench_.until(30 * US);
    const std::vector<uint64_t> cycles = interrupts(0);
    ASSERT_EQ(cycles.size(), 3u) << "7.5 us and a handler, three times";
    EXPECT_GE(cycles[1] - cycles[0], 1500u);
    EXPECT_LE(cycles[1] - cycles[0], 1600u);
    EXPECT_EQ(interrupts(5).size(), 1u) << "it has disabled its source";
    EXPECT_EQ(bench_.counter("chip", -1, "unmodelled_accesses"), 0u) << "never a reset";
}

TEST_F(MachineWatchdogInterrupt, IsAwaitedWhenItIsSetUpThroughTheWriteBuffer)
{
    bench_.load(0, Program(HANDLER).emit({RETURN}));
    Program program(MAIN);
    program.write_buffer_on();
    program.store(VIC + 0x10, 1);
    program.unmask();
    program.store(WATCHDOG - 0x10000000 + LOAD, 20);
    program.store(WATCHDOG - 0x10000000 + CONTROL, 1);
    program.nops(500).store(VIC + 0x14, 1);
    program.sleep();
    bench_.run(0, program);
    (void)bench_.until(10 * US);
    EXPECT_NE(bench_.cycle_of(IRQ_VECTOR), UINT64_MAX);
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

} // namespace

/* The router's three interrupts: at which cycle they reach the cores, and what takes them away. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t CONTROL = ROUTER + 0x000;
constexpr uint32_t ERROR_STATUS = ROUTER + 0x014;
constexpr uint32_t DUMP_STATUS = ROUTER + 0x028;
constexpr uint32_t DIAGNOSTIC = ROUTER + 0x02c;
constexpr uint32_t FILTER = ROUTER + 0x200;
constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t CONTROL_RESET = 0x00400001;
constexpr uint32_t ON_DUMP = 1u << 2;
constexpr uint32_t ON_ERROR = 1u << 1;
constexpr uint32_t ANY_DUMP = 0x4001fcff; /* a filter: whatever is dumped, with its interrupt */
constexpr uint32_t COUNTER = 1u << 15;
constexpr uint32_t DUMP = 1u << 16;
constexpr uint32_t ERROR = 1u << 17;

constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint64_t CLOCK_PS = 7500;     /* of the router */
constexpr uint64_t PIPELINE = 5;
constexpr uint64_t FLOOR_PS = 135000;
constexpr uint64_t SYNC_AND_ENTRY = 2 + 3;

uint64_t up(uint64_t time_ps, uint64_t period_ps)
{
    return (time_ps + period_ps - 1) / period_ps;
}

/* The cycle at which a core stands at its IRQ vector after an act of the fabric. */
uint64_t taken(uint64_t cause_ps)
{
    return up(cause_ps + FLOOR_PS, CYCLE_PS) + SYNC_AND_ENTRY;
}

/* When a packet that a core has sent at a cycle leaves the router for nowhere. */
uint64_t routed_ps(uint64_t cycle)
{
    return (up(cycle * CYCLE_PS, CLOCK_PS) + PIPELINE) * CLOCK_PS;
}

/* Core 0 has packets lost and goes on; core 5 sleeps.  Both have a source enabled. */
class MachineRouterInterrupts : public testing::Test
{
  protected:
    void prepare(uint32_t source, const Program &handler)
    {
        for (const unsigned core : {0u, 5u}) {
            bench_.load(core, Program(IRQ_VECTOR).branch(HANDLER));
            bench_.mark(core, IRQ_VECTOR);
        }
        bench_.load(0, handler);
        Program other(HANDLER);
        other.store(VIC + 0x14, source);
        other.emit({RETURN});
        bench_.load(5, other);
        Program sleeper(MAIN);
        sleeper.store(VIC + 0x10, source);
        sleeper.unmask().sleep();
        bench_.run(5, sleeper);
    }
    void go(Program &program)
    {
        program.nops(400);
        program.sleep();
        bench_.run(0, program);
        EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
    }
    std::vector<uint64_t> arrivals(unsigned core) const
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

/* Reads a status register, and waits until the pins must have heard of it. */
Program reader(uint32_t status)
{
    Program handler(HANDLER);
    handler.set(r0, status).emit({ldr_imm(r1, r0)});
    handler.nops(20).emit({RETURN});
    return handler;
}

/* The three instructions that a store takes with these values come before the address returned. */
uint32_t lose_packet(Program &program)
{
    return program.store(COMMS + 8, 0x77); /* no entry has this key */
}

using Cycles = std::vector<uint64_t>;

} // namespace

TEST_F(MachineRouterInterrupts, ADumpInterruptsAllCoresAtItsCycle)
{
    for (unsigned offset = 0; offset < 3; offset++) { /* whatever the phase of the clocks */
        MachineRouterInterrupts::bench_.marks.clear();
        MachineBench &bench = bench_;
        prepare(DUMP, reader(DUMP_STATUS));
        Program program(MAIN);
        program.store(VIC + 0x10, DUMP);
        program.store(CONTROL, CONTROL_RESET | ON_DUMP);
        program.unmask().nops(offset);
        const uint32_t at = lose_packet(program);
        bench.mark(0, at);
        program.nops(400);
        program.store(VIC + 0x14, DUMP);
        program.sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(bench.time_ps() + 50 * US), MACHINE_QUIESCENT);
        const Cycles expected = {taken(routed_ps(bench.cycle_of(at)))};
        EXPECT_EQ(arrivals(0), expected) << "running";
        EXPECT_EQ(arrivals(5), expected) << "asleep";
        EXPECT_EQ(machine_late_interrupts(bench.get()), 0u);
    }
}

TEST_F(MachineRouterInterrupts, ADumpThatNobodyWantsIsSilentUntilItIsEnabled)
{
    prepare(DUMP, reader(DUMP_STATUS));
    Program program(MAIN);
    program.store(VIC + 0x10, DUMP);
    program.unmask();
    (void)lose_packet(program);
    program.nops(200);
    const uint32_t on = program.store(CONTROL, CONTROL_RESET | ON_DUMP);
    bench_.mark(0, on);
    go(program);
    const uint64_t on_ps = bench_.cycle_of(on) * CYCLE_PS;
    EXPECT_EQ(arrivals(0), Cycles{taken(on_ps)});
    EXPECT_EQ(arrivals(5), Cycles{taken(on_ps)});
}

TEST_F(MachineRouterInterrupts, ADumpIsALevelUntilItsStatusIsRead)
{
    prepare(DUMP, Program(HANDLER).set(r2, 1).nops(40).emit({add_imm(r3, r3, 1), RETURN}));
    Program program(MAIN);
    program.store(VIC + 0x10, DUMP);
    program.store(CONTROL, CONTROL_RESET | ON_DUMP);
    program.set(r3, 0).unmask();
    (void)lose_packet(program);
    program.nops(400);
    program.sleep();
    bench_.run(0, program);
    (void)bench_.until(20 * US);
    EXPECT_GT(bench_.reg(0, 3), 50u) << "again and again, as nobody reads the status";
    EXPECT_EQ(arrivals(5).size(), 1u) << "who disables the source is left alone";
}

TEST_F(MachineRouterInterrupts, ASecondDumpBeforeTheFirstIsReadChangesNoLine)
{
    prepare(DUMP, reader(DUMP_STATUS));
    Program program(MAIN);
    program.store(CONTROL, CONTROL_RESET | ON_DUMP);
    const uint32_t first = lose_packet(program);
    program.nops(60);
    (void)lose_packet(program);
    program.nops(60);
    program.store(VIC + 0x10, DUMP);
    program.unmask();
    bench_.mark(0, first);
    go(program);
    EXPECT_EQ(arrivals(0).size(), 1u);
    EXPECT_EQ(arrivals(5), Cycles{taken(routed_ps(bench_.cycle_of(first)))});
    EXPECT_EQ(bench_.reg(0, 1), 0xc0000000u) << "dumped, and more than one";
}

/* What a look at the raw status finds some cycles after the load of the dump status has begun. */
TEST_F(MachineRouterInterrupts, TheLineFallsTheSignalFloorAfterTheRead)
{
    const auto level = [](unsigned wait) {
        MachineBench bench;
        Program program(MAIN);
        program.store(CONTROL, CONTROL_RESET | ON_DUMP);
        (void)lose_packet(program);
        program.nops(100).set(r0, DUMP_STATUS).set(r4, VIC);
        const uint32_t read = program.here();
        program.emit({ldr_imm(r1, r0)}).nops(wait);
        const uint32_t look = program.here();
        program.emit({ldr_imm(r2, r4, 8)});
        program.sleep();
        bench.run(0, program);
        bench.mark(0, read);
        bench.mark(0, look);
        EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 1), 0x80000000u);
        return std::make_pair(bench.between(read, look) * CYCLE_PS, bench.reg(0, 2) & DUMP);
    };
    bool seen_high = false;
    bool seen_low = false;
    for (unsigned wait = 0; wait < 12; wait++) {
        const auto [after_ps, dump] = level(wait);
        EXPECT_EQ(dump, after_ps < FLOOR_PS ? DUMP : 0u) << after_ps;
        seen_high |= dump != 0;
        seen_low |= dump == 0;
    }
    EXPECT_TRUE(seen_high && seen_low);
}

TEST_F(MachineRouterInterrupts, AnErrorInterruptsAtTheCycleOfTheInput)
{
    prepare(ERROR, reader(ERROR_STATUS));
    Program program(MAIN);
    program.store(VIC + 0x10, ERROR);
    program.store(CONTROL, CONTROL_RESET | ON_ERROR);
    program.store(COMMS + 0x18, 0);   /* as if it had come by link 0, with its own time stamp: */
    program.store(COMMS, 0x000c0000); /* two phases old */
    program.unmask();
    const uint32_t at = lose_packet(program);
    bench_.mark(0, at);
    go(program);
    const uint64_t input_ps = bench_.cycle_of(at) * CYCLE_PS;
    EXPECT_EQ(arrivals(0), Cycles{taken(input_ps)});
    EXPECT_EQ(arrivals(5), Cycles{taken(input_ps)});
    EXPECT_EQ(bench_.reg(0, 1), 0x88000000u);
}

TEST_F(MachineRouterInterrupts, ADiagnosticCounterInterruptsWhileItsFilterSaysSo)
{
    prepare(COUNTER, reader(FILTER + 4 * 3));
    Program program(MAIN);
    program.store(VIC + 0x10, COUNTER);
    program.store(FILTER + 4 * 3, ANY_DUMP);
    program.store(DIAGNOSTIC, 1u << 3);
    program.unmask();
    const uint32_t at = lose_packet(program);
    bench_.mark(0, at);
    go(program);
    EXPECT_EQ(arrivals(0), Cycles{taken(routed_ps(bench_.cycle_of(at)))});
    EXPECT_EQ(bench_.reg(0, 1), ANY_DUMP | 0xa0000000u);
}

TEST_F(MachineRouterInterrupts, ADiagnosticCounterWithoutItsEnableIsSilent)
{
    prepare(COUNTER, reader(FILTER + 4 * 3));
    Program program(MAIN);
    program.store(VIC + 0x10, COUNTER);
    program.store(FILTER + 4 * 3, ANY_DUMP & ~0x40000000u);
    program.store(DIAGNOSTIC, 1u << 3);
    program.unmask();
    (void)lose_packet(program);
    go(program);
    EXPECT_EQ(arrivals(0), Cycles{});
    EXPECT_EQ(arrivals(5), Cycles{});
}

/* Not the router's, but all cores' too. */
TEST_F(MachineRouterInterrupts, PinsEightAndNineInterruptWhileTheyAreHigh)
{
    constexpr uint32_t PINS = 0xf2000040;
    for (const unsigned pin : {8u, 9u}) {
        bench_.marks.clear();
        prepare(1u << (22 + pin), Program(HANDLER).set(r4, 1).emit({RETURN}));
        Program handler(HANDLER);
        handler.store(PINS + 0x0c, 1u << pin); /* low again */
        handler.nops(20).emit({RETURN});
        bench_.load(0, handler);
        Program program(MAIN);
        program.store(VIC + 0x10, 1u << (22 + pin));
        program.store(PINS + 0x04, ~(1u << pin)); /* an output */
        program.unmask();
        const uint32_t at = program.store(PINS + 0x08, 1u << pin);
        bench_.mark(0, at);
        program.nops(400);
        bench_.run(0, program.sleep());
        EXPECT_EQ(bench_.until(bench_.time_ps() + 50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(arrivals(0), Cycles{taken(bench_.cycle_of(at) * CYCLE_PS)});
        EXPECT_EQ(arrivals(5), arrivals(0));
    }
}

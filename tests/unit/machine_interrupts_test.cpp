/* Interrupts reach a core at their exact cycle, from its own blocks and from other cores. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t FIQ_VECTOR = 0x1c;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint64_t SYNC = 2;            /* from pin to core */
constexpr uint64_t ENTRY = 3;
constexpr uint32_t TIMER_1 = 1u << 4;
constexpr uint32_t TIMER_2 = 1u << 5;
constexpr uint32_t FROM_SYSTEM = 1u << 18;
constexpr uint32_t READY_TO_SEND = 1u << 23 | 1u << 11; /* an idle communications controller */
constexpr uint32_t SET_IRQ = 0xf2000008;
constexpr uint32_t CLEAR_IRQ = 0xf200000c;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint64_t FLOOR_CYCLES = 27; /* 135 ns */

/* Core 0 with an interrupt handler; marks at both vectors. */
class MachineInterrupts : public testing::Test
{
  protected:
    MachineInterrupts()
    {
        bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
        bench_.load(0, Program(FIQ_VECTOR).branch(HANDLER));
        bench_.mark(0, IRQ_VECTOR);
        bench_.mark(0, FIQ_VECTOR);
    }

    void handler(Program &program)
    {
        program.emit({RETURN});
        bench_.load(0, program);
    }

    void handler_that_stores(uint32_t address, uint32_t value)
    {
        Program program(HANDLER);
        program.store(address, value);
        handler(program);
    }

    /* A sender on core 5; returns where it stores. */
    uint32_t sender(uint32_t rounds, uint32_t register_address, uint32_t value)
    {
        Program program(MAIN);
        program.delay(rounds);
        const uint32_t at = program.store(register_address, value);
        program.sleep();
        bench_.run(5, program);
        bench_.mark(5, at);
        return at;
    }

    unsigned arrivals(uint32_t address) const
    {
        unsigned count = 0;
        for (const recorded_mark &mark : bench_.marks) {
            count += mark.address == address;
        }
        return count;
    }

    MachineBench bench_;
};

TEST_F(MachineInterrupts, ATimerInterruptsAtItsCycle)
{
    handler_that_stores(TIMER + 0x0c, 1);
    Program program(MAIN);
    program.store(VIC + 0x10, TIMER_1);
    program.store(TIMER + 0x00, 1000);
    const uint32_t on = program.store(TIMER + 0x08, 0xa3); /* one-shot, 32 bits */
    program.unmask().nops(1200).sleep();
    bench_.run(0, program);
    bench_.mark(0, on);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(on, IRQ_VECTOR), 1000 + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 1u);
}

/* As the host does through a monitor processor: at the floor after the machine's time, those cores
 * only, and nothing where there is no chip. */
TEST_F(MachineInterrupts, TheHostsSignalComesAtTheFloorAfterNow)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    Program program(MAIN);
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.unmask().sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(10 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(machine_signal_cores(bench_.get(), 9, 9, 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_signal_cores(bench_.get(), 0, 0, 1u << 3), STATUS_OK); /* not this core */
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 0u);
    const uint64_t now = machine_time_ps(bench_.get()) / CYCLE_PS;
    EXPECT_EQ(machine_signal_cores(bench_.get(), 0, 0, 1), STATUS_OK);
    EXPECT_EQ(bench_.until(30 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.cycle_of(IRQ_VECTOR), now + FLOOR_CYCLES + SYNC + ENTRY);
}

TEST_F(MachineInterrupts, ASleepingCoreWakesAtTheSameCycle)
{
    handler_that_stores(TIMER + 0x0c, 1);
    Program program(MAIN);
    program.store(VIC + 0x10, TIMER_1);
    program.store(TIMER + 0x00, 1000);
    const uint32_t on = program.store(TIMER + 0x08, 0xa3);
    program.unmask().sleep();
    bench_.run(0, program);
    bench_.mark(0, on);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(on, IRQ_VECTOR), 1000 + SYNC + ENTRY);
}

TEST_F(MachineInterrupts, NothingHappensACycleTooEarly)
{
    handler_that_stores(TIMER + 0x0c, 1);
    Program program(MAIN);
    program.store(VIC + 0x10, TIMER_1);
    program.store(TIMER + 0x00, 1000);
    const uint32_t on = program.store(TIMER + 0x08, 0xa3);
    program.unmask().sleep();
    bench_.run(0, program);
    bench_.mark(0, on);
    bench_.until(3 * US);
    const uint64_t wake = bench_.cycle_of(on) + 1000 + SYNC;
    EXPECT_EQ(bench_.until(wake * CYCLE_PS), MACHINE_REACHED);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 0u);
    const uint64_t slept = bench_.counter("core", 0, "sleep_cycles");
    bench_.until((wake + ENTRY + 1) * CYCLE_PS);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 1u);
    EXPECT_EQ(bench_.counter("core", 0, "sleep_cycles"), slept) << "not a cycle longer";
}

TEST_F(MachineInterrupts, SleepIsCountedToTheCycle)
{
    uint64_t active[2] = {};
    uint64_t slept[2] = {};
    for (int i = 0; i < 2; i++) {
        MachineBench bench;
        Program program(MAIN);
        program.store(VIC + 0x10, TIMER_1);
        program.store(TIMER + 0x00, i == 0 ? 0x1100 : 0x1900);
        program.store(TIMER + 0x08, 0xa3);
        program.emit({wait_for_interrupt()}).nops(10); /* interrupts are masked: it just goes on */
        program.store(TIMER + 0x0c, 1);
        program.sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(100 * US), MACHINE_QUIESCENT);
        active[i] = bench.counter("core", 0, "active_cycles");
        slept[i] = bench.counter("core", 0, "sleep_cycles");
        EXPECT_EQ((active[i] + slept[i]) * CYCLE_PS, bench.time_ps());
    }
    EXPECT_EQ(active[1], active[0]);
    EXPECT_EQ(slept[1], slept[0] + 0x800);
}

TEST_F(MachineInterrupts, SleepIsCountedToTheEndOfTheRun)
{
    /* a timer that nobody asked for keeps nobody awake, one that is awaited keeps the run going */
    Program program(MAIN);
    program.store(VIC + 0x10, TIMER_2);
    program.store(TIMER + 0x20, 0x7fffff00);
    program.store(TIMER + 0x28, 0xa3);
    program.sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(100 * US), MACHINE_REACHED);
    EXPECT_EQ(bench_.time_ps(), 100 * US);
    EXPECT_EQ(bench_.counter("core", 0, "active_cycles") +
                  bench_.counter("core", 0, "sleep_cycles"),
              100 * US / CYCLE_PS);
}

TEST_F(MachineInterrupts, APeriodicTimerInterruptsEveryPeriod)
{
    Program program(HANDLER);
    program.store(TIMER + 0x0c, 1);
    handler(program);
    Program main(MAIN);
    main.store(VIC + 0x10, TIMER_1);
    main.store(TIMER + 0x00, 400);
    const uint32_t on = main.store(TIMER + 0x08, 0xe2);
    main.unmask().sleep();
    bench_.run(0, main);
    bench_.mark(0, on);
    bench_.until(1 * US);
    const uint64_t from = bench_.cycle_of(on);
    bench_.until((from + 10 * 400 + SYNC) *
                 CYCLE_PS); /* the tenth does not come through any more */
    EXPECT_EQ(arrivals(IRQ_VECTOR), 9u);
    uint64_t expected = from + SYNC + ENTRY;
    for (const recorded_mark &mark : bench_.marks) {
        if (mark.address == IRQ_VECTOR) {
            expected += 400;
            EXPECT_EQ(mark.cycle, expected);
        }
    }
}

TEST_F(MachineInterrupts, ABufferedStoreToATimerTakesEffectThreeCyclesLater)
{
    handler_that_stores(TIMER + 0x0c, 1);
    Program program(MAIN);
    program.write_buffer_on();
    program.store(VIC + 0x10, TIMER_1);
    program.store(0x21000000, 1000);
    const uint32_t on = program.store(0x21000008, 0xa3);
    program.unmask().nops(1200).sleep();
    bench_.run(0, program);
    bench_.mark(0, on);
    bench_.until(50 * US);
    EXPECT_EQ(bench_.between(on, IRQ_VECTOR), 3 + 1000 + SYNC + ENTRY);
}

TEST_F(MachineInterrupts, ASoftwareInterruptIsTakenAtOnce)
{
    handler_that_stores(VIC + 0x1c, 2);
    Program program(MAIN);
    program.store(VIC + 0x10, 2);
    program.unmask();
    const uint32_t at = program.store(VIC + 0x18, 2);
    program.nops(20).sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    /* the store itself takes 3 cycles, in which the pin is seen */
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), 3 + ENTRY);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 1u);
}

TEST_F(MachineInterrupts, TheVectorReadThroughTheHighAliasFindsTheHandler)
{
    bench_.load(0, Program(IRQ_VECTOR).emit({ldr_imm(pc, pc, -0xff0)}));
    Program program(HANDLER);
    program.set(r5, 99);
    program.store(VIC + 0x1c, 2);
    program.store(VIC + 0x30, 0);
    handler(program);
    Program main(MAIN);
    main.store(VIC + 0x100, HANDLER);
    main.store(VIC + 0x200, 0x21);
    main.store(VIC + 0x10, 2);
    main.unmask();
    main.store(VIC + 0x18, 2);
    main.nops(20).sleep();
    bench_.run(0, main);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_TRUE(bench_.faults.empty());
    EXPECT_EQ(bench_.reg(0, 5), 99u);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 1u);
}

TEST_F(MachineInterrupts, ASelectedSourceIsTakenAsFiq)
{
    handler_that_stores(VIC + 0x1c, 2);
    Program program(MAIN);
    program.store(VIC + 0x0c, 2);
    program.store(VIC + 0x10, 2);
    program.unmask();
    program.store(VIC + 0x18, 2);
    program.nops(20).sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(arrivals(FIQ_VECTOR), 1u);
    EXPECT_EQ(arrivals(IRQ_VECTOR), 0u);
}

TEST_F(MachineInterrupts, ATimerThatNobodyAwaitsKeepsNothingGoing)
{
    Program program(MAIN);
    program.store(TIMER + 0x00, 1000);
    program.store(TIMER + 0x08, 0xe2);
    const uint32_t end = program.here();
    program.sleep();
    bench_.run(0, program);
    bench_.mark(0, end);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.time_ps(), (bench_.cycle_of(end) + 2) * CYCLE_PS);
}

TEST_F(MachineInterrupts, AnEnableOnItsWayWhenTheCoreFallsAsleepArrives)
{
    handler_that_stores(TIMER + 0x0c, 1);
    Program program(MAIN);
    program.write_buffer_on();
    program.store(TIMER + 0x00, 1000);
    const uint32_t on = program.store(TIMER + 0x08, 0xa3);
    program.unmask().set(r0, 0x2f000000).set(r1, TIMER_1);
    program.emit({str_imm(r1, r0, 0x1c), str_imm(r1, r0, 0x1c), str_imm(r1, r0, 0x10)});
    program.sleep();
    bench_.run(0, program);
    bench_.mark(0, on);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(on, IRQ_VECTOR), 1000 + SYNC + ENTRY);
}

TEST_F(MachineInterrupts, ACoreThatIsStartedAnewFindsItsTimersReset)
{
    Program program(MAIN);
    program.store(TIMER + 0x00, 1000);
    program.store(TIMER + 0x08, 0xe2);
    bench_.run(0, program.sleep());
    bench_.until(50 * US);
    bench_.run(0, Program(MAIN).set(r0, TIMER).emit({ldr_imm(r1, r0, 8)}).sleep());
    bench_.until(100 * US);
    EXPECT_EQ(bench_.reg(0, 1), 0x20u);
}

/* ---- from core to core ---- */

TEST_F(MachineInterrupts, ASignalWakesAnotherCoreAfterTheSignalFloor)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    Program program(MAIN);
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.unmask().sleep();
    bench_.run(0, program);
    const uint32_t at = sender(100, SET_IRQ, CODE_OF_SYSTEM | 1);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), FLOOR_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("chip", -1, "core_signals"), 2u) << "up and down";
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

TEST_F(MachineInterrupts, ASignalInterruptsARunningCoreAtTheSameCycle)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    Program program(MAIN);
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.unmask().nops(2000).sleep();
    bench_.run(0, program);
    const uint32_t at = sender(200, SET_IRQ, CODE_OF_SYSTEM | 1);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), FLOOR_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

TEST_F(MachineInterrupts, ASignalFindsACoreThatHasUnmaskedItsInterruptsOnTheWay)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    Program program(MAIN);
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.nops(100).unmask().nops(2000).sleep();
    bench_.run(0, program);
    const uint32_t at = sender(200, SET_IRQ, CODE_OF_SYSTEM | 1);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), FLOOR_CYCLES + SYNC + ENTRY);
}

TEST_F(MachineInterrupts, ASignalFindsACoreThatEnablesItsSourceOnTheWay)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    for (const uint32_t vic : {VIC, 0x2f000000u}) {
        MachineBench &bench = bench_;
        bench.marks.clear();
        Program program(MAIN);
        program.write_buffer_on().unmask().nops(100);
        program.store(vic + 0x10, FROM_SYSTEM);
        program.nops(2000);
        program.store(VIC + 0x14, FROM_SYSTEM);
        program.sleep();
        bench.run(0, program);
        const uint32_t at = sender(200, SET_IRQ, CODE_OF_SYSTEM | 1);
        EXPECT_EQ(bench.until(bench.time_ps() + 50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.between(at, IRQ_VECTOR), FLOOR_CYCLES + SYNC + ENTRY);
    }
}

TEST_F(MachineInterrupts, ASignalLowersTheLineAgain)
{
    Program program(MAIN);
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.emit({wait_for_interrupt()});
    program.store(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    program.nops(40).set(r0, VIC).emit({ldr_imm(r1, r0, 8)}).sleep();
    bench_.run(0, program);
    sender(100, SET_IRQ, CODE_OF_SYSTEM | 1);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(0, 1), READY_TO_SEND);
}

TEST_F(MachineInterrupts, ACoreSignalsItselfThroughTheWriteBuffer)
{
    handler_that_stores(CLEAR_IRQ, CODE_OF_SYSTEM | 1);
    Program program(MAIN);
    program.write_buffer_on();
    program.store(VIC + 0x10, FROM_SYSTEM);
    program.unmask();
    const uint32_t at = program.store(0xe2000008, CODE_OF_SYSTEM | 1);
    program.nops(500).sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), FLOOR_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

TEST_F(MachineInterrupts, ACorePollingItsControllerSeesASignalInItsTurn)
{
    Program program(MAIN);
    program.set(r0, VIC);
    const uint32_t again = program.here();
    program.emit({ldr_imm(r1, r0, 8), data_imm(TST, true, 0, r1, FROM_SYSTEM)}).branch(again, EQ);
    const uint32_t seen = program.here();
    program.sleep();
    bench_.run(0, program);
    bench_.mark(0, seen);
    const uint32_t at = sender(200, SET_IRQ, CODE_OF_SYSTEM | 1);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    /* a round takes 9 cycles, of which 7 follow the look (4 and an interlock, 1, 1) */
    EXPECT_GE(bench_.between(at, seen), FLOOR_CYCLES + 7);
    EXPECT_LT(bench_.between(at, seen), FLOOR_CYCLES + 7 + 9);
}

TEST_F(MachineInterrupts, OfManySignalsAtOnceTheLastCounts)
{
    for (const unsigned senders : {11u, 12u}) {
        MachineBench bench;
        for (unsigned core = 1; core <= senders; core++) { /* odd ones raise, even ones lower */
            Program program(MAIN);
            program.store(core % 2 == 1 ? SET_IRQ : CLEAR_IRQ, CODE_OF_SYSTEM | 1);
            bench.run(core, program.sleep());
        }
        Program program(MAIN);
        program.delay(500).set(r0, VIC).emit({ldr_imm(r1, r0, 8)}).sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.counter("chip", -1, "core_signals"), senders);
        EXPECT_EQ(bench.reg(0, 1), READY_TO_SEND | (senders % 2 == 1 ? FROM_SYSTEM : 0u));
    }
}

TEST_F(MachineInterrupts, MoreSignalsThanAHandlerCanSeeAreKeptApartBySource)
{
    /* both buses of 17 cores send as fast as they can, to one core that also waits for another
     * source's change */
    MachineBench bench;
    for (unsigned core = 1; core <= 17; core++) {
        Program program(MAIN);
        program.write_buffer_on();
        program.set(r0, 0xe2000008).set(r1, CODE_OF_SYSTEM | 1).set(r2, 0xe200000c);
        if (core == 9) {
            program.store(0xf3000000, 1); /* the watchdog expires at once */
            program.store(0xf3000008, 1);
        }
        for (unsigned i = 0; i < 6; i++) {
            program.emit({str_imm(r1, core % 2 == 1 ? r0 : r2)});
        }
        bench.run(core, program.sleep());
    }
    Program program(MAIN);
    program.delay(500).set(r0, VIC).emit({ldr_imm(r1, r0, 8)}).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 1) & 1u, 1u) << "the watchdog's is not lost";
}

/* ---- who sleeps ---- */

TEST_F(MachineInterrupts, TheSleepRegisterShowsACoreAsleepOnlyWhileItIs)
{
    Program program(MAIN);
    program.delay(1000).sleep(); /* 4,000 cycles */
    bench_.run(0, program);
    Program looker(MAIN);
    looker.set(r0, 0xf2000064).emit({ldr_imm(r1, r0)});
    looker.delay(1500).emit({ldr_imm(r2, r0)}).sleep();
    bench_.run(5, looker);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(5, 1), 0u);
    EXPECT_EQ(bench_.reg(5, 2), 1u);
}

} // namespace

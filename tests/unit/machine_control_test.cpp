/* What the system controller and the watchdog do to cores: resets and stalls. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t SC = 0xf2000000;
constexpr uint32_t STALL = SC + 0x04;
constexpr uint32_t SOFT_LEVEL = SC + 0x18;
constexpr uint32_t SOFT_PULSE = SC + 0x24;
constexpr uint32_t HARD_PULSE = SC + 0x28;
constexpr uint32_t PARTS_PULSE = SC + 0x2c;
constexpr uint32_t RESET_CODE = SC + 0x30;
constexpr uint32_t MONITOR_ID = SC + 0x34;
constexpr uint32_t MISC = SC + 0x38;
constexpr uint32_t WATCHDOG = 0xf3000000;
constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint32_t RESTART = 0x2000; /* where the code behind the reset vector goes */

constexpr uint64_t INTERVAL_PS = 50 * US;
constexpr uint64_t FLOOR_PS = 135000;
constexpr uint64_t PULSE_PS = 256 * 7500;
constexpr uint64_t FETCH = 20 + 3; /* of a branch in System RAM: the wait, and its own cycles */
constexpr unsigned OTHER = 5;

/* When a write at a cycle takes effect. */
uint64_t effect_ps(uint64_t cycle)
{
    return (cycle * CYCLE_PS + FLOOR_PS + INTERVAL_PS - 1) / INTERVAL_PS * INTERVAL_PS;
}

/* Core 0 controls, core 5 is controlled.  The boot area is System RAM, with a branch to core 5's
 * RESTART in ITCM, where it keeps r2 and r3, and its peripherals' registers, in DTCM. */
class MachineControl : public testing::Test
{
  protected:
    MachineControl()
    {
        const uint32_t branch = b(0xffff0000, RESTART);
        bench_.set_word(0, SYSTEM_RAM, branch);
        Program restart(RESTART);
        restart.set(0, DTCM).emit({str_imm(2, 0), str_imm(3, 0, 4)});
        restart.set(1, TIMER).emit({ldr_imm(4, 1, 0x08), str_imm(4, 0, 8)});
        restart.set(1, VIC).emit({ldr_imm(4, 1, 0x10), str_imm(4, 0, 12)});
        restart.set(1, DMA).emit(
            {ldr_imm(4, 1, 0x14), str_imm(4, 0, 16), ldr_imm(4, 1, 0x18), str_imm(4, 0, 20)});
        restart.set(1, COMMS).emit({ldr_imm(4, 1, 0x00), str_imm(4, 0, 24)});
        restart.sleep();
        bench_.load(OTHER, restart);
        bench_.mark(OTHER, RESTART);
    }
    /* Core 0: after some cycles, writes, one some rounds behind another; returns where. */
    std::vector<uint32_t> control(unsigned nops, uint32_t rounds,
                                  const std::vector<std::pair<uint32_t, uint32_t>> &writes)
    {
        Program program;
        program.store(MISC, 1);
        program.nops(nops).delay(10);
        std::vector<uint32_t> at;
        for (const auto &[address, value] : writes) {
            at.push_back(program.store(address, value));
            program.delay(rounds);
        }
        program.sleep();
        bench_.run(0, program);
        for (const uint32_t address : at) {
            bench_.mark(0, address);
        }
        return at;
    }
    /* Core 5: counts in r2, from the mark returned on; a round takes 4 cycles. */
    uint32_t count()
    {
        Program program;
        program.store(TIMER + 0x08, 0x82);
        program.store(VIC + 0x10, 1u << 12);
        program.store(DMA + 0x18, 1u << 10);
        program.store(COMMS, 0x00800000);
        program.set(2, 0).set(3, 77);
        const uint32_t loop = program.here();
        program.emit({add_imm(2, 2, 1)}).branch(loop);
        bench_.run(OTHER, program);
        return loop - 4;
    }
    uint32_t kept(unsigned index)
    {
        return bench_.word(OTHER, DTCM + 4 * index);
    }
    uint64_t restarted() const
    {
        return bench_.cycle_of(RESTART);
    }
    void until_quiet()
    {
        EXPECT_EQ(bench_.until(1000 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
        EXPECT_EQ(bench_.counter("chip", -1, "unmodelled_accesses"), 0u);
    }

    MachineBench bench_;
};

enum { TIMER_CONTROL = 2, VIC_ENABLE, DMA_STATUS, DMA_CONTROL, COMMS_CONTROL };

} // namespace

TEST_F(MachineControl, APulseStopsACoreAtItsTimeAndStartsItAtItsEnd)
{
    for (const unsigned nops : {0u, 1u, 2u, 3u}) {
        MachineControl::bench_.marks.clear();
        const uint32_t loop = count();
        bench_.mark(OTHER, loop);
        const uint64_t begun_ps = bench_.time_ps();
        const auto at = control(nops, 10, {{SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER}});
        EXPECT_EQ(bench_.until(begun_ps + 1000 * US), MACHINE_QUIESCENT);
        const uint64_t effect = effect_ps(bench_.cycle_of(at[0]));
        EXPECT_EQ(restarted(), (effect + PULSE_PS) / CYCLE_PS + FETCH);
        const uint64_t counting = bench_.cycle_of(loop) + 1; /* the mark is a cycle before */
        EXPECT_EQ(kept(0), (effect / CYCLE_PS - counting + 3) / 4) << "no round more";
        EXPECT_EQ(kept(1), 77u);
        EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
    }
}

TEST_F(MachineControl, TheWriteThatJustMakesItWaitsNoFurtherInterval)
{
    bool next = false;
    bool same = false;
    for (unsigned rounds = 2450; rounds < 2490; rounds++) { /* about 50 us */
        MachineBench bench;
        bench.set_word(0, SYSTEM_RAM, b(0xffff0000, RESTART));
        bench.load(OTHER, Program(RESTART).sleep());
        bench.run(OTHER, Program().sleep());
        Program program;
        program.store(MISC, 1);
        program.delay(rounds);
        const uint32_t at = program.store(SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER);
        bench.run(0, program.sleep());
        bench.mark(0, at);
        bench.mark(OTHER, RESTART);
        EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
        const uint64_t effect = effect_ps(bench.cycle_of(at));
        EXPECT_EQ(bench.cycle_of(RESTART), (effect + PULSE_PS) / CYCLE_PS + FETCH);
        same |= effect == INTERVAL_PS;
        next |= effect == 2 * INTERVAL_PS;
    }
    EXPECT_TRUE(same && next);
}

TEST_F(MachineControl, ASoftResetLeavesTimersAndInterruptControllerAlone)
{
    (void)count();
    (void)control(0, 10, {{SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER}});
    until_quiet();
    EXPECT_EQ(kept(TIMER_CONTROL), 0x82u);
    EXPECT_EQ(kept(VIC_ENABLE), 1u << 12);
    EXPECT_EQ(kept(DMA_STATUS), OTHER << 24 | 1u << 17) << "says that it was";
    EXPECT_EQ(kept(DMA_CONTROL), 0u);
    EXPECT_EQ(kept(COMMS_CONTROL), 0x90000000u);
}

TEST_F(MachineControl, AHardResetDoesNot)
{
    (void)count();
    (void)control(0, 10, {{HARD_PULSE, CODE_OF_SYSTEM | 1u << OTHER}});
    until_quiet();
    EXPECT_EQ(kept(TIMER_CONTROL), 0x20u);
    EXPECT_EQ(kept(VIC_ENABLE), 0u);
    EXPECT_EQ(kept(DMA_STATUS), OTHER << 24);
    EXPECT_EQ(kept(COMMS_CONTROL), 0x90000000u);
}

TEST_F(MachineControl, ALevelHoldsACoreUntilItFalls)
{
    (void)count();
    const auto at = control(
        0, 20000,
        {{SOFT_LEVEL, CODE_OF_SYSTEM | 1u << OTHER}, {SOFT_LEVEL, CODE_OF_SYSTEM}}); /* 400 us */
    bench_.until(300 * US);
    EXPECT_EQ(restarted(), UINT64_MAX);
    const uint32_t held = bench_.reg(OTHER, 2);
    bench_.until(400 * US);
    EXPECT_EQ(bench_.reg(OTHER, 2), held);
    until_quiet();
    EXPECT_EQ(restarted(), effect_ps(bench_.cycle_of(at[1])) / CYCLE_PS + FETCH);
    EXPECT_EQ(kept(0), held);
}

TEST_F(MachineControl, ALevelThatFallsWithinTheIntervalHasResetAllTheSame)
{
    const uint32_t loop = count();
    bench_.mark(OTHER, loop);
    const auto at =
        control(0, 10, {{SOFT_LEVEL, CODE_OF_SYSTEM | 1u << OTHER}, {SOFT_LEVEL, CODE_OF_SYSTEM}});
    until_quiet();
    uint64_t boundary = effect_ps(bench_.cycle_of(at[0])) / CYCLE_PS;
    while ((boundary - bench_.cycle_of(loop) - 1) % 4 > 1) { /* the branch has three cycles */
        boundary++;
    }
    EXPECT_EQ(restarted(), boundary + FETCH);
}

TEST_F(MachineControl, ACoreThatWasNeverStartedBeginsWithAReset)
{
    const auto at = control(0, 10, {{SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER}});
    until_quiet();
    EXPECT_EQ(restarted(), (effect_ps(bench_.cycle_of(at[0])) + PULSE_PS) / CYCLE_PS + FETCH);
}

TEST_F(MachineControl, ACoreResetsItself)
{
    Program program;
    program.store(MISC, 1);
    const uint32_t at = program.store(SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER);
    const uint32_t loop = program.here();
    program.branch(loop);
    bench_.run(OTHER, program);
    bench_.mark(OTHER, at);
    until_quiet();
    EXPECT_EQ(restarted(), (effect_ps(bench_.cycle_of(at)) + PULSE_PS) / CYCLE_PS + FETCH);
}

TEST_F(MachineControl, WithoutABootRomACoreEndsAtItsResetVector)
{
    (void)count();
    Program program;
    program.store(SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER);
    bench_.run(0, program.sleep());
    EXPECT_EQ(bench_.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(restarted(), UINT64_MAX);
    ASSERT_FALSE(bench_.faults.empty());
    EXPECT_EQ(bench_.faults[0].fault.pc, 0xffff0000u);
    EXPECT_EQ(bench_.faults[0].core, OTHER);
    ASSERT_GE(machine_unmodelled_count(bench_.get()), 1u);
    EXPECT_STREQ(machine_unmodelled(bench_.get(), 0).block, "ROM");
}

TEST_F(MachineControl, APacketWaitsForACoreInReset)
{
    EXPECT_EQ(machine_set_route(bench_.get(), 0, 0, 0, 0x42, UINT32_MAX, 1u << (6 + OTHER)),
              STATUS_OK);
    Program restart(RESTART);
    restart.set(1, COMMS).emit({ldr_imm(4, 1, 0x0c), ldr_imm(5, 1, 0x14)}).sleep();
    bench_.load(OTHER, restart);
    (void)count();
    (void)control(0, 20000,
                  {{SOFT_LEVEL, CODE_OF_SYSTEM | 1u << OTHER},
                   {COMMS + 8, 0x42},
                   {SOFT_LEVEL, CODE_OF_SYSTEM}});
    EXPECT_EQ(bench_.until(3000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(OTHER, 4) >> 31, 1u);
    EXPECT_EQ(bench_.reg(OTHER, 5), 0x42u);
}

TEST_F(MachineControl, AResetForgetsAPacketOnItsWayOutAndATransfer)
{
    EXPECT_EQ(machine_set_route(bench_.get(), 0, 0, 0, 0x42, UINT32_MAX, 1u << (6 + 0)), STATUS_OK);
    Program program; /* sends without end, and has the longest of transfers under way */
    program.store(DMA + 0x04, SDRAM);
    program.store(DMA + 0x08, DTCM);
    program.store(DMA + 0x0c, 1u << 21 | 0xfff0);
    program.set(1, COMMS).set(2, 0x42);
    const uint32_t loop = program.here();
    program.emit({str_imm(2, 1, 8)}).nops(4).branch(loop);
    bench_.run(OTHER, program);
    (void)control(0, 10, {{SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER}});
    until_quiet();
    EXPECT_EQ(kept(DMA_STATUS), OTHER << 24 | 1u << 17);
    EXPECT_EQ(kept(COMMS_CONTROL), 0x90000000u);
}

/* ---- stalls ---- */

TEST_F(MachineControl, AStalledCoreStandsBeforeItsNextAccess)
{
    for (const uint32_t address : {SDRAM_UNBUFFERED, TIMER + 0x04, VIC, COMMS, uint32_t{SC}}) {
        MachineBench bench;
        Program program;
        program.store(STALL, CODE_OF_SYSTEM | 1u << OTHER);
        program.delay(20000);
        const uint32_t on = program.store(STALL, CODE_OF_SYSTEM);
        bench.run(0, program.sleep());
        Program reader; /* a round: the access, and 25 us in its TCM */
        reader.set(0, address).set(2, 0);
        const uint32_t loop = reader.here();
        reader.emit({ldr_imm(1, 0), add_imm(2, 2, 1)}).delay(1250).branch(loop);
        bench.run(OTHER, reader);
        bench.mark(0, on);
        bench.mark(OTHER, loop);
        bench.until(300 * US);
        const uint32_t rounds = bench.reg(OTHER, 2);
        EXPECT_GE(rounds, 2u);
        bench.until(400 * US);
        EXPECT_EQ(bench.reg(OTHER, 2), rounds) << std::hex << address;
        EXPECT_EQ(bench.reg(OTHER, 15), loop);
        const size_t marks = bench.marks.size();
        bench.until(600 * US);
        /* what the access and the round take from there on is what they take at other times */
        const uint64_t round = bench.marks[1].cycle - bench.marks[0].cycle;
        const uint64_t expected = effect_ps(bench.cycle_of(on)) / CYCLE_PS + round;
        ASSERT_GT(bench.marks.size(), marks + 1);
        EXPECT_EQ(bench.marks[marks].core, 0u);
        EXPECT_NEAR(static_cast<double>(bench.marks[marks + 1].cycle),
                    static_cast<double>(expected), 1);
        EXPECT_EQ(machine_late_interrupts(bench.get()), 0u);
    }
}

TEST_F(MachineControl, ACoreInItsTcmIsNotStalled)
{
    (void)count();
    (void)control(0, 10, {{STALL, CODE_OF_SYSTEM | 1u << OTHER}});
    bench_.until(300 * US);
    const uint32_t before = bench_.reg(OTHER, 2);
    bench_.until(300 * US + 4000 * CYCLE_PS);
    EXPECT_EQ(bench_.reg(OTHER, 2), before + 1000);
}

TEST_F(MachineControl, AStalledCoresAccessToNothingAbortsWhenItGoesOn)
{
    Program program;
    program.store(STALL, CODE_OF_SYSTEM | 1u << OTHER);
    program.delay(20000);
    program.store(STALL, CODE_OF_SYSTEM);
    bench_.run(0, program.sleep());
    Program reader;
    reader.delay(10000).set(0, 0x50000000).emit({ldr_imm(1, 0)}).sleep();
    bench_.run(OTHER, reader);
    bench_.load(OTHER, Program(0x10).sleep());
    bench_.until(400 * US);
    EXPECT_TRUE(bench_.faults.empty());
    bench_.until(1000 * US);
    EXPECT_EQ(bench_.faults.size(), 1u);
}

/* ---- the watchdog, and the chip ---- */

TEST_F(MachineControl, TheWatchdogsInterruptResetsTheMonitorAlone)
{
    (void)count();
    Program program;
    program.store(MISC, 1);
    program.store(MONITOR_ID, CODE_OF_SYSTEM | 1u << 16 | OTHER);
    program.store(WATCHDOG, 1000);
    program.store(WATCHDOG + 0x08, 1);
    program.delay(20000).set(0, RESET_CODE).emit({ldr_imm(7, 0)}).set(0, MISC);
    program.emit({ldr_imm(8, 0)}).sleep();
    bench_.run(0, program);
    until_quiet();
    EXPECT_EQ(restarted(), (INTERVAL_PS + PULSE_PS) / CYCLE_PS + FETCH);
    EXPECT_EQ(bench_.reg(0, 7), 4u);
    EXPECT_EQ(bench_.reg(0, 8), 1u) << "nothing else is reset";
    EXPECT_EQ(kept(TIMER_CONTROL), 0x82u);
}

TEST_F(MachineControl, TheWatchdogsInterruptResetsNobodyUnasked)
{
    (void)count();
    Program program;
    program.store(MISC, 1);
    program.store(MONITOR_ID, CODE_OF_SYSTEM | OTHER);
    program.store(WATCHDOG, 1000);
    program.store(WATCHDOG + 0x08, 1);
    program.delay(20000).set(0, RESET_CODE).emit({ldr_imm(7, 0)}).sleep();
    bench_.run(0, program);
    bench_.until(1000 * US);
    EXPECT_EQ(restarted(), UINT64_MAX);
    EXPECT_EQ(bench_.reg(0, 7), 0u);
}

/* All restart; the clocks are the crystal's, so cycles take 100 ns. */
TEST_F(MachineControl, TheWholeChipIsResetByItsBit)
{
    Program restart(RESTART);
    restart.set(1, SC).emit(
        {ldr_imm(4, 1, 0x30), ldr_imm(5, 1, 0x34), ldr_imm(6, 1, 0x58), ldr_imm(7, 1, 0x60)});
    restart.set(1, ROUTER).emit({ldr_imm(8, 1)}).sleep();
    for (unsigned core = 0; core < 18; core++) {
        bench_.load(core, restart);
    }
    (void)count();
    const auto at = control(0, 100000,
                            {{ROUTER, 0x12400001},
                             {SC + 0x58, 0xff},
                             {SC + 0x80 + 4 * 3, 0},
                             {MONITOR_ID, CODE_OF_SYSTEM | 3},
                             {PARTS_PULSE, CODE_OF_SYSTEM | 1u << 17}});
    EXPECT_EQ(bench_.until(20000 * US), MACHINE_QUIESCENT);
    const uint64_t effect = effect_ps(bench_.cycle_of(at[4]));
    /* 256 clocks of 100 ns; cores 0 to 4 fetch first, and the bus is slow too */
    const uint64_t fetch_ps = 16500 + 6 * 300000 + 660000 + 16500;
    EXPECT_EQ(restarted(), effect / CYCLE_PS + 256 + (fetch_ps + 99999) / 100000 - 1 + 3);
    for (const unsigned core : {0u, 5u, 17u}) {
        EXPECT_EQ(bench_.reg(core, 4), 3u) << core;
        EXPECT_EQ(bench_.reg(core, 5), 0x103u);
        EXPECT_EQ(bench_.reg(core, 6), 0u);
        EXPECT_EQ(bench_.reg(core, 7), 0u);
        EXPECT_EQ(bench_.reg(core, 8), 0x00400001u);
    }
}

TEST_F(MachineControl, TheWatchdogsSecondZeroResetsTheChipToItsBootRom)
{
    Program program;
    program.store(MISC, 1);
    program.store(WATCHDOG, 1000);
    program.store(WATCHDOG + 0x08, 3);
    bench_.run(0, program.sleep());
    bench_.until(49 * US);
    EXPECT_TRUE(bench_.faults.empty());
    EXPECT_EQ(bench_.until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_GE(bench_.faults.size(), 18u) << "every core: there is no boot ROM";
    EXPECT_EQ(bench_.faults[0].fault.pc, 0xffff0000u);
    EXPECT_STREQ(machine_unmodelled(bench_.get(), 0).block, "ROM");
}

/* ---- wherever a run is cut ---- */

TEST_F(MachineControl, ResultsDoNotDependOnHowARunIsCut)
{
    const auto run = [](uint64_t slice_ps) {
        MachineBench bench;
        bench.set_word(0, SYSTEM_RAM, b(0xffff0000, RESTART));
        for (unsigned core = 1; core < 18; core++) {
            Program program;
            program.delay(100 + core).set(2, 0);
            const uint32_t loop = program.here();
            program.emit({add_imm(2, 2, 1)}).branch(loop);
            Program restart(RESTART);
            restart.set(0, DTCM).emit({str_imm(2, 0)}).branch(CODE);
            bench.load(core, restart);
            bench.run(core, program);
        }
        Program program;
        program.store(MISC, 1);
        for (uint32_t i = 0; i < 8; i++) {
            program.store(i % 3 == 0 ? SOFT_PULSE : HARD_PULSE, CODE_OF_SYSTEM | 0x2a5a6 << i % 2);
            program.delay(1000 * (i + 1));
            program.store(SC + 0x60, i % 2 == 0 ? 0x809488a9 : 0x809488a5); /* clock A */
        }
        bench.run(0, program.sleep());
        for (uint64_t time_ps = slice_ps; time_ps < 2000 * US; time_ps += slice_ps) {
            bench.until(time_ps);
        }
        bench.until(2000 * US);
        std::string text = bench.memory();
        for (const auto &[key, value] : bench.counters()) {
            text += std::get<0>(key) + std::get<2>(key) + std::to_string(value) + "\n";
        }
        return text;
    };
    const std::string whole = run(2000 * US);
    EXPECT_EQ(run(7 * US + 3), whole);
    EXPECT_EQ(run(49999999), whole);
    EXPECT_EQ(run(50 * US), whole);
}

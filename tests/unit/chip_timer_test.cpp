/* The counter/timers: registers, and the exact cycle of each interrupt. */
extern "C" {
#include "models/chip/timer.h"
}

#include <gtest/gtest.h>

namespace
{

enum : uint32_t {
    LOAD = 0x00,
    COUNT = 0x04,
    CONTROL = 0x08,
    INT_CLEAR = 0x0c,
    RAW = 0x10,
    MASKED = 0x14,
    BACKGROUND = 0x18,
    SECOND = 0x20,
    PERIPHERAL_ID = 0xfe0
};

enum : uint32_t {
    ON = 0x80,
    PERIODIC = 0x40,
    INTERRUPT = 0x20,
    BY_16 = 0x04,
    BY_256 = 0x08,
    WIDE = 0x02,
    ONE_SHOT = 0x01
};

class Timer : public testing::Test
{
  protected:
    Timer()
    {
        timer_pair_reset(&pair_, 0);
    }

    uint32_t read(uint32_t offset, uint64_t cycle)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(timer_pair_read32(&pair_, offset, cycle, &value), REGISTER_OK) << offset;
        return value;
    }

    void write(uint32_t offset, uint32_t value, uint64_t cycle)
    {
        EXPECT_EQ(timer_pair_write32(&pair_, offset, value, cycle), REGISTER_OK) << offset;
    }

    bool interrupt(uint64_t cycle, unsigned timer = 0)
    {
        timer_pair_advance(&pair_, cycle);
        return timer_interrupt(&pair_.timer[timer]);
    }

    timer_pair pair_ = {};
};

TEST_F(Timer, HasItsResetValues)
{
    for (const uint32_t base : {0u, static_cast<uint32_t>(SECOND)}) {
        EXPECT_EQ(read(base + LOAD, 5), 0u);
        EXPECT_EQ(read(base + COUNT, 5), 0xffffffffu);
        EXPECT_EQ(read(base + CONTROL, 5), 0x20u);
        EXPECT_EQ(read(base + INT_CLEAR, 5), 0u);
        EXPECT_EQ(read(base + RAW, 5), 0u);
        EXPECT_EQ(read(base + MASKED, 5), 0u);
        EXPECT_EQ(read(base + BACKGROUND, 5), 0u);
    }
    EXPECT_EQ(read(PERIPHERAL_ID, 5), 4u);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), UINT64_MAX);
}

TEST_F(Timer, CountsDownFromOnesAfterReset)
{
    write(CONTROL, ON | WIDE, 0);
    EXPECT_EQ(read(COUNT, 1), 0xfffffffeu);
    write(SECOND + CONTROL, ON, 1);
    EXPECT_EQ(read(SECOND + COUNT, 2), 0xfffeu) << "16 bits wide";
}

TEST_F(Timer, StoresTheControlBitsThatExist)
{
    write(CONTROL, 0xffffffff & ~ON, 0);
    EXPECT_EQ(read(CONTROL, 0), 0x6fu);
}

TEST_F(Timer, StoresAllBitsOfTheLoadValue)
{
    write(LOAD, 0xffffffff, 0);
    EXPECT_EQ(read(LOAD, 0), 0xffffffffu);
    EXPECT_EQ(read(BACKGROUND, 0), 0xffffffffu) << "the same register";
}

TEST_F(Timer, IgnoresWritesOfReadOnlyRegisters)
{
    write(LOAD, 100, 0);
    for (const uint32_t offset : {COUNT, RAW, MASKED, PERIPHERAL_ID}) {
        const uint32_t before = read(offset, 0);
        write(offset, 0x55, 0);
        EXPECT_EQ(read(offset, 0), before) << offset;
    }
}

TEST_F(Timer, ReportsRegistersItDoesNotHave)
{
    uint32_t value = 1;
    for (const uint32_t offset : {0x1cu, 0x3cu, 0x40u, 0xf00u, 0xf04u, 0xfe4u}) {
        EXPECT_EQ(timer_pair_read32(&pair_, offset, 0, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(value, 0u);
        EXPECT_EQ(timer_pair_write32(&pair_, offset, 1, 0), REGISTER_UNMODELLED) << offset;
    }
}

TEST_F(Timer, StandsStillWhileDisabled)
{
    write(LOAD, 100, 0);
    EXPECT_EQ(read(COUNT, 1000000), 100u);
    EXPECT_FALSE(interrupt(1000000));
}

TEST_F(Timer, CountsDownOneACycle)
{
    write(LOAD, 100, 10);
    write(CONTROL, ON | WIDE, 20);
    EXPECT_EQ(read(COUNT, 20), 100u);
    EXPECT_EQ(read(COUNT, 21), 99u);
    EXPECT_EQ(read(COUNT, 119), 1u);
}

TEST_F(Timer, HoldsItsCountWhileItIsSwitchedOff)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | WIDE, 0);
    write(CONTROL, WIDE, 30);
    EXPECT_EQ(read(COUNT, 50), 70u);
    write(CONTROL, ON | WIDE, 60);
    EXPECT_EQ(read(COUNT, 61), 69u);
}

TEST_F(Timer, InterruptsWhenTheCountReachesZeroAndNotACycleSooner)
{
    write(LOAD, 100, 7);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 7);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 107u);
    EXPECT_FALSE(interrupt(106));
    EXPECT_TRUE(interrupt(107));
}

TEST_F(Timer, AWriteOfLoadSetsTheCountAtOnce)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    write(LOAD, 500, 60);
    EXPECT_EQ(read(COUNT, 60), 500u);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 560u);
    EXPECT_FALSE(interrupt(559));
    EXPECT_TRUE(interrupt(560));
}

TEST_F(Timer, ABackgroundLoadTakesEffectAtTheNextZero)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    write(BACKGROUND, 30, 60);
    EXPECT_EQ(read(COUNT, 61), 39u) << "the count goes on";
    EXPECT_TRUE(interrupt(100));
    write(INT_CLEAR, 1, 100);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 130u);
    EXPECT_FALSE(interrupt(129));
    EXPECT_TRUE(interrupt(130));
}

TEST_F(Timer, APeriodicTimerReloadsAtZero)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | PERIODIC | WIDE, 0);
    EXPECT_EQ(read(COUNT, 99), 1u);
    EXPECT_EQ(read(COUNT, 100), 100u);
    EXPECT_EQ(read(COUNT, 101), 99u);
    EXPECT_EQ(read(COUNT, 1099), 1u) << "many periods on";
    EXPECT_EQ(read(COUNT, 1100), 100u);
    EXPECT_EQ(read(COUNT, 1101), 99u);
}

TEST_F(Timer, APeriodicTimerKeepsItsPhaseWhenTheInterruptIsClearedLate)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    write(INT_CLEAR, 0, 150);
    EXPECT_FALSE(interrupt(199));
    EXPECT_TRUE(interrupt(200));
}

TEST_F(Timer, AnyWriteClearsTheInterrupt)
{
    write(LOAD, 10, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    EXPECT_EQ(read(RAW, 10), 1u);
    EXPECT_EQ(read(MASKED, 10), 1u);
    write(INT_CLEAR, 0, 11);
    EXPECT_EQ(read(RAW, 11), 0u);
    EXPECT_EQ(read(MASKED, 11), 0u);
}

TEST_F(Timer, AMaskedInterruptShowsInTheRawStatusOnly)
{
    write(LOAD, 10, 0);
    write(CONTROL, ON | PERIODIC | WIDE, 0);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), UINT64_MAX) << "its output will not rise";
    EXPECT_EQ(read(RAW, 10), 1u);
    EXPECT_EQ(read(MASKED, 10), 0u);
    EXPECT_FALSE(interrupt(10));
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 11);
    EXPECT_TRUE(interrupt(11)) << "it was pending";
}

TEST_F(Timer, AOneShotStopsAtZero)
{
    write(LOAD, 50, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE | ONE_SHOT, 0);
    EXPECT_FALSE(interrupt(49));
    EXPECT_TRUE(interrupt(50));
    EXPECT_EQ(read(COUNT, 50), 0u);
    EXPECT_EQ(read(COUNT, 5000), 0u);
    write(INT_CLEAR, 1, 5000);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), UINT64_MAX);
    EXPECT_FALSE(interrupt(1000000));
}

TEST_F(Timer, AWriteOfLoadRestartsAOneShot)
{
    write(LOAD, 50, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE | ONE_SHOT, 0);
    write(INT_CLEAR, 1, 70);
    write(LOAD, 20, 100);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 120u);
    EXPECT_FALSE(interrupt(119));
    EXPECT_TRUE(interrupt(120));
}

TEST_F(Timer, AWriteOfControlOrBackgroundLoadDoesNotRestartAOneShot)
{
    write(LOAD, 50, 0);
    write(CONTROL, ON | INTERRUPT | WIDE | ONE_SHOT, 0);
    write(INT_CLEAR, 1, 60);
    write(BACKGROUND, 5, 61);
    write(CONTROL, ON | INTERRUPT | WIDE | ONE_SHOT, 62);
    EXPECT_FALSE(interrupt(1000));
}

TEST_F(Timer, AFreeRunningTimerWrapsTo32Ones)
{
    write(LOAD, 10, 0);
    write(CONTROL, ON | INTERRUPT | WIDE, 0);
    EXPECT_TRUE(interrupt(10));
    EXPECT_EQ(read(COUNT, 10), 0u);
    EXPECT_EQ(read(COUNT, 11), 0xffffffffu);
    write(INT_CLEAR, 0, 11);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 10 + (UINT64_C(1) << 32));
}

TEST_F(Timer, AFreeRunning16BitTimerWrapsTo16Ones)
{
    write(LOAD, 10, 0);
    write(CONTROL, ON | INTERRUPT, 0);
    EXPECT_EQ(read(COUNT, 11), 0xffffu);
    write(INT_CLEAR, 0, 11);
    EXPECT_FALSE(interrupt(10 + 65535));
    EXPECT_TRUE(interrupt(10 + 65536));
}

TEST_F(Timer, A16BitTimerUsesTheLowHalfOfItsLoad)
{
    write(LOAD, 0x00030014, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT, 0);
    EXPECT_EQ(read(COUNT, 0), 0x14u);
    EXPECT_FALSE(interrupt(19));
    EXPECT_TRUE(interrupt(20));
    write(INT_CLEAR, 0, 20);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 40u);
}

TEST_F(Timer, APrescalerOf16CountsEverySixteenthCycle)
{
    write(LOAD, 3, 5);
    write(CONTROL, ON | PERIODIC | INTERRUPT | BY_16 | WIDE, 5);
    EXPECT_EQ(read(COUNT, 20), 3u);
    EXPECT_EQ(read(COUNT, 21), 2u);
    EXPECT_FALSE(interrupt(5 + 47));
    EXPECT_TRUE(interrupt(5 + 48));
    write(INT_CLEAR, 0, 60);
    EXPECT_FALSE(interrupt(5 + 95));
    EXPECT_TRUE(interrupt(5 + 96));
}

TEST_F(Timer, APrescalerOf256CountsEvery256thCycle)
{
    write(LOAD, 2, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | BY_256 | WIDE, 0);
    EXPECT_EQ(read(COUNT, 255), 2u);
    EXPECT_EQ(read(COUNT, 256), 1u);
    EXPECT_FALSE(interrupt(511));
    EXPECT_TRUE(interrupt(512));
}

TEST_F(Timer, LooksInBetweenDoNotDisturbThePrescaler)
{
    write(LOAD, 3, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | BY_16 | WIDE, 0);
    for (uint64_t cycle = 1; cycle < 48; cycle += 5) {
        EXPECT_EQ(read(COUNT, cycle), 3 - cycle / 16) << cycle;
    }
    EXPECT_TRUE(interrupt(48));
}

TEST_F(Timer, AWriteOfLoadOrControlStartsThePrescalerAnew)
{
    write(LOAD, 3, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | BY_16 | WIDE, 0);
    write(LOAD, 3, 7);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 7u + 48);
    write(CONTROL, ON | PERIODIC | INTERRUPT | BY_16 | WIDE, 7 + 16 + 4);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 7u + 16 + 4 + 32);
}

TEST_F(Timer, A16BitTimerStoppedAtZeroShowsZero)
{
    write(LOAD, 10, 0);
    write(CONTROL, ON, 0);
    write(CONTROL, 0, 10);
    EXPECT_EQ(read(COUNT, 20), 0u);
}

TEST_F(Timer, ALoadOfZeroMakesEveryTickAZero)
{
    write(LOAD, 0, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    EXPECT_FALSE(interrupt(0));
    EXPECT_TRUE(interrupt(1));
    write(INT_CLEAR, 0, 1);
    EXPECT_FALSE(interrupt(1));
    EXPECT_TRUE(interrupt(2));
}

TEST_F(Timer, TheSecondTimerRunsByItself)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | PERIODIC | INTERRUPT | WIDE, 0);
    write(SECOND + LOAD, 40, 0);
    write(SECOND + CONTROL, ON | INTERRUPT | WIDE | ONE_SHOT, 0);
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 40u);
    EXPECT_TRUE(interrupt(40, 1));
    EXPECT_FALSE(interrupt(40, 0));
    EXPECT_EQ(timer_pair_next_cycle(&pair_), 100u) << "an output that is high does not rise";
    write(SECOND + INT_CLEAR, 0, 50);
    EXPECT_FALSE(interrupt(50, 1));
    EXPECT_TRUE(interrupt(100, 0));
}

} // namespace

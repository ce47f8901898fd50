/* The watchdog: registers, lock, and the exact tick of its interrupt and its reset request. */
extern "C" {
#include "models/chip/watchdog.h"
}

#include <gtest/gtest.h>

namespace
{

enum : uint32_t {
    LOAD = 0x000,
    COUNT = 0x004,
    CONTROL = 0x008,
    INT_CLEAR = 0x00c,
    RAW = 0x010,
    MASKED = 0x014,
    LOCK = 0xc00,
    PERIPHERAL_ID = 0xfe0
};

enum : uint32_t { ON = 1, RESET = 2, UNLOCK = 0x1acce551 };

class Watchdog : public testing::Test
{
  protected:
    Watchdog()
    {
        watchdog_reset(&watchdog_, 0);
    }

    uint32_t read(uint32_t offset, uint64_t tick)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(watchdog_read32(&watchdog_, offset, tick, &value), REGISTER_OK) << offset;
        return value;
    }

    void write(uint32_t offset, uint32_t value, uint64_t tick)
    {
        EXPECT_EQ(watchdog_write32(&watchdog_, offset, value, tick), REGISTER_OK) << offset;
    }

    bool interrupt(uint64_t tick)
    {
        watchdog_advance(&watchdog_, tick);
        return watchdog_interrupt(&watchdog_);
    }

    bool reset(uint64_t tick)
    {
        watchdog_advance(&watchdog_, tick);
        return watchdog_reset_request(&watchdog_);
    }

    watchdog watchdog_ = {};
};

TEST_F(Watchdog, HasItsResetValues)
{
    EXPECT_EQ(read(LOAD, 9), 0xffffffffu);
    EXPECT_EQ(read(COUNT, 9), 0xffffffffu) << "it stands still";
    EXPECT_EQ(read(CONTROL, 9), 0u);
    EXPECT_EQ(read(INT_CLEAR, 9), 0u);
    EXPECT_EQ(read(RAW, 9), 0u);
    EXPECT_EQ(read(MASKED, 9), 0u);
    EXPECT_EQ(read(LOCK, 9), 0u);
    EXPECT_EQ(read(PERIPHERAL_ID, 9), 5u);
    EXPECT_EQ(watchdog_next_tick(&watchdog_), UINT64_MAX);
    EXPECT_FALSE(reset(UINT64_C(1) << 40));
}

TEST_F(Watchdog, KeepsTheBitsThatExist)
{
    write(CONTROL, 0xffffffff, 0);
    EXPECT_EQ(read(CONTROL, 0), 3u);
    write(CONTROL, 0, 0);
    write(LOAD, 0x89abcdef, 0);
    EXPECT_EQ(read(LOAD, 0), 0x89abcdefu);
    EXPECT_EQ(read(COUNT, 0), 0x89abcdefu) << "the counter takes it at once";
    for (const uint32_t offset : {COUNT, RAW, MASKED, PERIPHERAL_ID}) {
        write(offset, 1, 0);
    }
    EXPECT_EQ(read(COUNT, 0), 0x89abcdefu);
    EXPECT_EQ(read(RAW, 0), 0u);
    EXPECT_EQ(read(PERIPHERAL_ID, 0), 5u);
}

TEST_F(Watchdog, AnswersToNothingElse)
{
    uint32_t value = 1;
    for (const uint32_t offset : {0x18u, 0x20u, 0xbfcu, 0xc04u, 0xf00u, 0xfe4u}) {
        EXPECT_EQ(watchdog_read32(&watchdog_, offset, 0, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(watchdog_write32(&watchdog_, offset, 1, 0), REGISTER_UNMODELLED) << offset;
    }
    for (const uint32_t offset : {1u, 2u, 0xc03u}) {
        EXPECT_EQ(watchdog_read32(&watchdog_, offset, 0, &value), REGISTER_BUS_ERROR) << offset;
        EXPECT_EQ(watchdog_write32(&watchdog_, offset, 1, 0), REGISTER_BUS_ERROR) << offset;
    }
}

TEST_F(Watchdog, TheFirstZeroInterruptsAndTheCounterBeginsAgain)
{
    write(LOAD, 100, 50);
    write(CONTROL, ON, 50);
    EXPECT_EQ(watchdog_next_tick(&watchdog_), 150u);
    EXPECT_EQ(read(COUNT, 51), 99u);
    EXPECT_EQ(read(COUNT, 149), 1u);
    EXPECT_FALSE(interrupt(149));
    EXPECT_TRUE(interrupt(150));
    EXPECT_EQ(read(COUNT, 150), 100u);
    EXPECT_EQ(read(RAW, 150), 1u);
    EXPECT_EQ(read(MASKED, 150), 1u);
    EXPECT_EQ(read(COUNT, 249), 1u);
    EXPECT_EQ(watchdog_next_tick(&watchdog_), UINT64_MAX) << "it may not reset";
    EXPECT_FALSE(reset(10000));
    EXPECT_EQ(read(COUNT, 10000), 50u);
}

TEST_F(Watchdog, TheSecondZeroAsksForAReset)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | RESET, 0);
    EXPECT_TRUE(interrupt(100));
    EXPECT_EQ(watchdog_next_tick(&watchdog_), 200u);
    EXPECT_FALSE(reset(199));
    EXPECT_TRUE(reset(200));
    EXPECT_EQ(watchdog_next_tick(&watchdog_), UINT64_MAX);
    write(INT_CLEAR, 1, 201);
    EXPECT_TRUE(reset(201)) << "too late";
    watchdog_reset(&watchdog_, 300);
    EXPECT_FALSE(reset(300));
}

TEST_F(Watchdog, BothZerosMayPassUnseen)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | RESET, 0);
    watchdog other = watchdog_;
    watchdog_advance(&other, 199);
    EXPECT_TRUE(watchdog_interrupt(&other));
    EXPECT_FALSE(watchdog_reset_request(&other));
    EXPECT_TRUE(reset(200));
    EXPECT_EQ(read(COUNT, 250), 50u);
}

TEST_F(Watchdog, ClearingTheInterruptReloads)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | RESET, 0);
    EXPECT_TRUE(interrupt(199));
    write(INT_CLEAR, 0, 199);
    EXPECT_FALSE(interrupt(199));
    EXPECT_EQ(read(COUNT, 199), 100u);
    EXPECT_FALSE(interrupt(298));
    EXPECT_TRUE(interrupt(299));
    EXPECT_FALSE(reset(398));
    EXPECT_TRUE(reset(399));
}

TEST_F(Watchdog, AWriteOfTheLoadRestartsTheCountButLeavesTheInterrupt)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | RESET, 0);
    write(LOAD, 50, 99);
    EXPECT_FALSE(interrupt(148));
    EXPECT_TRUE(interrupt(149));
    write(LOAD, 60, 198);
    EXPECT_TRUE(interrupt(198));
    EXPECT_FALSE(reset(257));
    EXPECT_TRUE(reset(258));
}

TEST_F(Watchdog, DisabledItStandsStillAndIsSilent)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON | RESET, 0);
    EXPECT_TRUE(interrupt(100));
    write(CONTROL, RESET, 110);
    EXPECT_FALSE(interrupt(110));
    EXPECT_EQ(read(RAW, 110), 1u);
    EXPECT_EQ(read(MASKED, 110), 0u);
    EXPECT_EQ(read(COUNT, 500), 90u);
    EXPECT_FALSE(reset(500));
    write(CONTROL, ON | RESET, 500);
    EXPECT_TRUE(interrupt(500)) << "still pending";
    EXPECT_EQ(read(COUNT, 500), 100u) << "it begins anew";
    EXPECT_FALSE(reset(599));
    EXPECT_TRUE(reset(600));
}

TEST_F(Watchdog, EnablingWhatIsEnabledDoesNotReload)
{
    write(LOAD, 100, 0);
    write(CONTROL, ON, 0);
    write(CONTROL, ON | RESET, 40);
    EXPECT_EQ(read(COUNT, 40), 60u);
}

TEST_F(Watchdog, ALockGuardsAllButItself)
{
    write(LOAD, 100, 0);
    write(LOCK, 1, 0);
    EXPECT_EQ(read(LOCK, 0), 1u);
    write(CONTROL, ON, 0);
    write(LOAD, 7, 0);
    EXPECT_EQ(read(CONTROL, 0), 0u);
    EXPECT_EQ(read(LOAD, 0), 100u);
    write(LOCK, UNLOCK, 0);
    EXPECT_EQ(read(LOCK, 0), 0u);
    write(CONTROL, ON, 0);
    EXPECT_EQ(read(CONTROL, 0), 1u);
    EXPECT_TRUE(interrupt(100));
    write(LOCK, UNLOCK + 1, 100);
    write(INT_CLEAR, 0, 100);
    EXPECT_TRUE(interrupt(100));
    write(LOCK, UNLOCK, 100);
    write(INT_CLEAR, 0, 100);
    EXPECT_FALSE(interrupt(100));
}

TEST_F(Watchdog, ALoadOfZeroOrOneExpiresAtTheNextTick)
{
    for (const uint32_t load : {0u, 1u}) {
        watchdog_reset(&watchdog_, 10);
        write(LOAD, load, 10);
        write(CONTROL, ON | RESET, 10);
        EXPECT_FALSE(interrupt(10));
        EXPECT_TRUE(interrupt(11));
        EXPECT_FALSE(reset(11));
        EXPECT_TRUE(reset(12));
    }
}

TEST_F(Watchdog, TheLargestLoadTakesAllItsTicks)
{
    write(CONTROL, ON, 0);
    EXPECT_FALSE(interrupt(0xfffffffe));
    EXPECT_TRUE(interrupt(0xffffffff));
}

} // namespace

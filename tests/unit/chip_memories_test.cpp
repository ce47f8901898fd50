/* Memory content, and when SDRAM and the system AHB answer. */
extern "C" {
#include "models/chip/ahb.h"
#include "models/chip/ram.h"
#include "models/chip/sdram.h"
}

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace
{

/* ---- content ---- */

class Ram : public testing::Test
{
  protected:
    Ram()
    {
        EXPECT_EQ(ram_init(&ram_, 2 * RAM_PAGE_BYTES), STATUS_OK);
    }
    ~Ram() override
    {
        ram_deinit(&ram_);
    }
    Ram(const Ram &) = delete;
    Ram &operator=(const Ram &) = delete;

    ram ram_ = {};
};

TEST_F(Ram, ReadsZeroWhereNothingWasWritten)
{
    EXPECT_EQ(ram_read(&ram_, 0, 4), 0u);
    EXPECT_EQ(ram_read(&ram_, 2 * RAM_PAGE_BYTES - 4, 4), 0u);
}

TEST_F(Ram, IsLittleEndian)
{
    ram_write(&ram_, 8, 4, 0x44332211);
    EXPECT_EQ(ram_read(&ram_, 8, 1), 0x11u);
    EXPECT_EQ(ram_read(&ram_, 11, 1), 0x44u);
    EXPECT_EQ(ram_read(&ram_, 10, 2), 0x4433u);
}

TEST_F(Ram, APartOfAWordLeavesTheRestAlone)
{
    ram_write(&ram_, 8, 4, 0xffffffff);
    ram_write(&ram_, 9, 1, 0x12345600);
    EXPECT_EQ(ram_read(&ram_, 8, 4), 0xffff00ffu);
    ram_write(&ram_, 10, 2, 0xabcd1122);
    EXPECT_EQ(ram_read(&ram_, 8, 4), 0x112200ffu);
}

TEST_F(Ram, RepeatsBeyondItsSize)
{
    ram_write(&ram_, 2 * RAM_PAGE_BYTES + 4, 4, 7);
    EXPECT_EQ(ram_read(&ram_, 4, 4), 7u);
    EXPECT_EQ(ram_read(&ram_, 6 * RAM_PAGE_BYTES + 4, 4), 7u);
}

TEST_F(Ram, CopiesAroundItsEnd)
{
    const std::array<uint8_t, 8> in = {1, 2, 3, 4, 5, 6, 7, 8};
    ram_copy_in(&ram_, 2 * RAM_PAGE_BYTES - 3, in.data(), 8, true);
    EXPECT_EQ(ram_read(&ram_, 0, 1), 4u);
    EXPECT_EQ(ram_read(&ram_, 2 * RAM_PAGE_BYTES - 1, 1), 3u);
    std::array<uint8_t, 8> out = {};
    ram_copy_out(&ram_, 2 * RAM_PAGE_BYTES - 3, out.data(), 8);
    EXPECT_EQ(out, in);
}

TEST_F(Ram, SaysWhatHasHappenedToAPage)
{
    const std::array<uint8_t, 2> byte = {1, 2};
    EXPECT_EQ(ram_.page[1], 0);
    ram_copy_in(&ram_, RAM_PAGE_BYTES, byte.data(), 2, false);
    EXPECT_EQ(ram_.page[1], RAM_TOUCHED | RAM_CHANGED) << "by the host";
    ram_write(&ram_, RAM_PAGE_BYTES - 1, 1, 0);
    EXPECT_EQ(ram_.page[0], RAM_BY_GUEST | RAM_TOUCHED | RAM_CHANGED) << "even a zero counts";
    EXPECT_EQ(ram_.page[1], RAM_TOUCHED | RAM_CHANGED);
    ram_.page[1] = RAM_TOUCHED;
    ram_copy_in(&ram_, RAM_PAGE_BYTES - 1, byte.data(), 2, true);
    EXPECT_EQ(ram_.page[1], RAM_BY_GUEST | RAM_TOUCHED | RAM_CHANGED)
        << "a copy across a border changes both";
    ram_copy_in(&ram_, RAM_PAGE_BYTES, byte.data(), 2, false);
    EXPECT_EQ(ram_.page[1], RAM_BY_GUEST | RAM_TOUCHED | RAM_CHANGED) << "the guest has, before";
}

/* ---- SDRAM time ---- */

/* 100 MHz: 10 ns a clock, so that sums can be seen. */
sdram_config config_of_100_mhz()
{
    sdram_config config = {};
    config.clock = clock_of(100000000, 1);
    config.bus_bytes = 4;
    config.row_bytes = 4096;
    config.cas_clocks = 3;
    config.rcd_clocks = 4;
    config.rp_clocks = 5;
    config.burst_words = 8;
    config.wtr_clocks = 2;
    config.rfc_clocks = 20;
    config.refresh_interval_ps = 7800000;
    return config;
}

constexpr uint64_t CLOCK = 10000;

class Sdram : public testing::Test
{
  protected:
    Sdram()
    {
        sdram_init(&sdram_, &config_);
    }

    uint64_t read(uint64_t arrival, uint32_t offset, uint32_t bytes)
    {
        return sdram_request(&sdram_, arrival, offset, bytes, false);
    }
    uint64_t write(uint64_t arrival, uint32_t offset, uint32_t bytes)
    {
        return sdram_request(&sdram_, arrival, offset, bytes, true);
    }

    sdram_config config_ = config_of_100_mhz();
    sdram sdram_ = {};
};

TEST_F(Sdram, AReadOpensARowWaitsForItsColumnAndTakesABurst)
{
    EXPECT_EQ(read(500, 0, 4), 500 + (4 + 3 + 4) * CLOCK);
}

TEST_F(Sdram, AWriteHasNoColumnLatency)
{
    EXPECT_EQ(write(500, 0, 4), 500 + (4 + 4) * CLOCK);
}

TEST_F(Sdram, DataMoveOnBothEdges)
{
    EXPECT_EQ(read(0, 0, 32), (4 + 3 + 4) * CLOCK) << "a whole burst";
    EXPECT_EQ(read(1000000, 0, 36), 1000000 + (4 + 3 + 8) * CLOCK) << "two bursts";
    EXPECT_EQ(read(2000000, 0, 128), 2000000 + (4 + 3 + 16) * CLOCK);
}

TEST_F(Sdram, ARequestAcrossRowsOpensEach)
{
    EXPECT_EQ(read(0, 4096 - 4, 4), (4 + 3 + 4) * CLOCK);
    EXPECT_EQ(sdram_.counters.activations, 1u);
    EXPECT_EQ(read(1000000, 4096 - 4, 8), 1000000 + (4 + 5 + 4 + 3 + 4) * CLOCK);
    EXPECT_EQ(sdram_.counters.activations, 3u);
}

TEST_F(Sdram, ClosesTheRowsBehindEachRequest)
{
    (void)read(0, 0, 4);
    const uint64_t free = (4 + 4 + 5) * CLOCK; /* open, data, close */
    EXPECT_EQ(read(0, 0, 4), free + (4 + 3 + 4) * CLOCK) << "the same row again";
    EXPECT_EQ(sdram_.counters.wait_ps, free);
}

TEST_F(Sdram, DoesNotDelayARequestThatComesWhenItIsFree)
{
    (void)read(0, 0, 4);
    const uint64_t free = (4 + 4 + 5) * CLOCK;
    EXPECT_EQ(read(free, 64, 4), free + (4 + 3 + 4) * CLOCK);
    EXPECT_EQ(sdram_.counters.wait_ps, 0u);
}

TEST_F(Sdram, TurnsTheBusAroundFromWriteToRead)
{
    (void)write(0, 0, 4);
    EXPECT_EQ(read(1000000, 0, 4), 1000000 + (2 + 4 + 3 + 4) * CLOCK);
    EXPECT_EQ(read(2000000, 0, 4), 2000000 + (4 + 3 + 4) * CLOCK) << "but once";
    (void)write(3000000, 0, 4);
    EXPECT_EQ(write(4000000, 0, 4), 4000000 + (4 + 4) * CLOCK) << "and not for a write";
}

TEST_F(Sdram, ARequestBeforeTheRefreshIsNotDelayed)
{
    EXPECT_EQ(read(7799999, 0, 4), 7799999 + 11 * CLOCK);
    EXPECT_EQ(sdram_.counters.refreshes, 0u);
}

TEST_F(Sdram, ARequestAtTheRefreshWaitsForIt)
{
    EXPECT_EQ(read(7800000, 0, 4), 7800000 + (20 + 11) * CLOCK);
    EXPECT_EQ(sdram_.counters.refreshes, 1u);
    EXPECT_EQ(sdram_.counters.wait_ps, 20 * CLOCK);
}

TEST_F(Sdram, ARequestAfterTheRefreshIsNotDelayed)
{
    EXPECT_EQ(read(7800000 + 20 * CLOCK - 1, 0, 4), 7800000 + (20 + 11) * CLOCK);
    sdram_init(&sdram_, &config_);
    EXPECT_EQ(read(7800000 + 20 * CLOCK, 0, 4), 7800000 + (20 + 11) * CLOCK);
    EXPECT_EQ(sdram_.counters.wait_ps, 0u);
}

TEST_F(Sdram, CountsTheRefreshesOfIdleTime)
{
    EXPECT_EQ(read(78000000 + 20 * CLOCK, 0, 4), 78000000 + (20 + 11) * CLOCK);
    EXPECT_EQ(sdram_.counters.refreshes, 10u);
}

TEST_F(Sdram, ARefreshThatFallsDueDuringARequestComesAfterIt)
{
    const uint64_t start = 7800000 - 1;
    (void)read(start, 0, 4);
    const uint64_t free = start + 13 * CLOCK;
    EXPECT_EQ(read(free, 0, 4), free + (20 + 11) * CLOCK);
}

TEST_F(Sdram, CountsRequestsBytesAndTime)
{
    (void)read(0, 0, 128);
    (void)write(1000000, 0, 64);
    (void)write(2000000, 0, 2);
    EXPECT_EQ(sdram_.counters.reads, 1u);
    EXPECT_EQ(sdram_.counters.writes, 2u);
    EXPECT_EQ(sdram_.counters.bytes_read, 128u);
    EXPECT_EQ(sdram_.counters.bytes_written, 66u);
    EXPECT_EQ(sdram_.counters.busy_ps, (4 + 16 + 5 + 4 + 8 + 5 + 4 + 4 + 5) * CLOCK);
}

TEST_F(Sdram, KeepsAnOddClockExactly)
{
    config_.clock = clock_of(130000000, 1);
    sdram_init(&sdram_, &config_);
    EXPECT_EQ(read(0, 0, 4), 84615u) << "11 periods of 7692 4/13 ps, rounded down";
}

TEST_F(Sdram, NeverMovesMoreThanThePeak)
{
    const double peak_bytes_per_ps = 8.0 / CLOCK; /* 4 bytes an edge */
    std::mt19937 random(1);
    uint64_t arrival = 0;
    uint64_t bytes = 0;
    uint64_t last = 0;
    for (int i = 0; i < 20000; i++) {
        const uint32_t size = 4u + 4u * (random() % 64);
        const uint64_t done =
            sdram_request(&sdram_, arrival, 4u * (random() % 100000), size, random() % 2 == 0);
        EXPECT_GT(done, last == 0 ? 0 : arrival);
        bytes += size;
        last = done;
        arrival += random() % 2000; /* far more than it can take */
        ASSERT_LE(static_cast<double>(bytes), peak_bytes_per_ps * static_cast<double>(done)) << i;
    }
    EXPECT_GE(sdram_.free_ps, sdram_.counters.busy_ps);
    EXPECT_GT(static_cast<double>(bytes), 0.3 * peak_bytes_per_ps * static_cast<double>(last))
        << "long requests come near it";
}

/* ---- system AHB ---- */

TEST(Ahb, AnswersAfterServiceAndLatency)
{
    ahb bus = {};
    ahb_init(&bus, 22500, 49500);
    EXPECT_EQ(ahb_request(&bus, 1000, 1), 1000u + 22500 + 49500);
    EXPECT_EQ(bus.counters.wait_ps, 0u);
}

TEST(Ahb, ServesOneAccessAtATime)
{
    ahb bus = {};
    ahb_init(&bus, 22500, 49500);
    (void)ahb_request(&bus, 1000, 1);
    EXPECT_EQ(ahb_request(&bus, 1000, 1), 1000u + 2 * 22500 + 49500) << "waits for the first";
    EXPECT_EQ(bus.counters.wait_ps, 22500u);
    EXPECT_EQ(ahb_request(&bus, 1000 + 2 * 22500 - 1, 1), 1000u + 3 * 22500 + 49500);
    EXPECT_EQ(bus.counters.wait_ps, 22501u);
    EXPECT_EQ(ahb_request(&bus, 1000 + 3 * 22500, 1), 1000u + 4 * 22500 + 49500)
        << "the latency of others delays nobody";
    EXPECT_EQ(bus.counters.wait_ps, 22501u);
}

TEST(Ahb, ABurstOccupiesItForEachWord)
{
    ahb bus = {};
    ahb_init(&bus, 100, 7);
    EXPECT_EQ(ahb_request(&bus, 0, 8), 807u);
    EXPECT_EQ(bus.free_ps, 800u);
    EXPECT_EQ(bus.counters.accesses, 8u);
    EXPECT_EQ(bus.counters.busy_ps, 800u);
}

} // namespace

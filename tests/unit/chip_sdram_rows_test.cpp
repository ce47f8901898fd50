/* When SDRAM answers where rows stay open: the same row, another row of the bank, another bank;
 * reads, writes and long requests, back to back and after a pause; refreshes, counters, state. */
extern "C" {
#include "models/chip/sdram.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace
{

constexpr uint64_t CLOCK = 10000; /* 100 MHz, so that sums can be seen */
constexpr uint32_t ROW_BYTES = 4096;
constexpr uint64_t REFRESH = 780; /* clocks between two */

/* Every time is another number, and each is the longest way in some case below. */
sdram_config config_of(sdram_policy policy)
{
    sdram_config config = {};
    config.clock = clock_of(100000000, 1);
    config.policy = policy;
    config.bus_bytes = 4;
    config.row_bytes = ROW_BYTES;
    config.cas_clocks = 3;
    config.rcd_clocks = 4;
    config.rp_clocks = 5;
    config.burst_words = 8;
    config.wtr_clocks = 2;
    config.rfc_clocks = 20;
    config.banks = 4;
    config.ras_clocks = 12;
    config.rc_clocks = 18;
    config.rrd_clocks = 6;
    config.wr_clocks = 7;
    config.refresh_interval_ps = REFRESH * CLOCK;
    return config;
}

/* A place in a row of a bank: rows that follow each other are in different banks. */
constexpr uint32_t at(uint32_t bank, uint32_t row, uint32_t byte = 0)
{
    return (4 * row + bank) * ROW_BYTES + byte;
}

struct asked {
    uint64_t arrival; /* clocks */
    uint32_t offset, bytes;
    char kind;     /* r or w */
    uint64_t done; /* clocks */
};

struct row {
    const char *what;
    std::vector<asked> requests;
    uint64_t activations;
};

class SdramRows : public testing::Test
{
  protected:
    void expect(sdram_policy policy, const std::vector<row> &rows)
    {
        for (const row &row : rows) {
            start(policy);
            unsigned number = 0;
            for (const asked &asked : row.requests) {
                EXPECT_EQ(request(asked), asked.done * CLOCK) << row.what << ", request " << number;
                number++;
            }
            EXPECT_EQ(sdram_.counters.activations, row.activations) << row.what;
        }
    }
    void start(sdram_policy policy)
    {
        const sdram_config config = config_of(policy);
        sdram_init(&sdram_, &config);
    }
    uint64_t request(const asked &asked)
    {
        return sdram_request(&sdram_, asked.arrival * CLOCK, asked.offset, asked.bytes,
                             asked.kind == 'w');
    }

    sdram sdram_ = {};
};

/* What both policies do alike. */
const std::vector<row> ALIKE = {
    {"a row is opened for its first read", {{50, at(0, 0), 4, 'r', 50 + 4 + 3 + 4}}, 1},
    {"and for its first write, which has no latency", {{50, at(0, 0), 4, 'w', 50 + 4 + 4}}, 1},
    {"the same row later: latency and data",
     {{0, at(0, 0), 4, 'r', 11}, {100, at(0, 0, 512), 4, 'r', 100 + 3 + 4}},
     1},
    {"a write to it later: data alone",
     {{0, at(0, 0), 4, 'r', 11}, {100, at(0, 0, 512), 128, 'w', 100 + 16}},
     1},
    {"another row of the bank later: precharge and activation",
     {{0, at(0, 0), 4, 'r', 11}, {100, at(0, 1), 4, 'r', 100 + 5 + 4 + 3 + 4}},
     2},
    {"a write to another row later",
     {{0, at(0, 0), 4, 'r', 11}, {100, at(0, 1), 4, 'w', 100 + 5 + 4 + 4}},
     2},
    {"another bank later: activation",
     {{0, at(0, 0), 4, 'r', 11}, {100, at(1, 0), 4, 'r', 100 + 4 + 3 + 4}},
     2},
    {"each bank keeps its row",
     {{0, at(0, 5), 4, 'r', 11},
      {100, at(1, 6), 4, 'r', 111},
      {200, at(0, 5), 4, 'r', 207},
      {300, at(1, 6), 4, 'r', 307}},
     2},
    {"reads of a row, back to back: their data follow each other",
     {{0, at(0, 0), 4, 'r', 11}, {0, at(0, 0, 64), 4, 'r', 15}, {0, at(0, 0, 128), 128, 'r', 31}},
     1},
    {"writes of a row, back to back",
     {{0, at(0, 0), 4, 'w', 8}, {0, at(0, 0, 64), 128, 'w', 24}},
     1},
    {"a read behind a write: its command waits 2 clocks for the last datum",
     {{0, at(0, 0), 4, 'w', 8}, {0, at(0, 0, 64), 4, 'r', 8 + 2 + 3 + 4}},
     1},
    {"a write behind a read: its data wait for the bus",
     {{0, at(0, 0), 4, 'r', 11}, {0, at(0, 0, 64), 4, 'w', 11 + 4}},
     1},
    {"another row, back to back: 12 clocks open, 18 to the next activation",
     {{0, at(0, 0), 4, 'r', 11}, {0, at(0, 1), 4, 'r', 18 + 4 + 3 + 4}},
     2},
    {"another row behind a long read: from its last command on",
     {{0, at(0, 0), 128, 'r', 23}, {0, at(0, 1), 128, 'r', 20 + 5 + 4 + 3 + 16}},
     2},
    {"another row behind a write: 7 clocks from its last datum",
     {{0, at(0, 0), 4, 'w', 8}, {0, at(0, 1), 4, 'r', 8 + 7 + 5 + 4 + 3 + 4}},
     2},
    {"a refresh closes the row, and takes 20 clocks",
     {{0, at(0, 0), 4, 'r', 11}, {REFRESH, at(0, 0), 4, 'r', REFRESH + 5 + 20 + 11}},
     2},
    {"just before the refresh the row is open",
     {{0, at(0, 0), 4, 'r', 11}, {REFRESH - 1, at(0, 0), 4, 'r', REFRESH - 1 + 7}},
     1},
    {"a refresh in idle time delays nobody",
     {{0, at(0, 0), 4, 'r', 11}, {REFRESH + 25, at(0, 0), 4, 'r', REFRESH + 25 + 11}},
     2},
    {"of several, the first closes the row",
     {{0, at(0, 0), 4, 'r', 11}, {10 * REFRESH, at(0, 0), 4, 'r', 10 * REFRESH + 20 + 11}},
     2},
    {"a refresh waits until a row that was written may be closed",
     {{REFRESH - 1, at(0, 0), 4, 'w', REFRESH - 1 + 8},
      {REFRESH + 8, at(0, 0), 4, 'r', REFRESH + 7 + 7 + 5 + 20 + 11}},
     2},
};

const std::vector<row> OPEN = {
    {"other banks, back to back: the next activation follows the data",
     {{0, at(0, 0), 4, 'r', 11}, {0, at(1, 0), 4, 'r', 8 + 4 + 3 + 4}, {0, at(2, 0), 4, 'r', 27}},
     3},
    {"long reads of other banks",
     {{0, at(0, 0), 128, 'r', 23}, {0, at(1, 0), 128, 'r', 20 + 4 + 3 + 16}},
     2},
    {"a write to another bank", {{0, at(0, 0), 4, 'r', 11}, {0, at(1, 0), 4, 'w', 8 + 4 + 4}}, 2},
    {"a read across rows: two bursts, one row after the other",
     {{0, at(0, 0, ROW_BYTES - 4), 8, 'r', 8 + 4 + 3 + 4}},
     2},
    {"across rows that are open",
     {{0, at(0, 0), 4, 'r', 11},
      {100, at(1, 0), 4, 'r', 111},
      {200, at(0, 0, ROW_BYTES - 4), 8, 'r', 200 + 3 + 8}},
     2},
};

const std::vector<row> INTERLEAVED = {
    {"other banks, back to back: 6 clocks from activation to activation, one bank ahead",
     {{0, at(0, 0), 4, 'r', 11},
      {0, at(1, 0), 4, 'r', 6 + 4 + 3 + 4},
      {0, at(2, 0), 4, 'r', 12 + 4 + 3 + 4}},
     3},
    {"long reads of other banks: the bus is the limit",
     {{0, at(0, 0), 128, 'r', 23}, {0, at(1, 0), 128, 'r', 39}, {0, at(2, 0), 128, 'r', 55}},
     3},
    {"and with a row to close",
     {{0, at(0, 0), 128, 'r', 23},
      {0, at(1, 0), 128, 'r', 39},
      {0, at(0, 1), 128, 'r', 55},
      {0, at(1, 1), 128, 'r', 71}},
     4},
    {"a bank is not prepared before its request arrives",
     {{0, at(0, 0), 128, 'r', 23}, {18, at(1, 0), 128, 'r', 18 + 4 + 3 + 16}},
     2},
    {"a write to another bank: its data wait for the bus",
     {{0, at(0, 0), 4, 'r', 11}, {0, at(1, 0), 4, 'w', 11 + 4}},
     2},
    {"a read of another bank behind a write",
     {{0, at(0, 0), 128, 'w', 20}, {0, at(1, 0), 4, 'r', 20 + 2 + 3 + 4}},
     2},
    {"a read across rows: the second is opened beside the first's data",
     {{0, at(0, 0, ROW_BYTES - 4), 8, 'r', 6 + 4 + 3 + 4}},
     2},
};

} // namespace

TEST_F(SdramRows, StayOpen)
{
    expect(SDRAM_OPEN, ALIKE);
    expect(SDRAM_OPEN, OPEN);
}

TEST_F(SdramRows, OfOtherBanksAreOpenedBesideTheDataOfTheRequestBefore)
{
    expect(SDRAM_INTERLEAVED, ALIKE);
    expect(SDRAM_INTERLEAVED, INTERLEAVED);
}

TEST_F(SdramRows, AreClosedByDefaultAndThenHaveNoFurtherTimes)
{
    EXPECT_EQ(SDRAM_CLOSED, 0);
    const std::vector<row> closed = {
        {"the same row, another, another bank",
         {{0, at(0, 0), 4, 'w', 8},
          {0, at(0, 0), 4, 'w', 13 + 8},
          {0, at(0, 1), 4, 'r', 26 + 2 + 11},
          {0, at(1, 0), 4, 'r', 26 + 2 + 13 + 11}},
         4},
    };
    expect(SDRAM_CLOSED, closed);
}

TEST_F(SdramRows, OfManyBanksKeepTheBusBusy)
{
    start(SDRAM_INTERLEAVED);
    for (uint32_t i = 0; i < 40; i++) {
        EXPECT_EQ(request({0, at(i % 4, i), 128, 'r', 0}), (7 + 16 * (i + 1)) * CLOCK) << i;
    }
    EXPECT_EQ(sdram_.counters.activations, 40u);
    EXPECT_EQ(sdram_.counters.busy_ps, (4 + 16 * 40) * CLOCK);
}

TEST_F(SdramRows, AreCountedPerBank)
{
    for (const uint32_t banks : {1u, 2u, 8u}) {
        sdram_config config = config_of(SDRAM_OPEN);
        config.banks = banks;
        sdram_init(&sdram_, &config);
        for (uint32_t i = 0; i < 2 * banks; i++) { /* the second round finds other rows open */
            (void)sdram_request(&sdram_, (100 + 40 * i) * CLOCK, i * ROW_BYTES, 4, false);
        }
        const uint64_t again = 100 + 40 * 2 * banks;
        EXPECT_EQ(sdram_request(&sdram_, again * CLOCK, banks * ROW_BYTES, 4, false),
                  (again + 7) * CLOCK)
            << banks;
        EXPECT_EQ(sdram_.counters.activations, 2 * banks);
    }
}

/* The wait is what others cause; the rest of a request's time is its own. */
TEST_F(SdramRows, CountRequestsBytesAndTime)
{
    start(SDRAM_OPEN);
    (void)request({0, at(0, 0), 128, 'r', 0}); /* done at 23, served at 20 */
    (void)request({0, at(0, 0), 4, 'w', 0});   /* waits 23 for the bus */
    (void)request({100, at(0, 1), 4, 'r', 0}); /* no wait: precharge and activation are its own */
    EXPECT_EQ(sdram_.counters.reads, 2u);
    EXPECT_EQ(sdram_.counters.writes, 1u);
    EXPECT_EQ(sdram_.counters.bytes_read, 132u);
    EXPECT_EQ(sdram_.counters.bytes_written, 4u);
    EXPECT_EQ(sdram_.counters.wait_ps, 23 * CLOCK);
    EXPECT_EQ(sdram_.counters.busy_ps, (27 + 13) * CLOCK);
}

/* 130 MHz has no whole picoseconds: waits are never negative, busy time is never above the time. */
TEST_F(SdramRows, NeverMoveMoreThanThePeak)
{
    for (const sdram_policy policy : {SDRAM_CLOSED, SDRAM_OPEN, SDRAM_INTERLEAVED}) {
        sdram_config config = config_of(policy);
        config.clock = clock_of(130000000, 1);
        sdram_init(&sdram_, &config);
        std::mt19937 random(1);
        uint64_t arrival = 0;
        uint64_t bytes = 0;
        uint64_t done = 0;
        for (int i = 0; i < 20000; i++) {
            const uint32_t size = 4u + 4u * (random() % 64);
            const uint64_t waited = sdram_.counters.wait_ps;
            const bool write = random() % 2 == 0;
            done = sdram_request(&sdram_, arrival, 4u * (random() % 20000), size, write);
            bytes += size;
            ASSERT_GT(done, arrival);
            ASSERT_LT(sdram_.counters.wait_ps - waited, done - arrival) << i;
            ASSERT_LE(sdram_.counters.busy_ps, sdram_.free_ps) << i;
            ASSERT_LE(static_cast<double>(bytes), 1040e6 / 1e12 * static_cast<double>(done)) << i;
            arrival += random() % (random() % 100 == 0 ? 20000000 : 2000);
        }
        EXPECT_EQ(sdram_.counters.reads + sdram_.counters.writes, 20000u);
    }
}

/* A copy is the whole state, to the byte. */
TEST_F(SdramRows, AreStateThatCopyingSaves)
{
    for (const sdram_policy policy : {SDRAM_OPEN, SDRAM_INTERLEAVED}) {
        start(policy);
        sdram copy = {};
        std::mt19937 random(2);
        for (uint64_t i = 0; i < 400; i++) {
            if (i == 200) {
                copy = sdram_;
            }
            const auto place = static_cast<uint32_t>(random() % 20000);
            const auto words = static_cast<uint32_t>(1 + random() % 64);
            const asked next = {10 * i, 4 * place, 4 * words, random() % 2 == 0 ? 'r' : 'w', 0};
            const uint64_t done = request(next);
            if (i >= 200) {
                ASSERT_EQ(sdram_request(&copy, next.arrival * CLOCK, next.offset, next.bytes,
                                        next.kind == 'w'),
                          done);
            }
        }
        EXPECT_EQ(memcmp(&copy, &sdram_, sizeof copy), 0);
    }
}

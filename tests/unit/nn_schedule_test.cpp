/* How the rate goes up and down, against its formulas. */
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

extern "C" {
#include "workloads/nn/schedule.h"
}

namespace
{

std::vector<uint32_t> rates(const struct nn_schedule &schedule)
{
    std::vector<uint32_t> all;
    for (uint32_t k = 0; k < schedule.updates; k++) {
        all.push_back(nn_rate(&schedule, k));
    }
    return all;
}

TEST(NnSchedule, RisesAndFallsLinearly)
{
    EXPECT_EQ(rates({NN_DECAY_LINEAR, 10, 3, 0, 0}),
              (std::vector<uint32_t>{85, 171, 256, 256, 219, 183, 146, 110, 73, 37}));
    EXPECT_EQ(rates({NN_DECAY_LINEAR, 4, 0, 0, 0}), (std::vector<uint32_t>{256, 192, 128, 64}));
    EXPECT_EQ(rates({NN_DECAY_NONE, 5, 2, 0, 0}), (std::vector<uint32_t>{128, 256, 256, 256, 256}));
    EXPECT_EQ(rates({NN_DECAY_NONE, 3, 0, 0, 0}), (std::vector<uint32_t>{256, 256, 256}));
    EXPECT_EQ(rates({NN_DECAY_LINEAR, 2, 2, 0, 0}), (std::vector<uint32_t>{128, 256}));
}

TEST(NnSchedule, IsNeverNothing)
{
    const struct nn_schedule schedule = {NN_DECAY_LINEAR, 100000, 1000, 0, 0};
    EXPECT_EQ(nn_rate(&schedule, 0), 1u);
    EXPECT_EQ(nn_rate(&schedule, 99999), 1u);
    const struct nn_schedule steps = {NN_DECAY_STEP, 1000, 0, 10, 3};
    EXPECT_EQ(nn_rate(&steps, 999), 1u);
}

TEST(NnSchedule, FallsByStepsOfTheRun)
{
    EXPECT_EQ(rates({NN_DECAY_STEP, 8, 1, 3, 1}),
              (std::vector<uint32_t>{256, 256, 256, 128, 128, 128, 64, 64}));
    EXPECT_EQ(rates({NN_DECAY_STEP, 5, 0, 2, 2}), (std::vector<uint32_t>{256, 256, 64, 64, 16}));
}

/* The longest run there can be, in 32 bits. */
TEST(NnSchedule, LongRunsDoNotWrap)
{
    const struct nn_schedule schedule = {NN_DECAY_LINEAR, NN_MAX_UPDATES, NN_MAX_UPDATES / 2, 0, 0};
    for (const uint32_t k : {0u, 8191u, 2097151u, 2097152u, 3145728u, 4194303u}) {
        const double half = NN_MAX_UPDATES / 2.0;
        const double exact = k < half ? 256 * (k + 1) / half : 256 * (NN_MAX_UPDATES - k) / half;
        EXPECT_EQ(nn_rate(&schedule, k), std::max(1.0, std::floor(exact + 0.5))) << k;
    }
}

} // namespace

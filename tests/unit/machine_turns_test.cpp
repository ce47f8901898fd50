/* machine_turns_test.cpp - the order in which a chip's cores act, beside one that is sorted. */
#include "models/machine/core/turns.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <utility>

#include "models/common/units.h"

namespace
{

using times = std::array<uint64_t, TURNS_CORES>;

/* Cores in the order (time, number). */
std::array<unsigned, 2> first_two(const times &time_ps)
{
    std::array<std::pair<uint64_t, unsigned>, TURNS_CORES> order;
    for (unsigned core = 0; core < TURNS_CORES; core++) {
        order.at(core) = {time_ps.at(core), core};
    }
    std::sort(order.begin(), order.end());
    return {order[0].second, order[1].second};
}

TEST(MachineTurns, NobodyActsAtFirstAndOneIsSecondToEachOther)
{
    turns turns;
    turns_init(&turns);
    EXPECT_EQ(turns_first(&turns), 0u);
    EXPECT_EQ(turns_second(&turns), 1u);
    turns_set(&turns, 17, 5);
    EXPECT_EQ(turns_first(&turns), 17u);
    EXPECT_EQ(turns_second(&turns), 0u);
    turns_set(&turns, 1, 5);
    EXPECT_EQ(turns_first(&turns), 1u);
    EXPECT_EQ(turns_second(&turns), 17u);
    turns_set(&turns, 1, TIME_NEVER);
    EXPECT_EQ(turns_first(&turns), 17u);
}

TEST(MachineTurns, FollowTimeThenNumberWhateverChanges)
{
    std::mt19937_64 random(7);
    turns turns;
    turns_init(&turns);
    times time_ps;
    time_ps.fill(TIME_NEVER);
    for (unsigned step = 0; step < 100000; step++) {
        const auto core = static_cast<unsigned>(random() % TURNS_CORES);
        const uint64_t span = random() % 2 == 0 ? 4 : TURNS_LAST_PS; /* equal times are common */
        time_ps.at(core) = random() % 5 == 0 ? TIME_NEVER : random() % span;
        turns_set(&turns, core, time_ps.at(core));
        const auto expected = first_two(time_ps);
        ASSERT_EQ(turns_first(&turns), expected[0]) << "step " << step;
        ASSERT_EQ(turns_second(&turns), expected[1]) << "step " << step;
    }
}

} // namespace

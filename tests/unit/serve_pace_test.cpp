/* When a board may run, and when a client's datagram is put on its wire: on clocks that the test
 * sets. */
extern "C" {
#include "sim/serve/pace.h"
}

#include <gtest/gtest.h>

namespace
{

constexpr uint64_t MS = PS_PER_MS;
constexpr uint64_t US = PS_PER_US;
constexpr int64_t NS_PER_MS = 1000000;
constexpr int64_t T0 = 77 * NS_PER_S; /* any time of the wall clock */

struct pace_clock begun(enum pace_mode mode, uint32_t slower = 1)
{
    struct pace_clock pace;
    pace_begin(&pace, mode, slower, 0, T0);
    return pace;
}

} // namespace

TEST(ServePace, IsReadAsText)
{
    enum pace_mode mode = PACE_SLOWER;
    uint32_t slower = 0;
    ASSERT_TRUE(pace_read("real", &mode, &slower));
    EXPECT_EQ(mode, PACE_REAL);
    EXPECT_EQ(slower, 1u);
    ASSERT_TRUE(pace_read("max", &mode, &slower));
    EXPECT_EQ(mode, PACE_MAX);
    ASSERT_TRUE(pace_read("20", &mode, &slower));
    EXPECT_EQ(mode, PACE_SLOWER);
    EXPECT_EQ(slower, 20u);
    for (const char *bad :
         {"", "0", "-1", "+1", "1.5", "1000001", "99999999999999999999", "20x", " 20", "fast"}) {
        EXPECT_FALSE(pace_read(bad, &mode, &slower)) << bad;
    }
}

TEST(ServePace, RealIsNeverFasterThanTheWallClock)
{
    struct pace_clock pace = begun(PACE_REAL);
    EXPECT_EQ(pace_wait_ns(&pace, 0, T0), 0);
    EXPECT_EQ(pace_wait_ns(&pace, 100 * US, T0), 100000);
    EXPECT_EQ(pace_wait_ns(&pace, 100 * US, T0 + 99999), 1);
    EXPECT_EQ(pace_wait_ns(&pace, 100 * US, T0 + 100000), 0);
    EXPECT_EQ(pace.lost_ns, 0);
}

TEST(ServePace, SlowerTakesSoManyWallSecondsForABoardSecond)
{
    struct pace_clock pace = begun(PACE_SLOWER, 10);
    EXPECT_EQ(pace_wait_ns(&pace, 1 * MS, T0), 10 * NS_PER_MS);
    EXPECT_EQ(pace_wait_ns(&pace, 1 * MS, T0 + 10 * NS_PER_MS), 0);
}

TEST(ServePace, MaxNeverWaits)
{
    struct pace_clock pace = begun(PACE_MAX);
    EXPECT_EQ(pace_wait_ns(&pace, 1000 * PS_PER_S, T0), 0);
    EXPECT_EQ(pace_behind_ns(&pace, 0, T0 + 5 * NS_PER_S), 0);
}

TEST(ServePace, BoardThatWasBehindDoesNotRunFasterAfterwards)
{
    struct pace_clock pace = begun(PACE_REAL);
    EXPECT_EQ(pace_wait_ns(&pace, 1 * MS, T0 + 3 * NS_PER_S),
              0); /* 2.999 s behind, all but 20 ms of it given up */
    EXPECT_EQ(pace.lost_ns, 2979 * NS_PER_MS);
    EXPECT_EQ(pace_behind_ns(&pace, 1 * MS, T0 + 3 * NS_PER_S), 2999 * NS_PER_MS);
    EXPECT_EQ(pace_wait_ns(&pace, 21 * MS, T0 + 3 * NS_PER_S), 0);
    EXPECT_EQ(pace_wait_ns(&pace, 22 * MS, T0 + 3 * NS_PER_S), 1 * NS_PER_MS);
    EXPECT_EQ(pace_behind_ns(&pace, 22 * MS, T0 + 3 * NS_PER_S), 2979 * NS_PER_MS);
}

TEST(ServePace, PauseBetweenTwoDatagramsIsKeptOnASlowBoard)
{
    struct pace_clock pace = begun(PACE_REAL);
    const struct pace_wait first = pace_arrival(&pace, T0);
    const struct pace_wait second = pace_arrival(&pace, T0 + 100 * NS_PER_MS);
    EXPECT_EQ(pace_due_ps(&pace, &first, 0, T0), 0u);
    pace_sent(&pace, 0, 10 * US);
    /* The board has come to 2 ms when the second arrives. */
    EXPECT_EQ(pace_due_ps(&pace, &second, 2 * MS, T0 + 100 * NS_PER_MS), 100 * MS);
    EXPECT_EQ(pace_due_ps(&pace, &second, 101 * MS, T0 + 200 * NS_PER_MS), 101 * MS);
}

TEST(ServePace, PauseIsHeldForASecondAtMost)
{
    struct pace_clock pace = begun(PACE_REAL);
    (void)pace_arrival(&pace, T0);
    pace_sent(&pace, 0, 10 * US);
    const struct pace_wait wait = pace_arrival(&pace, T0 + 2 * NS_PER_S);
    EXPECT_EQ(pace_due_ps(&pace, &wait, 5 * MS, T0 + 2 * NS_PER_S + PACE_HOLD_NS - 1), 2000 * MS);
    EXPECT_EQ(pace_due_ps(&pace, &wait, 6 * MS, T0 + 2 * NS_PER_S + PACE_HOLD_NS), 6 * MS);
}

/* A client that sends each 100 ms and waits for no answer, as live input does, and a board that is
 * ten times slower: the distances are kept for as long as datagrams may wait. */
TEST(ServePace, SteadyStreamKeepsItsDistancesForAsLongAsItIsHeld)
{
    for (const int64_t hold_s : {1, 60}) {
        struct pace_clock pace = begun(PACE_REAL);
        pace_hold(&pace, hold_s * NS_PER_S);
        uint64_t before_ps = 0;
        uint64_t shortest_ps = TIME_NEVER;
        for (int64_t i = 0; i < 50; i++) {
            const int64_t came_ns = T0 + 100 * i * NS_PER_MS;
            const struct pace_wait wait = pace_arrival(&pace, came_ns);
            uint64_t now_ps = before_ps;
            int64_t wall_ns = T0 + (int64_t)(now_ps / PS_PER_NS) * 10;
            while (wall_ns < came_ns || pace_due_ps(&pace, &wait, now_ps, wall_ns) > now_ps) {
                now_ps += 1 * MS;
                wall_ns += 10 * NS_PER_MS;
            }
            pace_sent(&pace, now_ps, 10 * US);
            shortest_ps =
                i > 0 && now_ps - before_ps < shortest_ps ? now_ps - before_ps : shortest_ps;
            before_ps = now_ps;
        }
        EXPECT_EQ(shortest_ps, hold_s == 1 ? 10 * MS : 100 * MS) << hold_s;
    }
}

TEST(ServePace, WaitForAnAnswerIsNoPause)
{
    struct pace_clock pace = begun(PACE_REAL);
    (void)pace_arrival(&pace, T0);
    pace_sent(&pace, 0, 10 * US);
    /* The board answers at 1 ms of its time, half a second later; the client thinks for 3 ms. */
    pace_departure(&pace, 1 * MS, T0 + NS_PER_S / 2);
    const struct pace_wait wait = pace_arrival(&pace, T0 + NS_PER_S / 2 + 3 * NS_PER_MS);
    EXPECT_EQ(pace_due_ps(&pace, &wait, 1 * MS, T0 + NS_PER_S / 2 + 3 * NS_PER_MS), 4 * MS);
}

TEST(ServePace, AnswerThatWentOutAfterADatagramHadComeIsNotSeenByItsClient)
{
    struct pace_clock pace = begun(PACE_REAL);
    (void)pace_arrival(&pace, T0);
    pace_sent(&pace, 0, 10 * US);
    pace_departure(&pace, 1 * MS, T0 + 40 * NS_PER_MS);
    pace_departure(&pace, 2 * MS, T0 + 90 * NS_PER_MS);
    /* It came at 50 ms, but was read only after the second answer had gone. */
    const struct pace_wait wait = pace_arrival(&pace, T0 + 50 * NS_PER_MS);
    EXPECT_EQ(pace_due_ps(&pace, &wait, 2 * MS, T0 + 90 * NS_PER_MS), 11 * MS);
}

TEST(ServePace, DatagramsThatComeTogetherFollowEachOtherOnTheWire)
{
    struct pace_clock pace = begun(PACE_REAL);
    const uint64_t wire_ps = 5120 * PS_PER_NS + 324 * 80 * PS_PER_NS;
    uint64_t due_ps = 0;
    for (unsigned i = 0; i < 8; i++) {
        const struct pace_wait wait = pace_arrival(&pace, T0);
        due_ps = pace_due_ps(&pace, &wait, 50 * US, T0);
        EXPECT_EQ(due_ps, 50 * US + i * wire_ps);
        pace_sent(&pace, due_ps, wire_ps);
    }
}

TEST(ServePace, PauseFollowsADatagramThatWasItselfHeldBack)
{
    struct pace_clock pace = begun(PACE_REAL);
    const struct pace_wait first = pace_arrival(&pace, T0 + 100 * NS_PER_MS);
    const struct pace_wait second = pace_arrival(&pace, T0 + 110 * NS_PER_MS);
    EXPECT_EQ(pace_due_ps(&pace, &first, 1 * MS, T0 + 110 * NS_PER_MS), 100 * MS);
    pace_sent(&pace, 100 * MS, 10 * US);
    EXPECT_EQ(pace_due_ps(&pace, &second, 1 * MS, T0 + 110 * NS_PER_MS), 110 * MS);
}

TEST(ServePace, BoardThatIsAheadPutsADatagramOnTheWireNow)
{
    struct pace_clock pace = begun(PACE_MAX);
    const struct pace_wait wait = pace_arrival(&pace, T0 + 1 * NS_PER_MS);
    EXPECT_EQ(pace_due_ps(&pace, &wait, 500 * MS, T0 + 1 * NS_PER_MS), 500 * MS);
}

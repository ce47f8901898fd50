/* network_link_test.cpp - one direction of a link: rates, credits, back-pressure, both sides of
 * each time. */
#include "models/common/units.h"
#include "models/network/link.h"

#include <gtest/gtest.h>

namespace
{

constexpr link_rate RATE = {137000, 236600, 0};
constexpr link_rate BETWEEN_BOARDS = {356000, 615000, 500000};

packet packet_of(uint32_t key, bool payload)
{
    packet made = {};
    made.key = key;
    made.control = payload ? PACKET_CONTROL_PAYLOAD : 0;
    return made;
}

} // namespace

TEST(Link, SendsAShortPacketInItsTimeAndALongOneInIts)
{
    for (const bool payload : {false, true}) {
        link_tx tx;
        link_tx_init(&tx, 3);
        EXPECT_EQ(link_tx_next_ps(&tx), TIME_NEVER);
        const packet sent = packet_of(7, payload);
        link_tx_put(&tx, &sent, 1000);
        EXPECT_TRUE(tx.full);
        EXPECT_EQ(link_tx_next_ps(&tx), 1000u) << "at once";
        EXPECT_EQ(link_tx_begin(&tx, &RATE, 1000), 1000u + (payload ? 236600 : 137000));
        EXPECT_FALSE(tx.full) << "the next may come";
        EXPECT_EQ(link_tx_next_ps(&tx), TIME_NEVER);
        EXPECT_EQ(tx.counters.bits, payload ? 72u : 40u);
    }
}

TEST(Link, TheNextPacketBeginsWhenTheOneBeforeIsGone)
{
    for (const uint64_t put_ps : {uint64_t{1}, uint64_t{136999}, uint64_t{137000}}) {
        link_tx tx;
        link_tx_init(&tx, 3);
        const packet sent = packet_of(7, false);
        link_tx_put(&tx, &sent, 0);
        EXPECT_EQ(link_tx_begin(&tx, &RATE, 0), 137000u);
        link_tx_put(&tx, &sent, put_ps);
        EXPECT_EQ(link_tx_next_ps(&tx), 137000u);
        EXPECT_EQ(link_tx_begin(&tx, &RATE, 137000), 274000u);
        EXPECT_EQ(tx.counters.blocked_ps, 0u) << "a link at work is not blocked";
    }
    link_tx tx;
    link_tx_init(&tx, 3);
    const packet sent = packet_of(7, false);
    link_tx_put(&tx, &sent, 0);
    (void)link_tx_begin(&tx, &RATE, 0);
    link_tx_put(&tx, &sent, 137001);
    EXPECT_EQ(link_tx_next_ps(&tx), 137001u);
}

TEST(Link, LatencyDelaysTheArrivalNotTheNextPacket)
{
    link_tx tx;
    link_tx_init(&tx, 3);
    const packet sent = packet_of(7, false);
    link_tx_put(&tx, &sent, 0);
    EXPECT_EQ(link_tx_begin(&tx, &BETWEEN_BOARDS, 0), 856000u);
    link_tx_put(&tx, &sent, 1);
    EXPECT_EQ(link_tx_next_ps(&tx), 356000u);
}

TEST(Link, WithoutACreditItWaitsForOne)
{
    link_tx tx;
    link_tx_init(&tx, 1);
    const packet sent = packet_of(7, false);
    link_tx_put(&tx, &sent, 0);
    EXPECT_EQ(link_tx_begin(&tx, &RATE, 0), 137000u);
    link_tx_put(&tx, &sent, 1000);
    EXPECT_EQ(link_tx_next_ps(&tx), TIME_NEVER);
    link_tx_credit(&tx, 400000);
    EXPECT_EQ(link_tx_next_ps(&tx), 400000u);
    EXPECT_EQ(link_tx_begin(&tx, &RATE, 400000), 537000u);
    EXPECT_EQ(tx.counters.blocked_ps, 400000u - 137000u);
    EXPECT_EQ(tx.counters.packets, 2u);
}

TEST(Link, AnOldCreditIsUsedAtOnce)
{
    link_tx tx;
    link_tx_init(&tx, 0);
    link_tx_credit(&tx, 100);
    const packet sent = packet_of(7, false);
    link_tx_put(&tx, &sent, 5000);
    EXPECT_EQ(link_tx_next_ps(&tx), 5000u);
}

TEST(Link, ThatLeadsNowhereKeepsItsPacket)
{
    link_tx tx;
    link_tx_init(&tx, 0);
    const packet sent = packet_of(7, false);
    link_tx_put(&tx, &sent, 0);
    EXPECT_EQ(link_tx_next_ps(&tx), TIME_NEVER);
    EXPECT_TRUE(tx.full);
}

TEST(Link, ThreeCreditsOfOnePacketTimeSustainTheFullRate)
{
    link_tx tx;
    link_rx rx = {};
    link_tx_init(&tx, 3);
    uint64_t now_ps = 0;
    for (unsigned i = 0; i < 100; i++) {
        const packet sent = packet_of(i, false);
        link_tx_put(&tx, &sent, now_ps);
        ASSERT_EQ(link_tx_next_ps(&tx), now_ps) << "packet " << i << " was held up";
        link_rx_put(&rx, &sent, link_tx_begin(&tx, &RATE, now_ps));
        now_ps += RATE.short_ps;
        EXPECT_EQ(link_rx_next_ps(&rx), now_ps);
        EXPECT_EQ(link_rx_take(&rx).key, i);
        link_tx_credit(&tx, now_ps + RATE.short_ps);
    }
    EXPECT_EQ(link_rx_next_ps(&rx), TIME_NEVER);
}

TEST(Link, AReceiverGivesPacketsInTheirOrder)
{
    link_rx rx = {};
    for (uint32_t i = 0; i < 3; i++) {
        const packet sent = packet_of(i, false);
        link_rx_put(&rx, &sent, 1000 * (i + 1));
    }
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(link_rx_next_ps(&rx), 1000u * (i + 1));
        EXPECT_EQ(link_rx_take(&rx).key, i);
    }
}

TEST(Link, CreditsAreUsedEarliestFirstHoweverManyHaveReturned)
{
    link_tx tx;
    link_tx_init(&tx, LINK_BUFFER_MAX);
    uint64_t returned_ps = 0;
    uint64_t now_ps = 0;
    for (unsigned i = 0; i < 5 * LINK_BUFFER_MAX; i++) {
        const packet sent = packet_of(i, false);
        link_tx_put(&tx, &sent, now_ps);
        const uint64_t credit_ps = i < LINK_BUFFER_MAX ? 0 : 1000000 * (i - LINK_BUFFER_MAX + 1);
        const uint64_t can_ps = credit_ps > now_ps ? credit_ps : now_ps;
        ASSERT_EQ(link_tx_next_ps(&tx), can_ps) << "packet " << i;
        now_ps = can_ps + RATE.short_ps;
        (void)link_tx_begin(&tx, &RATE, can_ps);
        returned_ps += 1000000;
        link_tx_credit(&tx, returned_ps);
    }
    EXPECT_EQ(tx.credits, LINK_BUFFER_MAX);
}

TEST(Link, AReceiverThatIsResetKeepsPacketsThatHaveNotArrived)
{
    link_rx rx = {};
    for (uint32_t i = 0; i < 3; i++) {
        const packet sent = packet_of(i, false);
        link_rx_put(&rx, &sent, 1000 * (i + 1));
    }
    EXPECT_EQ(link_rx_reset(&rx, 2000), 2u);
    EXPECT_EQ(link_rx_next_ps(&rx), 3000u);
    EXPECT_EQ(link_rx_take(&rx).key, 2u);
    EXPECT_EQ(link_rx_next_ps(&rx), TIME_NEVER);
}

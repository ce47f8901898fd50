/* packets_test.cpp - networks of chips under more packets than they carry. */
#include "tests/system/program.h"

class Packets : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }
};

TEST_F(Packets, ASaturatedLinkCarriesItsRateAndLosesNothing)
{
    run(experiment("micro/link_saturation"), "out");
    const auto sums = counters("out");
    const double seconds = number("out", "seconds");
    const auto packets = static_cast<double>(sums.at("link.packets"));
    /* 7.30 million packets of 40 bits a second on a link to the east (network_tester): within 5 %,
     * start and end included. */
    EXPECT_GT(packets / seconds, 0.95 * 7.30e6);
    EXPECT_LT(packets / seconds, 1.05 * 7.30e6);
    EXPECT_EQ(sums.at("comms.sent_multicast"), sums.at("comms.received_multicast"));
    EXPECT_EQ(number("out", "dropped_packets"), 0);
    EXPECT_GT(sums.at("comms.lost_by_overrun"), 0u) << "the senders offer more, and are told";
    EXPECT_EQ(number("out", "late_interrupts"), 0);
}

TEST_F(Packets, ARingOfFullBuffersIsResolvedByDropsAndEveryPacketIsAccountedFor)
{
    run(experiment("micro/packet_flood"), "out");
    const auto sums = counters("out");
    EXPECT_GT(sums.at("router.dumped_mc"), 10000u);
    EXPECT_EQ(sums.at("comms.sent_multicast"), sums.at("router.packets_local"));
    EXPECT_EQ(sums.at("router.packets_local"),
              sums.at("comms.received_multicast") + sums.at("router.dumped_copies"));
    EXPECT_EQ(sums.at("link.packets"), sums.at("router.link_copies"));
    EXPECT_EQ(number("out", "late_interrupts"), 0);
    run(experiment("micro/packet_flood"), "again", {"--threads", "3"});
    EXPECT_EQ(text("out", "identity.stats_hash"), text("again", "identity.stats_hash"));
    EXPECT_EQ(read("out/counters.csv"), read("again/counters.csv"));
}

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
    EXPECT_EQ(read("out/traffic.csv"), read("again/traffic.csv"));
}

TEST_F(Packets, OfEachLinkAreInATable)
{
    run(experiment("micro/packet_flood"), "out");
    const auto sums = counters("out");
    const words rows = lines(read("out/traffic.csv"));
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0], "x,y,link,packet_type,purpose,sent,received,dropped,refused,busy");
    uint64_t links[5] = {};
    uint64_t cores[5] = {};
    for (size_t i = 1; i < rows.size(); i++) {
        char link[8] = "";
        char rest[20] = "";
        uint64_t value[5];
        ASSERT_EQ(sscanf(rows[i].c_str(), "%*u,%*u,%7[^,],mc,%19[a-z],%lu,%lu,%lu,%lu,%lu", link,
                         rest, &value[0], &value[1], &value[2], &value[3], &value[4]),
                  7)
            << rows[i];
        EXPECT_STREQ(rest, "none") << "the program has no keys of a mapping";
        for (unsigned v = 0; v < 5; v++) {
            (std::string(link) == "cores" ? cores : links)[v] += value[v];
        }
    }
    EXPECT_EQ(links[0], sums.at("link.packets"));
    EXPECT_EQ(links[4], sums.at("link.busy_ps"));
    EXPECT_EQ(links[2] + cores[2], sums.at("router.dumped_copies"));
    EXPECT_EQ(links[3] + cores[3], sums.at("router.waited"));
    EXPECT_EQ(cores[0], sums.at("router.core_copies"));
    EXPECT_EQ(cores[1], sums.at("router.packets_local"));
    EXPECT_EQ(links[1] + cores[1], sums.at("router.packets_mc"));
    const uint64_t wait_cycles = (sums.at("comms.core_wait_ps") + 4999) / 5000;
    EXPECT_EQ(number("out", "core_time.packet_wait"), static_cast<double>(wait_cycles));
    EXPECT_GT(number("out", "core_time.packet_wait"), 0);
}

TEST_F(Packets, EachLostCopyIsInATableUpToANumberForEachChip)
{
    const finished result =
        run(experiment("micro/packet_flood"), "out", {"--set", "record.drops=3"});
    const words rows = lines(read("out/drops.csv"));
    ASSERT_EQ(rows.size(), 1u + 3 * 144);
    EXPECT_EQ(rows[0], "x,y,time_ps,tried_ps,packet_type,key,payload,arrival,output,reason,holder,"
                       "holder_key,held_since_ps");
    uint64_t before_ps = 0;
    for (size_t i = 1; i < rows.size(); i++) {
        unsigned x = 0;
        unsigned y = 0;
        uint64_t time_ps = 0;
        uint64_t tried_ps = 0;
        char rest[100] = "";
        ASSERT_EQ(sscanf(rows[i].c_str(), "%u,%u,%lu,%lu,%99s", &x, &y, &time_ps, &tried_ps, rest),
                  5);
        EXPECT_GE(time_ps, before_ps);
        EXPECT_EQ(time_ps - tried_ps, 240u * 7500); /* wait1 as the router starts */
        EXPECT_NE(std::string(rest).find(",link_0,blocked,"), std::string::npos) << rows[i];
        before_ps = time_ps;
    }
    const auto dumped = static_cast<double>(counters("out").at("router.dumped_copies"));
    EXPECT_EQ(number("out", "drops.recorded"), 3 * 144);
    EXPECT_EQ(number("out", "drops.unrecorded"), dumped - 3 * 144);
    EXPECT_NE(result.out.find("lost packets    "), std::string::npos);
    const finished report = spinnsim({"report", "out"});
    EXPECT_NE(report.out.find("**Lost packets**"), std::string::npos);
    run(experiment("micro/packet_flood"), "none", {"--set", "record.drops=0"});
    EXPECT_FALSE(exists("none/drops.csv"));
    EXPECT_EQ(number("none", "drops.unrecorded"), dumped);
    EXPECT_EQ(text("none", "identity.sim_hash"), text("out", "identity.sim_hash"));
}

/* reinjector_test.cpp - packets that a router drops are sent again. */
#include "tests/system/program.h"

class Reinjector : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* A sender and a receiver, on whose way two packets have room; see guests/reinjected.c. */
    finished cores(const std::string &list, const words &sets) const
    {
        write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                          "app:\n  - {file: " +
                              program("test_reinjected") + ", cores: [" + list + "]}\n");
        words arguments = {
            "run", "own.yaml", "--force", "--out", "out", "--set", "router.core_buffer=2"};
        for (const std::string &set : sets) {
            arguments.push_back("--set");
            arguments.push_back(set);
        }
        return spinnsim(arguments);
    }

    double reinjector(const std::string &counter) const
    {
        return number("out", "reinjector." + counter);
    }
};

static const std::string ON = "run.reinjector=true";

TEST_F(Reinjector, WithoutItADroppedPacketIsLost)
{
    ASSERT_EQ(cores("1, 2", {}).status, 0);
    EXPECT_EQ(read("out/console.txt"), "0,0,2 100\n0,0,2 101\n0,0,2 102\n");
    EXPECT_EQ(number("out", "dropped_packets"), 1);
    EXPECT_EQ(read("out/summary.json").find("reinjector"), std::string::npos);
}

TEST_F(Reinjector, RecoversADroppedPacket)
{
    const finished result = cores("1, 2", {ON});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(read("out/console.txt"), "0,0,2 100\n0,0,2 101\n0,0,2 102\n0,0,2 103\n");
    EXPECT_EQ(number("out", "dropped_packets"), 1);
    EXPECT_EQ(reinjector("dropped"), 1);
    EXPECT_EQ(reinjector("sent"), 1);
    EXPECT_EQ(reinjector("missed"), 0);
    EXPECT_EQ(reinjector("partial"), 0);
    EXPECT_EQ(reinjector("refused"), 0);
    EXPECT_EQ(reinjector("queued"), 0);
    EXPECT_EQ(number("out", "cores_used"), 2);
    EXPECT_NE(read("out/summary.json").find("\"unmodelled\": []"), std::string::npos);
    EXPECT_NE(read("out/placement.csv").find("0,0,0,0,reinjector,"), std::string::npos);
    EXPECT_NE(result.out.find("reinjector      1 packets sent again of 1 found dropped, 0 times"),
              std::string::npos)
        << result.out;
}

TEST_F(Reinjector, ASecondDropBeforeTheFirstIsReadIsLostAndFlagged)
{
    ASSERT_EQ(cores("2, 3", {ON}).status, 0);
    EXPECT_EQ(read("out/console.txt"), "0,0,2 100\n0,0,2 101\n0,0,2 102\n0,0,2 103\n");
    EXPECT_EQ(number("out", "dropped_packets"), 2);
    EXPECT_EQ(counters("out").at("router.dumps_lost"), 1u);
    EXPECT_EQ(reinjector("dropped"), 1);
    EXPECT_EQ(reinjector("sent"), 1);
    EXPECT_EQ(reinjector("missed"), 1);
}

TEST_F(Reinjector, SendsCopiesThatHadLeftAgainToo)
{
    ASSERT_EQ(cores("1, 2, 6", {ON}).status, 0);
    EXPECT_EQ(read("out/console.txt"), "0,0,2 100\n0,0,2 101\n0,0,2 102\n0,0,2 103\n"
                                       "0,0,6 100\n0,0,6 101\n0,0,6 102\n0,0,6 103\n0,0,6 103\n");
    EXPECT_EQ(reinjector("dropped"), 1);
    EXPECT_EQ(reinjector("partial"), 1);
}

TEST_F(Reinjector, GoesOnUntilTheReceiverReads)
{
    ASSERT_EQ(cores("1, 4", {ON}).status, 0);
    EXPECT_EQ(read("out/console.txt"), "0,0,4 100\n0,0,4 101\n0,0,4 102\n0,0,4 103\n");
    /* sent after 10, 10, 20, 40, 80, 160, 320 us: the seventh time the receiver reads */
    EXPECT_EQ(reinjector("dropped"), 7);
    EXPECT_EQ(reinjector("sent"), 7);
    EXPECT_EQ(number("out", "dropped_packets"), 7);
    EXPECT_EQ(reinjector("missed"), 0);
}

TEST_F(Reinjector, DoesNotKeepARunGoingWhoseReceiverNeverReads)
{
    const finished result = cores("1, 5", {ON});
    EXPECT_EQ(result.status, 3);
    EXPECT_LT(number("out", "seconds"), 0.2); /* 10 us doubled up to 82 ms, and it gives up */
    EXPECT_EQ(reinjector("refused"), 1);
    EXPECT_EQ(reinjector("queued"), 0);
    EXPECT_NE(result.err.find("chip (0,0) core 5: waits for what cannot come"), std::string::npos)
        << result.err;
    EXPECT_EQ(lines(read("out/waits.csv")).size(), 2u); /* the reinjector itself is left out */
}

TEST_F(Reinjector, ChangesNothingWhereNothingIsDropped)
{
    run(experiment("ring"), "with", {"--set", ON});
    EXPECT_EQ(number("with", "reinjector.dropped"), 0);
    EXPECT_EQ(read("with/console.txt"), "0,0,1 the packet has passed 170 cores\n");
    run("with/config.yaml", "again");
    EXPECT_EQ(text("with", "identity.stats_hash"), text("again", "identity.stats_hash"));
    EXPECT_EQ(text("with", "identity.sim_hash"), text("again", "identity.sim_hash"));
    run(experiment("ring"), "without", {"--set", "run.reinjector=false"});
    run(experiment("ring"), "silent");
    EXPECT_EQ(text("without", "identity.sim_hash"), text("silent", "identity.sim_hash"));
    EXPECT_NE(text("with", "identity.sim_hash"), text("silent", "identity.sim_hash"));
}

TEST_F(Reinjector, NeedsAMonitorProcessor)
{
    const finished result = cores("1, 2", {ON, "chip.monitor_cores=0"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("run.reinjector: there is no monitor processor"), std::string::npos)
        << result.err;
}

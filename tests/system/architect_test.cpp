/* architect_test.cpp - other hardware than SpiNNaker's: each key changes the counts that it should,
 * by as much as it should. */
#include "tests/system/program.h"

class Architect : public SystemTest
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

TEST_F(Architect, RoutersWaitAsConfiguredBeforeTheyDrop)
{
    const struct {
        const char *wait1, *wait2;
        unsigned clocks;
    } rows[] = {{"16", "0", 16}, {"80", "0", 512}, {"32", "64", 48 + 240}};
    for (const auto &row : rows) {
        const std::string out = std::string(row.wait1) + "_" + row.wait2;
        run(experiment("micro/packet_flood"), out,
            {"--set", std::string("router.wait1=") + row.wait1, "--set",
             std::string("router.wait2=") + row.wait2, "--set", "record.drops=1"});
        const auto drops = table_rows(read(out + "/drops.csv"));
        EXPECT_FALSE(drops.empty()) << out;
        for (const auto &drop : drops) {
            EXPECT_EQ(std::stoull(drop.at("time_ps")) - std::stoull(drop.at("tried_ps")),
                      row.clocks * 7500u)
                << out;
        }
        EXPECT_EQ(counters(out).at("router.emergency") > 0, std::string(row.wait2) != "0") << out;
    }
}

TEST_F(Architect, RoutersThatWaitForEverDropNothing)
{
    run(experiment("micro/packet_flood"), "out", {"--set", "router.wait1=255"});
    EXPECT_EQ(number("out", "dropped_packets"), 0);
}

TEST_F(Architect, ShorterBurstsMoveTheSameBytesInMorePieces)
{
    const uint64_t words_moved = 200 * 2048 / 4; /* by dma_pingpong, there and back */
    uint64_t before_ps = 0;
    for (const unsigned burst : {32u, 16u, 8u, 4u, 1u}) {
        const std::string out = std::to_string(burst);
        run(experiment("micro/dma_pingpong"), out, {"--set", "chip.dma_burst=" + out});
        const auto sums = counters(out);
        EXPECT_EQ(sums.at("dma.bursts"), words_moved / burst);
        EXPECT_EQ(sums.at("dma.bytes_to_tcm") + sums.at("dma.bytes_from_tcm"), words_moved * 4);
        EXPECT_GT(sums.at("machine.time_ps"), before_ps);
        before_ps = sums.at("machine.time_ps");
    }
}

TEST_F(Architect, AnyNumberOfDataMemoryThatIsEnoughTakesTheSameTime)
{
    const words few = {"--set", "data.test_images=17", "--set"};
    uint64_t time_ps = 0;
    for (const char *size : {"32 KiB", "64 KiB", "128 KiB", "4 MiB"}) {
        words more = few;
        more.push_back(std::string("chip.dtcm=") + size);
        run(experiment("lenet1_synthetic"), size, more);
        const uint64_t taken_ps = counters(size).at("machine.time_ps");
        EXPECT_EQ(taken_ps, time_ps == 0 ? taken_ps : time_ps) << size;
        EXPECT_EQ(number(size, "memory.dtcm_bytes"), 25696);
        time_ps = taken_ps;
    }
    const finished small =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "chip.dtcm=16 KiB"});
    EXPECT_EQ(small.status, 2);
    EXPECT_NE(small.err.find("needs 25696 bytes of DTCM"), std::string::npos) << small.err;
}

TEST_F(Architect, ANetworkThatNeedsMoreDataMemoryRunsOnACoreThatHasIt)
{
    words arguments = {"run", experiment("lenet1_synthetic"), "--out", "out"};
    for (const char *set :
         {"network.name=lenet5", "mode=train", "data.train_images=2", "train.global_batch=2",
          "train.shards=1", "data.test_images=1", "mapping.cores_per_chip=2", "accept=null"}) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    words smaller = arguments;
    smaller.insert(smaller.end(), {"--set", "chip.dtcm=512 KiB"});
    const finished refused = spinnsim(smaller);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("needs 665288 bytes of DTCM"), std::string::npos) << refused.err;
    arguments.insert(arguments.end(), {"--set", "chip.dtcm=1 MiB"});
    const finished done = spinnsim(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(number("out", "memory.dtcm_bytes"), 665288);
}

TEST_F(Architect, ChangedKeysThatNothingUsesAreSaid)
{
    const words sets = {"--set", "link.packet=100 ns", "--set", "router.wait1=1",
                        "--set", "router.pipeline=3"};
    const finished alone = run(experiment("hello"), "alone", sets);
    EXPECT_EQ(
        alone.err.find("spinnsim: warning: link.packet: changed, but without effect: no packet "
                       "crossed a link in this run\n"),
        0u)
        << alone.err;
    const std::string router = "router.pipeline, router.wait1: changed, but without effect: no "
                               "packet came to a router in this run\n";
    EXPECT_NE(alone.err.find(router), std::string::npos) << alone.err;
    EXPECT_NE(read("alone/summary.json").find("\"key\": \"router.pipeline, router.wait1\""),
              std::string::npos);
    const finished flood = run(experiment("micro/packet_flood"), "flood", sets);
    EXPECT_EQ(flood.err.find("router"), std::string::npos) << flood.err;
    EXPECT_EQ(run(experiment("hello"), "usual").err, "");
}

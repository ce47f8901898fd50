/* waits_test.cpp - a run that makes no progress ends, and says who waits for what. */
#include "tests/system/program.h"

class Waits : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* The program on these cores of a chip; see guests/waits_key.c. */
    finished cores(const std::string &list, const words &sets = {}) const
    {
        write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                          "app:\n  - {file: " +
                              program("test_waits_key") + ", cores: [" + list + "]}\n");
        words arguments = {"run", "own.yaml", "--force", "--out", "out"};
        for (const std::string &set : sets) {
            arguments.push_back("--set");
            arguments.push_back(set);
        }
        return spinnsim(arguments);
    }
};

static const char HEAD[] = "x,y,core,virtual_core,role,state,lets_in,pc,symbol,waits_for";

/* A row of waits.csv without its pc. */
static std::string without_pc(const std::string &row)
{
    const size_t at = row.find(",0x");
    return at == std::string::npos ? row : row.substr(0, at) + row.substr(at + 11);
}

TEST_F(Waits, EndAtOnceWhereNoCoreCanGoOn)
{
    const finished result = cores("1, 3");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 1: waits for what cannot come: key 0x00001000 mask "
                              "0xfffff000: 2 of 3 came in round 7 (asleep at pc 0x"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(text("out", "status"), "guest_failed");
    EXPECT_EQ(text("out", "failure").find("chip (0,0) core 1: waits for what"), 0u);
    EXPECT_LT(number("out", "seconds"), 0.001);
    const words rows = lines(read("out/waits.csv"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0], HEAD);
    EXPECT_EQ(without_pc(rows[1]).find("0,0,1,1,test_waits_key,asleep,dma multicast,"), 0u);
    EXPECT_NE(rows[1].find(",key 0x00001000 mask 0xfffff000: 2 of 3 came in round 7"),
              std::string::npos);
}

TEST_F(Waits, EndAfterTheLimitWhereOnlyTimersTick)
{
    const finished result = cores("1-3");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("ms nothing but timers' handlers has happened"), std::string::npos)
        << result.err;
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.030); /* looked at every 10 ms */
    const words rows = lines(read("out/waits.csv"));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(without_pc(rows[2]).find("0,0,2,2,test_waits_key,asleep,timer dma multicast,"), 0u)
        << rows[2];
    EXPECT_EQ(cores("1-3", {"run.quiescent_limit=2 ms"}).status, 3);
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.004); /* two ticks after the last packet */
    EXPECT_EQ(cores("1-3", {"run.quiescent_limit=0 s", "run.simulated_time_limit=100 ms"}).status,
              4);
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.1);
}

TEST_F(Waits, DoNotEndAProgramThatItsOwnTimerDrives)
{
    EXPECT_EQ(cores("5").status, 0);
    EXPECT_DOUBLE_EQ(number("out", "dropped_packets"), 0);
    EXPECT_GT(number("out", "seconds"), 0.050);
    EXPECT_FALSE(exists("out/waits.csv"));
    /* nor the others while it goes on */
    EXPECT_EQ(cores("1-3, 5").status, 3);
    EXPECT_GT(number("out", "seconds"), 0.050);
    EXPECT_LT(number("out", "seconds"), 0.081);
}

TEST_F(Waits, DoNotEndBeforeASlowTimerHasBeenServedTwice)
{
    EXPECT_EQ(cores("6").status, 3);
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.070); /* ticks at 30 and 60 ms */
}

TEST_F(Waits, NameTheCoresThatABarrierWaitsFor)
{
    const finished result = cores("3, 4");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 4: waits for what cannot come: the barrier, for "
                              "core 3 "),
              std::string::npos)
        << result.err;
}

TEST_F(Waits, NameALostKeyFirstThenTheLowestRound)
{
    finished result = cores("8, 9");
    EXPECT_NE(result.err.find("chip (0,0) core 9: waits for what cannot come: key 0x00000700 mask "
                              "0xffffffff: 0 of 1 came in round 11, and 1 more key ("),
              std::string::npos)
        << result.err;
    result = cores("8-12");
    EXPECT_NE(result.err.find("chip (0,0) core 10: waits for what cannot come: key 0x00002000 mask "
                              "0xfffff000: 0 of 3 came in round 10, some were lost (drops.csv) ("),
              std::string::npos)
        << result.err;
}

TEST_F(Waits, SayThatMoreCameThanWasWanted)
{
    const finished result = cores("7");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("waits for what cannot come: dma or multicast, but 2 packets of key "
                              "0x00000500 came, not 1 ("),
              std::string::npos)
        << result.err;
}

TEST_F(Waits, NameAnErrorBeforeThoseThatWait)
{
    write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                      "app:\n  - {file: " +
                          program("test_waits_key") +
                          ", cores: 1}\n  - {file: " + program("test_rt_error") + ", cores: 2}\n");
    const finished result = spinnsim({"run", "own.yaml", "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 2: run-time error 13 at pc"), std::string::npos)
        << result.err;
    EXPECT_EQ(lines(read("out/waits.csv")).size(), 3u);
}

TEST_F(Waits, ShowTenRowsAndHowManyMore)
{
    write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                      "app:\n  - {file: " +
                          program("test_waits") + ", cores: 1-12}\n");
    const finished result = spinnsim({"run", "own.yaml", "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("\n0,0,10 "), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("\n0,0,11 "), std::string::npos);
    EXPECT_NE(result.err.find("\nand 2 more cores: waits.csv\n"), std::string::npos);
    EXPECT_EQ(lines(read("out/waits.csv")).size(), 13u);
    EXPECT_NE(read("out/waits.csv").find("nothing: it lets no interrupt in"), std::string::npos);
}

TEST_F(Waits, ADeletedRouteThatIsNoneIsRefused)
{
    const finished result = cores("5", {"faults.deleted_routes=[\"0,0,0x1000\"]"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("faults.deleted_routes: chip 0,0 has no entry for key 0x00001000"),
              std::string::npos)
        << result.err;
    EXPECT_FALSE(exists("out"));
}

/* Three edges of LeNet-1 spread over a chip: out of conv1, out of conv2, and the last. */
TEST_F(Waits, ADeletedRouteMakesTheRunEndWithTheKeyThatIsWaitedFor)
{
    const std::string packets = experiment("lenet1_packets_synthetic");
    run(packets, "good", {"--set", "data.test_images=6"});
    EXPECT_FALSE(exists("good/waits.csv"));
    EXPECT_FALSE(exists("good/drops.csv"));
    const words rows = lines(read("good/keys.csv"));
    ASSERT_GT(rows.size(), 6u);
    for (const std::string &row : {rows[1], rows[5], rows.back()}) {
        const std::string key = row.substr(0, 10);
        const std::string mask = row.substr(11, 10);
        const finished result =
            spinnsim({"run", packets, "--force", "--out", "out", "--set", "data.test_images=6",
                      "--set", "faults.deleted_routes=[\"0,0," + key + "\"]"});
        EXPECT_EQ(result.status, 3) << row;
        EXPECT_NE(text("out", "failure")
                      .find("waits for what cannot come: key " + key + " mask " + mask + ": 0 of "),
                  std::string::npos)
            << text("out", "failure");
        EXPECT_NE(text("out", "failure").find("in round 0, some were lost (drops.csv)"),
                  std::string::npos);
        EXPECT_NE(result.err.find("waits for what cannot come: key " + key), std::string::npos);
        const words drops = lines(read("out/drops.csv"));
        ASSERT_GT(drops.size(), 1u);
        EXPECT_NE(drops[1].find("," + key + ","), std::string::npos) << drops[1];
        EXPECT_NE(drops[1].find(",no_route,"), std::string::npos) << drops[1];
    }
}

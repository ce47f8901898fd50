/* profile_test.cpp - record.profile_cycles: profile.csv of a run on the machine. */
#include "tests/system/program.h"

/* In each tier the same. */
class RunProfile : public SystemTest, public ::testing::WithParamInterface<const char *>
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* A column of profile.csv, added up. */
    uint64_t sum(const std::string &out, unsigned column) const
    {
        uint64_t total = 0;
        const words rows = lines(read(out + "/profile.csv"));
        for (size_t i = 1; i < rows.size(); i++) {
            size_t at = 0;
            for (unsigned n = 0; n < column; n++) {
                at = rows[i].find(',', at) + 1;
            }
            total += std::stoull(rows[i].substr(at));
        }
        return total;
    }

    static words every(unsigned cycles)
    {
        return {"--set", "record.profile_cycles=" + std::to_string(cycles)};
    }

    /* spinnsim run in the tier of the case. */
    void run_in_tier(const std::string &what, const std::string &out, const words &more = {}) const
    {
        words arguments = {"--tier", GetParam()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        run(what, out, arguments);
    }
};

INSTANTIATE_TEST_SUITE_P(Tiers, RunProfile, ::testing::Values("interpreter", "everything"),
                         [](const auto &info) { return std::string(info.param); });

static const char HEADER[] = "role,function,address,samples,instructions,cycles\n";

/* 3 instructions, 1,000 rounds of 17, and 8 to say that it is over. */
TEST_P(RunProfile, AfterEveryCycleIsExact)
{
    run_in_tier(experiment("micro/alu_loop"), "out", every(1));
    EXPECT_EQ(read("out/profile.csv"), std::string(HEADER) +
                                           "alu_loop,main,0x00000020,17011,17011,25038\n"
                                           "alu_loop,_start,0x00000000,1,1,3\n");
}

TEST_P(RunProfile, SumsAreTheCountersAndSharesTheSamples)
{
    run_in_tier(experiment("micro/alu_loop"), "out", every(1000));
    EXPECT_EQ(read("out/profile.csv").substr(0, sizeof HEADER - 1), HEADER);
    EXPECT_EQ(sum("out", 3), 26u); /* one at the entry, 25 on the way */
    auto counted = counters("out");
    EXPECT_EQ(sum("out", 4), counted["core.instructions"]);
    EXPECT_EQ(sum("out", 5), counted["core.active_cycles"]);
}

TEST_P(RunProfile, IsThereOnRequestOnly)
{
    run_in_tier(experiment("micro/alu_loop"), "out", every(1000));
    EXPECT_TRUE(exists("out/profile.csv"));
    run_in_tier(experiment("micro/alu_loop"), "out");
    EXPECT_FALSE(exists("out/profile.csv"));
}

/* Nobody feels that he is looked at. */
TEST_P(RunProfile, ChangesNothingInARunWithSleepAndDma)
{
    const words small = {"--set", "data.test_images=40"};
    const std::string network = experiment("lenet1_synthetic");
    run_in_tier(network, "plain", small);
    const std::string hash = text("plain", "identity.stats_hash");
    for (const unsigned cycles : {97u, 10007u}) {
        words arguments = small;
        const words looks = every(cycles);
        arguments.insert(arguments.end(), looks.begin(), looks.end());
        run_in_tier(network, "out", arguments);
        EXPECT_EQ(text("out", "identity.stats_hash"), hash) << cycles;
        EXPECT_EQ(text("out", "identity.sim_hash"), text("plain", "identity.sim_hash"));
        EXPECT_EQ(number("out", "host.native_runs") > 0, GetParam() == std::string("everything"));
        auto counted = counters("out");
        EXPECT_EQ(sum("out", 4), counted["core.instructions"]);
        EXPECT_EQ(sum("out", 5), counted["core.active_cycles"]);
    }
}

TEST_P(RunProfile, OfABoardUnderTrafficIsTheSameWithAnyThreads)
{
    std::string profile, hash;
    for (const unsigned threads : {0u, 1u, 2u, 3u}) {
        words command = {"run",
                         experiment("bench/packet_random"),
                         "--tier",
                         GetParam(),
                         "--force",
                         "--out",
                         "out",
                         "--threads",
                         std::to_string(threads == 0 ? 1 : threads),
                         "--set",
                         "run.simulated_time_limit=60 us",
                         "--set",
                         "board.shape=spin5",
                         "--set",
                         "board.width=null",
                         "--set",
                         "board.height=null"};
        const words looks = every(threads == 0 ? 0 : 211);
        command.insert(command.end(), looks.begin(), looks.end());
        EXPECT_EQ(spinnsim(command).status, 4);
        if (threads == 0) {
            hash = text("out", "identity.stats_hash");
            continue;
        }
        EXPECT_EQ(text("out", "identity.stats_hash"), hash);
        profile = threads == 1 ? read("out/profile.csv") : profile;
        EXPECT_EQ(read("out/profile.csv"), profile) << threads;
        EXPECT_GT(sum("out", 3), 1000u);
    }
}

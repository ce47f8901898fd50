/* training_sampled_test.cpp - a sample of a training's updates (run.sample): the host's bits, and
 * time and joules of an epoch near those of the whole. */
#include "tests/system/resume_fixture.h"

class TrainingSampled : public TrainingResume
{
  protected:
    /* One epoch of 13 updates, the last with half of a batch. */
    static words keys(const words &more)
    {
        words all = {"train.epochs=1", "train.global_batch=16", "data.train_images=200"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

TEST_F(TrainingSampled, HasTheWeightsOfTheWholeAndNearlyItsTime)
{
    ASSERT_EQ(train("whole", keys({})).status, 0);
    ASSERT_EQ(train("sample", keys({"run.sample.updates=9"})).status, 0);
    EXPECT_EQ(weights("sample"), weights("whole"));
    EXPECT_EQ(number("sample", "accuracy"), number("whole", "accuracy"));
    EXPECT_EQ(number("sample", "sampled.updates"), 10); /* the epoch's last batch, too */
    EXPECT_EQ(number("sample", "sampled.of"), 13);
    const double seconds = number("whole", "seconds_per_epoch");
    EXPECT_NEAR(number("sample", "seconds_per_epoch"), seconds, 0.03 * seconds);
    const double joules = number("whole", "joules_per_epoch.default");
    EXPECT_NEAR(number("sample", "joules_per_epoch.default"), joules, 0.03 * joules);
    EXPECT_LT(number("sample", "instructions"), number("whole", "instructions"));
    EXPECT_NE(read("sample/summary.json").find("\"images_per_second\": null"), std::string::npos)
        << "the host has tested";
    const finished report = spinnsim({"report", "sample", "whole"});
    EXPECT_NE(report.out.find("Sampled trainings"), std::string::npos) << report.out;
    EXPECT_EQ(spinnsim({"report", "whole"}).out.find("Sampled"), std::string::npos);
}

TEST_F(TrainingSampled, IsTheSameOnAnyNumberOfThreads)
{
    ASSERT_EQ(train("one", keys({"run.sample.updates=9"}), {"--threads", "1"}).status, 0);
    ASSERT_EQ(train("two", keys({"run.sample.updates=9"}), {"--threads", "2"}).status, 0);
    EXPECT_EQ(read("one/sampled.csv"), read("two/sampled.csv"));
    EXPECT_EQ(read("one/counters.csv"), read("two/counters.csv"));
}

TEST_F(TrainingSampled, NeedsRoom)
{
    words command = {"run", "small.yaml", "--out", "out"};
    for (const std::string &option : sets(keys({"run.sample.updates=20"}))) {
        command.push_back(option);
    }
    const finished ended = spinnsim(command);
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("20 updates at 3 places have no room"), std::string::npos)
        << ended.err;
}

TEST_F(TrainingSampled, GoesOnAfterTheLastWindowThatWasExecuted)
{
    const words sampled = keys({"run.sample.updates=9", "record.checkpoint_every_epochs=1"});
    const words translated = {"--tier",
                              "translator"}; /* enters native code nearly as often in each run */
    ASSERT_EQ(train("whole", sampled, translated).status, 0);
    run_and_kill("out", sampled);
    ASSERT_EQ(train("out", sampled, {"--tier", "translator", "--resume", "out"}).status, 0);
    EXPECT_LT(number("out", "host.native_runs"), 0.9 * number("whole", "host.native_runs"))
        << "a window was executed again";
    EXPECT_FALSE(exists("out/checkpoint.npz"));
    expect_same_files("out", "whole");
}

TEST_F(TrainingSampled, GoesOnFromItsOwnCheckpointOnly)
{
    const words sampled = keys({"run.sample.updates=9", "record.checkpoint_every_epochs=1"});
    const auto refused = [&](const words &other, const std::string &from, const char *what) {
        words command = {"run", "small.yaml", "--force", "--out", "out", "--resume", from};
        const words options = sets(other);
        command.insert(command.end(), options.begin(), options.end());
        const finished ended = spinnsim(command);
        EXPECT_EQ(ended.status, 2) << ended.err;
        EXPECT_NE(ended.err.find(what), std::string::npos) << ended.err;
        EXPECT_NE(ended.err.find("hint:"), std::string::npos) << ended.err;
    };
    run_and_kill("sampled", sampled);
    run_and_kill("whole", longer);
    const char *const other = "the checkpoint is of another configuration or spinnsim";
    refused(keys({"run.sample.updates=9", "run.sample.seed=2"}), "sampled", other);
    refused(sampled, "whole", other);
    refused(longer, "sampled", "sampled/checkpoint.npz");
    refused(sampled, "gone", "gone/checkpoint.npz");
}

/* A reset router that waits for nothing loses packets of a busy exchange. */
TEST_F(TrainingSampled, SaysWhatFailedInAWindow)
{
    const finished ended = spinnsim(
        {"run", experiment("lenet1_train"), "--out", "out", "--set", "data.set=synthetic", "--set",
         "data.train_images=4800", "--set", "data.test_images=96", "--set", "accept=null", "--set",
         "router.wait1=0", "--set", "run.sample.updates=6", "--set", "run.sample.at=2"});
    EXPECT_EQ(ended.status, 3) << ended.err;
    EXPECT_EQ(text("out", "status"), "guest_failed");
    EXPECT_GT(number("out", "dropped_packets"), 0);
    EXPECT_GT(number("out", "seconds"), 0);
    EXPECT_NE(read("out/console.txt").find("exchange: "), std::string::npos);
    EXPECT_TRUE(exists("out/waits.csv"));
    EXPECT_TRUE(exists("out/drops.csv"));
}

/* stages_resume_test.cpp - a run of stages that is killed goes on after the last stage that was
 * finished: on the host (on the machine: stages_machine_test.cpp), and what is refused. */
#include "tests/system/resume_fixture.h"

#include <filesystem>

namespace fs = std::filesystem;

/* Of stages the finished ones are kept; their results are not written again. */
class StagesResume : public TrainingResume
{
  protected:
    void SetUp() override
    {
        TrainingResume::SetUp();
        write("small.yaml", STAGES);
    }

    static constexpr const char *STAGES =
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: small\nmode: train\nbackend: host\n"
        "data: {set: synthetic, train_images: 480, test_images: 100}\n"
        "network: {name: lenet1}\n"
        "train: {epochs: 1, global_batch: 24, shards: 2, learning_rate: 0.002}\n"
        "record: {checkpoint_every_epochs: 1}\n"
        "stages:\n"
        "  - {name: a, seed: 1}\n"
        "  - {name: b, seed: 2, epochs: 40, stream: {images: 600, part: 150, seed: 5,"
        " shift: 2, shear: 0.3}, filter: {kind: errors, of: [a], keep: 400}}\n"
        "  - {name: c, seed: 3, from: a, epochs: 2}\n"
        "vote: {of: [a, b, c], confidence: [0.5]}\n";

    finished resume(const words &keys, const std::string &out, const std::string &from) const
    {
        words command = {"run", "small.yaml", "--force", "--out", out, "--resume", from};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        return spinnsim(command);
    }
};

TEST_F(StagesResume, AKilledRunGoesOnToTheSameFiles)
{
    train("whole");
    run_and_kill("out", {});
    ASSERT_TRUE(exists("out-a/summary.json"));
    ASSERT_FALSE(exists("out-b/summary.json")) << "the kill came too late";
    const fs::file_time_type written = fs::last_write_time(path("out-a/summary.json"));
    train("out", {}, {"--resume", "out"});
    EXPECT_EQ(fs::last_write_time(path("out-a/summary.json")), written) << "a was run again";
    EXPECT_FALSE(exists("out/checkpoint.npz"));
    for (const char *name : {"", "-a", "-b", "-c"}) {
        expect_same_files(std::string("out") + name, std::string("whole") + name);
    }
}

TEST_F(StagesResume, AnythingElseIsRefused)
{
    run_and_kill("out", {});
    const auto refused = [&](const char *what, const finished &result) {
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("hint:"), std::string::npos) << result.err;
        EXPECT_FALSE(exists("out/summary.json"));
    };
    const char *const other = "the checkpoint is of another configuration or spinnsim";
    refused(other, resume({"train.learning_rate=0.001"}, "out", "out"));
    refused(other, resume({"record.learning_every=2"}, "out", "out"));
    refused("in which they were begun, not in other", resume({}, "other", "out"));
    EXPECT_FALSE(exists("other"));
    refused("gone/checkpoint.npz", resume({}, "gone", "gone"));
    const std::string cache = path("another_cache");
    ASSERT_EQ(run_command({"mkdir", cache}).status, 0);
    const char *own = getenv("XDG_CACHE_HOME");
    const std::string before = own == nullptr ? "" : own;
    ASSERT_EQ(setenv("XDG_CACHE_HOME", cache.c_str(), 1), 0);
    refused("taken from oneself only", resume({}, "out", "out"));
    ASSERT_EQ(before.empty() ? unsetenv("XDG_CACHE_HOME")
                             : setenv("XDG_CACHE_HOME", before.c_str(), 1),
              0);
    std::string reseeded = STAGES;
    reseeded.replace(reseeded.find("b, seed: 2"), 10, "b, seed: 4");
    write("small.yaml", reseeded);
    refused(other, resume({}, "out", "out"));
    write("small.yaml", STAGES);
    ASSERT_EQ(rename(path("out-a").c_str(), path("moved").c_str()), 0);
    refused("the results of a finished stage are missing", resume({}, "out", "out"));
}

/* stages_machine_test.cpp - several trainings in one run (`stages`) on the machine: images that its
 * cores deform, networks that look at them, and the host's bits. */
#include "tests/system/resume_fixture.h"

#include <filesystem>

namespace fs = std::filesystem;

class StagesOnTheMachine : public TrainingResume
{
  protected:
    void SetUp() override
    {
        TrainingResume::SetUp();
        if (!IsSkipped()) {
            write("stages.yaml", STAGES);
        }
    }

    /* Two of four chips train; all four deform. */
    static constexpr const char *STAGES =
        "include: [boards/spin3.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: stages\n"
        "mode: train\n"
        "data: {set: synthetic, train_images: 90, test_images: 30}\n"
        "network: {name: lenet1}\n"
        "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 2}\n"
        "train: {epochs: 1, global_batch: 48, shards: 2, learning_rate: 0.002}\n"
        "test: {every_epochs: 0}\n"
        "run: {simulated_time_limit: 2 s}\n"
        "stages:\n"
        "  - {name: a, seed: 1, epochs: 4}\n"
        "  - {name: b, seed: 2, stream: {images: 100, part: 50, seed: 5, shift: 2, shear: 0.3},\n"
        "     filter: {kind: errors, of: [a], keep: 40}}\n"
        "  - {name: c, seed: 3, from: a, stream: {images: 50, seed: 6, scale: 0.2, squeeze: 0.1},\n"
        "     filter: {kind: disagreement, of: [a, b], keep: 1000}}\n"
        "vote: {of: [a, b, c], confidence: [0.5]}\n";

    finished stages(const std::string &out, const words &keys = {}) const
    {
        return run("stages.yaml", out, sets(keys));
    }

    /* Fields first .. last - 1 of each row of stages.csv. */
    std::vector<std::vector<std::string>> fields(const std::string &out, size_t first,
                                                 size_t last) const
    {
        std::vector<std::vector<std::string>> rows;
        for (const std::string &line : lines(read(out + "/stages.csv"))) {
            std::vector<std::string> field;
            std::istringstream stream(line + ",");
            for (std::string text; std::getline(stream, text, ',');) {
                field.push_back(text);
            }
            EXPECT_EQ(field.size(), 16u);
            rows.emplace_back(field.begin() + static_cast<long>(first),
                              field.begin() + static_cast<long>(last));
        }
        rows.erase(rows.begin()); /* the head */
        return rows;
    }
};

TEST_F(StagesOnTheMachine, HaveTheHostsBitsAndAreCharged)
{
    enum { HOST_FIELDS = 7, PARTS = 4, DROPPED = HOST_FIELDS + 2 * PARTS };
    ASSERT_EQ(stages("host", on_host()).status, 0);
    ASSERT_EQ(stages("machine").status, 0);
    const auto made = fields("machine", 0, HOST_FIELDS);
    ASSERT_EQ(made.size(), 3u);
    EXPECT_EQ(made, fields("host", 0, HOST_FIELDS));
    EXPECT_NE(made[1][4], "0") << "b keeps images";
    EXPECT_NE(made[2][4], "0") << "c does";
    EXPECT_EQ(read("machine/votes.csv"), read("host/votes.csv"));
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    for (const char *name : {"-a", "-b", "-c"}) {
        EXPECT_EQ(weights(std::string("machine") + name), weights(std::string("host") + name));
    }

    const auto cost = fields("machine", HOST_FIELDS, DROPPED + 1);
    double seconds = number("machine", "seconds_load");
    for (size_t stage = 0; stage < 3; stage++) {
        for (size_t i = 0; i < size_t{2} * PARTS; i++) {
            const double value = std::atof(cost[stage][i].c_str());
            const bool free = stage == 0 && i < 4; /* a trains on the images as they are */
            EXPECT_EQ(value > 0, !free) << stage << ' ' << i;
            seconds += i % 2 == 0 ? value : 0;
        }
        EXPECT_EQ(cost[stage][2 * PARTS], "0") << "packets lost";
    }
    EXPECT_NEAR(number("machine", "seconds"), seconds, 1e-9) << "all that is done is charged";
    EXPECT_EQ(number("machine", "dropped_packets"), 0);
}

/* All that the machines have counted before is in the checkpoint. */
TEST_F(StagesOnTheMachine, GoOnAfterTheLastThatWasFinished)
{
    const words keys = {"record.checkpoint_every_epochs=1"};
    write("small.yaml", STAGES);
    ASSERT_EQ(train("whole", keys).status, 0);
    run_and_kill("out", keys);
    ASSERT_TRUE(exists("out-a/summary.json"));
    ASSERT_FALSE(exists("out-c/summary.json")) << "the kill came too late";
    const fs::file_time_type written = fs::last_write_time(path("out-a/summary.json"));
    ASSERT_EQ(train("out", keys, {"--resume", "out"}).status, 0);
    EXPECT_EQ(fs::last_write_time(path("out-a/summary.json")), written) << "a was run again";
    EXPECT_FALSE(exists("out/checkpoint.npz"));
    for (const char *name : {"", "-a", "-b", "-c"}) {
        expect_same_files(std::string("out") + name, std::string("whole") + name);
    }
}

TEST_F(StagesOnTheMachine, AGoldenHoldsWhatTheyAnswer)
{
    write("small.yaml", "include: [stages.yaml]\nname: small\nstages: [{name: a, seed: 1}]\n"
                        "vote: {of: [a]}\n");
    ASSERT_EQ(spinnsim({"regress", "small.csv", "--add", "small.yaml"}).status, 0);
    const std::string golden = read("small.csv");
    EXPECT_NE(golden.find("\nanswer predictions 0-29,"), std::string::npos);
    const size_t at = golden.find("\nanswer stages,");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(spinnsim({"regress", "small.csv", "--threads", "2"}).status, 0);
    write("small.csv", golden.substr(0, at) + "\nanswer stages,0" + golden.substr(at + 16));
    const finished moved = spinnsim({"regress", "small.csv"});
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_NE(moved.out.find("\n  what the stages' machines have counted and written\n"),
              std::string::npos)
        << moved.out;
}

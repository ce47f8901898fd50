/* kills_test.cpp - runs that are killed at random moments, stopped by signals, and run out of disk:
 * what stands under a final name is whole, a killed training goes on to the bits of one that was
 * left alone, and nothing is left running. */
#include "tests/system/kills_fixture.h"

TEST_F(Kills, ARunLeavesWholeFilesAndCanBeRepeated)
{
    const words what = {experiment("hello"), "--tier", "interpreter"};
    kill_runs(what, 30, [&] {
        (void)complete(run_of(what, "out"));
        EXPECT_TRUE(exists("out/summary.json"));
        expect_whole_files("out", "whole");
        EXPECT_EQ(text("out", "identity.stats_hash"), text("whole", "identity.stats_hash"));
    });
}

TEST_F(Kills, ATrainingOnTheHostGoesOnToTheSameBits)
{
    words what = {"small.yaml", "--set", "train.epochs=8", "--set",
                  "record.checkpoint_every_epochs=1"};
    const words host = sets(on_host());
    what.insert(what.end(), host.begin(), host.end());
    kill_runs(what, 20, [&] { finish_training(what); });
}

TEST_F(Kills, ATrainingOnTheMachineGoesOnToTheSameBits)
{
    const words what = {"fc16.yaml", "--tier", "interpreter"};
    kill_runs(what, 12, [&] { finish_training(what); });
    EXPECT_GT(resumed_, 0u) << "no kill came between the first checkpoint and the end";
}

/* Each stage has a folder of its own, OUT-NAME. */
class KillsOfStages : public Kills
{
  protected:
    static constexpr const char *STAGES =
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: stages\nmode: train\n"
        "data: {set: synthetic, train_images: 90, test_images: 20}\n"
        "network: {name: fc16}\n"
        "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 1}\n"
        "train: {epochs: 1, global_batch: 48, learning_rate: 0.002}\n"
        "run: {simulated_time_limit: 2 s}\n"
        "record: {checkpoint_every_epochs: 1}\n"
        "stages:\n"
        "  - {name: a, seed: 1}\n"
        "  - {name: b, seed: 2, stream: {images: 20, part: 10, seed: 5, shift: 2},\n"
        "     filter: {kind: errors, of: [a], keep: 10}}\n"
        "  - {name: c, seed: 3, from: b}\n"
        "vote: {of: [a, c]}\n";

    void go_on(const words &what, uint64_t usual)
    {
        write("stages.yaml", STAGES);
        kill_runs(what, usual, [&] {
            finish_training(what);
            for (const char *name : {"-a", "-b", "-c"}) {
                expect_whole_files(std::string("out") + name, std::string("whole") + name);
            }
        });
        EXPECT_GT(resumed_, 0u) << "no kill came between two stages";
    }
};

TEST_F(KillsOfStages, OnTheHostGoOnToTheSameBits)
{
    go_on({"stages.yaml", "--set", "backend=host", "--set", "network.name=lenet1", "--set",
           "train.epochs=4"},
          20);
}

TEST_F(KillsOfStages, OnTheMachineGoOnToTheSameBits)
{
    go_on({"stages.yaml", "--tier", "interpreter"}, 10);
}

TEST_F(Kills, ASampledTrainingGoesOnToTheSameBits)
{
    const words what = {"fc16.yaml",
                        "--tier",
                        "interpreter",
                        "--set",
                        "data.train_images=480",
                        "--set",
                        "run.sample.updates=9",
                        "--set",
                        "run.sample.at=3"};
    kill_runs(what, 10, [&] { finish_training(what); });
    EXPECT_GT(resumed_, 0u) << "no kill came between two windows";
}

/* Over and over into one folder, killed each time until it comes to its end. */
TEST_F(Kills, ATrainingThatIsKilledAgainAndAgainComesToTheSameBits)
{
    const words what = {"fc16.yaml", "--tier", "interpreter"};
    const double seconds = complete(run_of(what, "whole"));
    std::mt19937_64 random(seed());
    for (int i = 0; i < 12 && !exists("out/summary.json"); i++) {
        const words more = exists("out/checkpoint.npz") ? words{"--resume", "out"} : words{};
        const started run(run_of(what, "out", more), folder);
        (void)run.wait_killed(seconds * (0.5 + static_cast<double>(random() % 500) / 1000), SIGKILL,
                              false);
    }
    if (!exists("out/summary.json")) {
        finish_training(what);
    }
    expect_whole_files("out", "whole");
}

/* ---- figures ---- */

TEST_F(Kills, AFigureIsWholeOrAbsent)
{
    if (run_command({"gnuplot", "--version"}).status != 0) {
        GTEST_SKIP() << "gnuplot is missing";
    }
    (void)complete(run_of({experiment("hello")}, "whole"));
    const auto plot = [](const std::string &to) {
        return words{SPINN_PROGRAM, "plot",    "whole", "--x", "clock.cpu",
                     "--y",         "seconds", "--out", to};
    };
    const double seconds = complete(plot("figures"));
    std::mt19937_64 random(seed());
    for (uint64_t i = 0; i < amount("SPINNSIM_KILLS", 10) && !HasFailure(); i++) {
        const double part = static_cast<double>(random() % 1100) / 1000;
        SCOPED_TRACE("kill " + std::to_string(i) + ": " + std::to_string(part) + " of a plot");
        remove_folders("killed");
        const started run(plot("killed"), folder);
        (void)run.wait_killed(part * seconds, SIGKILL, i % 2 == 0);
        EXPECT_FALSE(run.leaves_processes());
        for (const std::string &name : exists("killed") ? files("killed") : words{}) {
            if (name.find(".part-") == std::string::npos) {
                EXPECT_EQ(read("killed/" + name), read("figures/" + name)) << name;
            }
        }
    }
}

/* ---- files that cannot be written ---- */

TEST_F(Kills, AFileThatBecomesTooLargeLeavesNoPart)
{
    const words what = {experiment("hello"), "--tier", "interpreter", "--set",
                        "record.zero_counts=true"};
    (void)complete(run_of(what, "whole"));
    for (const rlim_t most : {0, 100, 1000, 2000, 5000, 10000, 30000, 36000}) {
        SCOPED_TRACE(most);
        remove_folders("out");
        const started run(run_of(what, "out"), folder, most);
        EXPECT_NE(run.wait(), 0);
        EXPECT_FALSE(exists("out/summary.json"));
        expect_whole_files("out", "whole");
    }
}

/* On a file system of so many KiB, seen by the command alone. */
TEST_F(Kills, AFullDiskIsToldAndLeavesNoPart)
{
    const auto on_disk = [&](const std::string &size, const std::string &command) {
        return run_command({"unshare", "-rm", "sh", "-c",
                            "mkdir -p disk && mount -t tmpfs -o size=" + size +
                                " tmpfs disk && { " + command + "; }"},
                           folder);
    };
    if (on_disk("64k", "true").status != 0) {
        GTEST_SKIP() << "no file system can be mounted here";
    }
    (void)complete(run_of({experiment("hello")}, "whole"));
    const std::string command =
        std::string(SPINN_PROGRAM) + " run " + experiment("hello") + " --out disk/out >/dev/null";
    for (const char *size : {"4k", "8k", "16k", "32k", "48k"}) {
        SCOPED_TRACE(size);
        const finished result =
            on_disk(size, command + "; echo status $?; ls disk/out 2>/dev/null | grep -v part-");
        EXPECT_TRUE(result.out.find("status 1") == 0 || result.out.find("status 2") == 0)
            << result.out << result.err;
        EXPECT_EQ(result.out.find("summary.json"), std::string::npos);
        EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
    }
    const finished room = on_disk("4m", command + "; echo status $?; ls disk/out");
    EXPECT_EQ(room.out.find("status 0"), 0u) << room.err;
    EXPECT_NE(room.out.find("summary.json"), std::string::npos);
}

/* ---- two runs into one folder ---- */

/* One of them, or none: not some files of each. */
TEST_F(Kills, TwoRunsIntoOneFolderLeaveTheFilesOfOne)
{
    const words one = {experiment("hello"), "--tier", "interpreter"};
    words other = one;
    other.insert(other.end(), {"--set", "clock.cpu=150 MHz"});
    (void)complete(run_of(one, "one"));
    (void)complete(run_of(other, "other"));
    for (uint64_t i = 0; i < amount("SPINNSIM_KILLS", 10) && !HasFailure(); i++) {
        SCOPED_TRACE(i);
        remove_folders("out");
        const started first(run_of(one, "out"), folder);
        const started second(run_of(other, "out"), folder);
        const int ended[] = {first.wait(), second.wait()};
        EXPECT_TRUE(ended[0] == 0 || ended[1] == 0);
        ASSERT_TRUE(exists("out/summary.json"));
        const bool is_one = text("out", "identity.sim_hash") == text("one", "identity.sim_hash");
        expect_whole_files("out", is_one ? "one" : "other");
    }
}

/* kills_test.cpp - runs that are killed at random moments, stopped by signals, and run out of disk:
 * what stands under a final name is whole, a killed training goes on to the bits of one that was
 * left alone, and nothing is left running.  SPINNSIM_KILLS sets the number of kills of each kind,
 * SPINNSIM_KILLS_SEED their moments. */
#include "tests/support/amount.h"
#include "tests/system/training_fixture.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

/* A command in a group of processes of its own; both streams go nowhere. */
class started
{
  public:
    started(const words &command, const std::string &folder, rlim_t most_bytes = RLIM_INFINITY)
        : child_(fork())
    {
        if (child_ == 0) {
            std::vector<char *> argv;
            for (const std::string &word : command) {
                argv.push_back(const_cast<char *>(word.c_str()));
            }
            argv.push_back(nullptr);
            const int nowhere = open("/dev/null", O_RDWR);
            const rlimit most = {most_bytes, most_bytes};
            const rlimit no_core = {0, 0};
            if (setpgid(0, 0) == 0 && setrlimit(RLIMIT_CORE, &no_core) == 0 &&
                setrlimit(RLIMIT_FSIZE, &most) == 0 && dup2(nowhere, 0) == 0 &&
                dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2 && chdir(folder.c_str()) == 0) {
                execvp(argv[0], argv.data());
            }
            _exit(127);
        }
        (void)setpgid(child_, child_);
    }

    /* The status of waitpid(). */
    int wait() const
    {
        int ended = 0;
        EXPECT_EQ(waitpid(child_, &ended, 0), child_);
        return ended;
    }

    /* After so many seconds; `all`: the processes that it has started as well, as a terminal does.
     */
    int wait_killed(double seconds, int signal, bool all) const
    {
        usleep(static_cast<useconds_t>(1e6 * seconds));
        (void)kill(all ? -child_ : child_, signal);
        return wait();
    }

    /* Whether a process of the group is there a second after its first has ended. */
    bool leaves_processes() const
    {
        for (int tries = 0; tries < 100; tries++) {
            while (waitpid(-child_, nullptr, WNOHANG) > 0) { /* orphans are ours: see SetUp() */
            }
            if (kill(-child_, 0) != 0 && errno == ESRCH) {
                return false;
            }
            usleep(10000);
        }
        return true;
    }

  private:
    pid_t child_;
};

constexpr int SIGNALS[] = {SIGKILL, SIGTERM, SIGINT};

} // namespace

class Kills : public TrainingTest
{
  protected:
    void SetUp() override
    {
        TrainingTest::SetUp();
        ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        write("fc16.yaml", "include: [boards/one_chip.yaml, timing/arm968.yaml, "
                           "energy/spinnaker1.yaml]\n"
                           "name: fc16\nmode: train\n"
                           "data: {set: synthetic, train_images: 90, test_images: 20}\n"
                           "network: {name: fc16}\n"
                           "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: "
                           "16, chips: 1}\n"
                           "train: {epochs: 4, global_batch: 48}\n"
                           "record: {learning_every: 1, checkpoint_every_epochs: 1}\n"
                           "run: {simulated_time_limit: 2 s}\n");
    }

    static uint64_t seed()
    {
        return amount("SPINNSIM_KILLS_SEED", 1);
    }

    /* An answer in seconds, from the start of a process to its end. */
    double complete(const words &command)
    {
        const auto start = std::chrono::steady_clock::now();
        const started run(command, folder);
        EXPECT_EQ(run.wait(), 0);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    words run_of(const words &what, const std::string &out, const words &more = {}) const
    {
        words command = {SPINN_PROGRAM, "run"};
        command.insert(command.end(), what.begin(), what.end());
        command.insert(command.end(), {"--force", "--out", out});
        command.insert(command.end(), more.begin(), more.end());
        return command;
    }

    /* Every file under a final name is that of the reference; summary.json says that all are
     * there.  A checkpoint is judged by whoever goes on from it. */
    void expect_whole_files(const std::string &out, const std::string &reference)
    {
        if (!exists(out)) {
            return;
        }
        const words expected = files(reference);
        size_t count = 0;
        for (const std::string &name : files(out)) {
            if (name.compare(0, 14, "checkpoint.npz") == 0) {
                continue;
            }
            count++;
            EXPECT_EQ(lasting(name, read(out + "/" + name)),
                      lasting(name, read(reference + "/" + name)))
                << name;
        }
        if (exists(out + "/summary.json")) {
            EXPECT_EQ(count, expected.size());
            EXPECT_TRUE(matches_manifest(out));
        }
    }

    void remove_folders(const std::string &out)
    {
        for (const auto &entry : fs::directory_iterator(folder)) {
            if (entry.path().filename().string().compare(0, out.size(), out) == 0) {
                fs::remove_all(entry.path());
            }
        }
    }

    /* Kills runs at random moments; `finish` brings what was killed to its end and compares. */
    template <typename Finish> void kill_runs(const words &what, uint64_t usual, Finish finish)
    {
        const double seconds = complete(run_of(what, "whole"));
        std::mt19937_64 random(seed());
        const uint64_t kills = amount("SPINNSIM_KILLS", usual);
        for (uint64_t i = 0; i < kills && !HasFailure(); i++) {
            const double part = static_cast<double>(random() % 1100) / 1000;
            const int signal = SIGNALS[random() % 4 == 0 ? 1 + random() % 2 : 0];
            SCOPED_TRACE("seed " + std::to_string(seed()) + ", kill " + std::to_string(i) + ": " +
                         std::to_string(part) + " of a run, signal " + std::to_string(signal));
            remove_folders("out");
            const started run(run_of(what, "out"), folder);
            (void)run.wait_killed(part * seconds, signal, random() % 2 == 0);
            EXPECT_FALSE(run.leaves_processes());
            expect_whole_files("out", "whole");
            if (!HasFailure()) {
                finish();
            }
        }
    }

    /* Goes on from the checkpoint, where there is one, and from the beginning else. */
    void finish_training(const words &what)
    {
        const bool begun = exists("out/checkpoint.npz");
        const bool done = exists("out/summary.json");
        (void)complete(run_of(what, "out", begun ? words{"--resume", "out"} : words{}));
        EXPECT_TRUE(exists("out/summary.json"));
        EXPECT_FALSE(exists("out/checkpoint.npz"));
        EXPECT_FALSE(begun && done);
        if (!begun) {
            expect_whole_files("out", "whole");
            EXPECT_EQ(text("out", "identity.stats_hash"), text("whole", "identity.stats_hash"));
            return;
        }
        resumed_++;
        EXPECT_EQ(weights("out"), weights("whole"));
        EXPECT_EQ(read("out/predictions.csv"), read("whole/predictions.csv"));
        const std::vector<row> a = learning("out");
        const std::vector<row> b = learning("whole");
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); i++) {
            EXPECT_EQ(a[i].update, b[i].update);
            EXPECT_EQ(a[i].images, b[i].images);
            EXPECT_EQ(a[i].loss, b[i].loss);
        }
    }

    uint64_t resumed_ = 0;
};

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
    EXPECT_EQ(weights("out"), weights("whole"));
    EXPECT_EQ(read("out/predictions.csv"), read("whole/predictions.csv"));
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
    const words what = {experiment("hello"), "--tier", "interpreter"};
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

/* kills_fixture.h - commands that are killed at random moments, and what they leave.
 * SPINNSIM_KILLS sets the number of kills of each kind, SPINNSIM_KILLS_SEED their moments. */
#pragma once
#include "tests/support/amount.h"
#include "tests/system/training_fixture.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <random>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

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

/* Whether a name is that of a file or folder that is being written (sim/staging.h). */
inline bool is_part(const std::string &name)
{
    return name.find(".part-") != std::string::npos;
}

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

    void TearDown() override
    {
        if (resumed_ > 0) {
            std::cout << "    " << resumed_ << " kills came between a checkpoint and the end\n";
        }
        TrainingTest::TearDown();
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

    /* Kills commands, each into files and folders that begin with OUT, at random moments; `killed`
     * looks at what was left, and `finish` brings it to its end. */
    template <typename Command, typename Killed, typename Finish>
    void kill_commands(Command command, uint64_t usual, Killed killed, Finish finish)
    {
        static constexpr int SIGNALS[] = {SIGKILL, SIGTERM, SIGINT};
        const double seconds = complete(command("whole"));
        std::mt19937_64 random(seed());
        const uint64_t kills = amount("SPINNSIM_KILLS", usual);
        for (uint64_t i = 0; i < kills && !HasFailure(); i++) {
            const double part = static_cast<double>(random() % 1100) / 1000;
            const int signal = SIGNALS[random() % 4 == 0 ? 1 + random() % 2 : 0];
            SCOPED_TRACE("seed " + std::to_string(seed()) + ", kill " + std::to_string(i) + ": " +
                         std::to_string(part) + " of a run, signal " + std::to_string(signal));
            remove_folders("out");
            const started run(command("out"), folder);
            (void)run.wait_killed(part * seconds, signal, random() % 2 == 0);
            EXPECT_FALSE(run.leaves_processes());
            killed();
            if (!HasFailure()) {
                finish();
            }
        }
    }

    template <typename Finish> void kill_runs(const words &what, uint64_t usual, Finish finish)
    {
        kill_commands([&](const std::string &out) { return run_of(what, out); }, usual,
                      [&] { expect_whole_files("out", "whole"); }, finish);
    }

    /* Goes on from the checkpoint, where there is one, and from the beginning else: the results
     * are those of the run that was left alone. */
    void finish_training(const words &what)
    {
        const bool begun = exists("out/checkpoint.npz");
        const bool done = exists("out/summary.json");
        (void)complete(run_of(what, "out", begun ? words{"--resume", "out"} : words{}));
        EXPECT_TRUE(exists("out/summary.json"));
        EXPECT_FALSE(exists("out/checkpoint.npz"));
        EXPECT_FALSE(begun && done);
        resumed_ += begun;
        expect_whole_files("out", "whole");
        EXPECT_EQ(text("out", "identity.stats_hash"), text("whole", "identity.stats_hash"));
    }

    uint64_t resumed_ = 0;
};

/* failing_calls_test.cpp - each call of a kind fails once: a message and exit status 1 or 2, no
 * signal, and no file under its final name that is not complete. */
#include "tests/system/program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

/* A command, and whether it writes the result folder "out". */
struct command {
    words arguments;
    bool writes;
};

class FailingCalls : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        if (SANITIZED != 0) {
            GTEST_SKIP() << "a sanitizer has memory functions of its own";
        }
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        /* LD_PRELOAD is a list, in which no name can have a blank. */
        fs::create_symlink(FAILING_CALLS, path("failing_calls.so"));
        experiment_file = experiment("micro/alu_loop");
        spinnsim({"run", experiment_file, "--out", "before", "--tier", "interpreter"});
        reference = results("before");
        ASSERT_FALSE(reference.empty());
    }

    /* Of a result folder, by file; what the host's clock has a part in is left out. */
    std::map<std::string, std::string> results(const std::string &name) const
    {
        std::map<std::string, std::string> all;
        for (const std::string &file : files(name)) {
            all[file] = lasting(file, read_text((fs::path(folder) / name / file).string()));
        }
        return all;
    }

    /* spinnsim of which call `at` fails, and with `on` all behind it; -1: a signal. */
    finished failing(const command &of, const std::string &kind, unsigned long at, bool on) const
    {
        words line = {"timeout", "-s", "KILL", "60"};
        line.insert(line.end(), {"env", "LD_PRELOAD=" + path("failing_calls.so"),
                                 "FAIL_KIND=" + kind, "FAIL_AT=" + std::to_string(at),
                                 "FAIL_COUNT=" + path("count"), "XDG_CACHE_HOME=" + path("cache")});
        if (on) {
            line.push_back("FAIL_ON=1");
        }
        line.push_back(SPINN_PROGRAM);
        line.insert(line.end(), of.arguments.begin(), of.arguments.end());
        return run_command(line, folder);
    }

    /* What stands in the way of a result folder: nothing, or older results with a file of the
     * user's. */
    void prepare(const command &of, bool older) const
    {
        for (const auto &entry : fs::directory_iterator(folder)) {
            if (entry.path().filename().string().rfind("out", 0) == 0) {
                fs::remove_all(entry.path());
            }
        }
        if (of.writes && older) {
            fs::copy(path("before"), path("out"));
            write("out/notes.txt", "mine");
        }
    }

    void expect_good(const command &of, const finished &result, bool older)
    {
        const bool refused = result.status == 1 || result.status == 2;
        EXPECT_TRUE(result.status == 0 || (refused && !result.err.empty()))
            << result.status << result.err;
        for (const auto &entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            EXPECT_TRUE(name.find(".part-") == std::string::npos ||
                        result.err.find(name) != std::string::npos)
                << name << " is left: " << result.err;
        }
        if (of.writes && (older || result.status == 0 || exists("out"))) {
            auto found = results("out");
            const bool kept = found.erase("notes.txt") == (older ? 1u : 0u);
            EXPECT_TRUE(kept || result.err.find(".part-") != std::string::npos) << result.err;
            EXPECT_EQ(found, reference) << result.err;
        }
    }

    /* All calls of a kind in steps of `step`. */
    void sweep(const command &of, const std::string &kind, unsigned long step, bool older = false,
               bool on = false)
    {
        const unsigned long by = std::getenv("SPINN_FAULT_SWEEP") == nullptr ? step : 1;
        prepare(of, older);
        ASSERT_EQ(failing(of, kind, 0, false).status, 0);
        const unsigned long calls = std::strtoul(read("count").c_str(), nullptr, 10);
        ASSERT_GT(calls, 0u) << kind;
        unsigned long failed = 0;
        for (unsigned long at = 1; at <= calls && !HasFailure(); at += by) {
            SCOPED_TRACE(of.arguments[0] + ": " + kind + " " + std::to_string(at) +
                         (on ? " and all behind it" : ""));
            prepare(of, older);
            const finished result = failing(of, kind, at, on);
            failed += result.status != 0 ? 1 : 0;
            expect_good(of, result, older);
        }
        EXPECT_GT(failed, 0u) << kind;
        std::printf("%s: %lu calls of kind %s, %lu of those tried ended the command\n",
                    of.arguments[0].c_str(), calls, kind.c_str(), failed);
    }

    command run_of(const words &more = {}) const
    {
        command of = {{"run", experiment_file, "--out", "out", "--tier", "interpreter"}, true};
        of.arguments.insert(of.arguments.end(), more.begin(), more.end());
        return of;
    }

    std::string experiment_file;
    std::map<std::string, std::string> reference;
};

TEST_F(FailingCalls, MemoryOfARun)
{
    sweep(run_of(), "allocate", 23);
    sweep(run_of(), "allocate", 97, true, true);
}

TEST_F(FailingCalls, MemoryOfTheOtherCommands)
{
    sweep({{"config", experiment_file}, false}, "allocate", 29);
    sweep({{"config", "--explain", experiment_file}, false}, "allocate", 97);
    sweep({{"report", "before"}, false}, "allocate", 29);
    sweep({{"energy", "before"}, false}, "allocate", 29);
}

TEST_F(FailingCalls, FilesOfANewFolder)
{
    for (const char *kind : {"open", "write", "close", "rename", "make", "sync"}) {
        sweep(run_of(), kind, 1);
    }
    sweep(run_of(), "write", 1, false, true);
}

TEST_F(FailingCalls, FilesInThePlaceOfOlderResults)
{
    for (const char *kind : {"open", "close", "rename", "sync"}) {
        sweep(run_of(), kind, 1, true);
    }
    sweep(run_of(), "write", 1, true, true);
    sweep(run_of(), "rename", 1, true, true);
}

/* A training that could not go on leaves a checkpoint from which it goes on to the same results, or
 * none. */
TEST_F(FailingCalls, ACheckpointIsWholeOrAbsent)
{
    write("training.yaml",
          "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
          "name: training\nmode: train\n"
          "data: {set: synthetic, train_images: 48, test_images: 10}\nnetwork: {name: fc16}\n"
          "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 1}\n"
          "train: {epochs: 3, global_batch: 48}\nrecord: {checkpoint_every_epochs: 1}\n"
          "run: {simulated_time_limit: 2 s}\n");
    const command train = {
        {"run", "training.yaml", "--force", "--out", "out", "--tier", "interpreter"}, true};
    command resume = train;
    resume.arguments.insert(resume.arguments.end(), {"--resume", "out"});
    ASSERT_EQ(failing(train, "open", 0, false).status, 0);
    reference = results("out");
    unsigned resumed = 0;
    for (const char *kind : {"open", "write", "close", "rename", "sync"}) {
        prepare(train, false);
        ASSERT_EQ(failing(train, kind, 0, false).status, 0);
        const unsigned long calls = std::strtoul(read("count").c_str(), nullptr, 10);
        const unsigned long by = std::getenv("SPINN_FAULT_SWEEP") == nullptr ? calls / 8 + 1 : 1;
        for (unsigned long at = 1; at <= calls && !HasFailure(); at += by) {
            SCOPED_TRACE(std::string(kind) + " " + std::to_string(at));
            prepare(train, false);
            finished result = failing(train, kind, at, false);
            if (exists("out/checkpoint.npz")) {
                EXPECT_EQ(files("out"), (words{"checkpoint.npz"}));
                EXPECT_TRUE(result.status == 1 || result.status == 2) << result.err;
                result = failing(resume, kind, 0, false);
                EXPECT_EQ(result.status, 0) << result.err;
                resumed++;
            }
            if (exists("out") && files("out").empty()) { /* made for the first checkpoint */
                fs::remove(path("out"));
            }
            expect_good(train, result, false);
        }
    }
    EXPECT_GT(resumed, 0u);
}

TEST_F(FailingCalls, OfTheOtherCommands)
{
    for (const command &of :
         {command{{"config", experiment_file}, false}, command{{"report", "before"}, false},
          command{{"energy", "before"}, false}}) {
        sweep(of, "open", 1);
    }
}

} // namespace

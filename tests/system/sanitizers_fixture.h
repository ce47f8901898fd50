/* sanitizers_fixture.h - runs what users run by a build with sanitizers: packets, a board and a
 * training, in the default tier, from a cold cache of native code and from a warm one.
 *
 * scripts/test.sh makes these builds and names their programs in the environment. */
#pragma once
#include "tests/system/training_fixture.h"

/* What is run; each takes a second or two with sanitizers. */
struct sanitized_run {
    const char *what, *file;
    words keys;
};

inline void PrintTo(const sanitized_run &run, std::ostream *out)
{
    *out << run.what;
}

class Sanitizers : public TrainingTest, public ::testing::WithParamInterface<sanitized_run>
{
  protected:
    /* Runs the experiment with an empty cache, and with the cache that the translator has left. */
    void expect_clean(const char *variable, const words &threads)
    {
        const char *program = getenv(variable);
        if (program == nullptr) {
            GTEST_SKIP() << variable << " names no program that was built with sanitizers";
        }
        words arguments = threads;
        for (const words &more : {words{"--force"}, sets({"accept=null"}), sets(GetParam().keys)}) {
            arguments.insert(arguments.end(), more.begin(), more.end());
        }
        run(experiment(GetParam().file), "plain", arguments);
        run_by(program, "cold", "auto", arguments);
        run_by(program, "all", "translator", arguments);
        run_by(program, "warm", "auto", arguments);
        EXPECT_GT(number("warm", "host.native_runs"), 100);
    }

  private:
    void run_by(const std::string &sanitized, const std::string &out, const std::string &tier,
                const words &arguments)
    {
        words command = {"env",
                         "XDG_CACHE_HOME=" + path("cache"),
                         sanitized,
                         "run",
                         experiment(GetParam().file),
                         "--out",
                         path(out),
                         "--workloads",
                         SPINN_WORKLOAD_DIR,
                         "--tier",
                         tier};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const finished result = run_command(command, folder);
        ASSERT_EQ(result.status, 0) << out << ": " << result.err;
        EXPECT_EQ(result.err.find("runtime error"), std::string::npos) << result.err;
        EXPECT_EQ(text(out, "identity.stats_hash"), text("plain", "identity.stats_hash")) << out;
    }
};

/* The training: two updates over the rings of a quarter of a board. */
INSTANTIATE_TEST_SUITE_P(
    What, Sanitizers,
    ::testing::Values(sanitized_run{"packets", "micro/ring_exchange", {"exchange.rounds=1"}},
                      sanitized_run{"board",
                                    "lenet1_board_synthetic",
                                    {"data.test_images=48", "mapping.chips=4"}},
                      sanitized_run{"training",
                                    "lenet1_train",
                                    {"data.set=synthetic", "data.train_images=96",
                                     "data.test_images=48", "mapping.chips=12",
                                     "train.global_batch=48"}}),
    [](const ::testing::TestParamInfo<sanitized_run> &run) { return std::string(run.param.what); });

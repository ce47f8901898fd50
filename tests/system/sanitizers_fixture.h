/* sanitizers_fixture.h - runs what users run by a build with sanitizers: packets, a board and a
 * training, in the default tier, from a cold cache of native code and from a warm one.
 *
 * scripts/test.sh makes these builds and names their programs in the environment. */
#pragma once
#include "tests/system/training_fixture.h"

class Sanitizers : public TrainingTest
{
  protected:
    struct finding {
        const char *what, *file;
        words keys;
    };

    /* Runs the experiment with an empty cache, and with the cache that the translator has left. */
    void expect_clean(const char *variable, const words &threads)
    {
        const char *program = getenv(variable);
        if (program == nullptr) {
            GTEST_SKIP() << variable << " names no program that was built with sanitizers";
        }
        for (const finding &it : RUNS) {
            const std::string name = it.what;
            words arguments = threads;
            for (const words &more : {words{"--force"}, sets({"accept=null"}), sets(it.keys)}) {
                arguments.insert(arguments.end(), more.begin(), more.end());
            }
            run(experiment(it.file), name, arguments);
            run_by(program, it, name + "-cold", "auto", arguments);
            run_by(program, it, name + "-all", "translator", arguments);
            run_by(program, it, name + "-warm", "auto", arguments);
            EXPECT_GT(number(name + "-warm", "host.native_runs"), 100) << name;
        }
    }

  private:
    /* Each takes a second or two with sanitizers. */
    const std::vector<finding> RUNS = {
        {"packets", "micro/ring_exchange", {"exchange.rounds=1"}},
        {"board", "lenet1_board_synthetic", {"data.test_images=48", "mapping.chips=4"}},
        {"training",
         "lenet1_train",
         {"data.set=synthetic", "data.train_images=192", "data.test_images=48"}}};

    void run_by(const std::string &sanitized, const finding &it, const std::string &out,
                const std::string &tier, const words &arguments)
    {
        words command = {"env",
                         "XDG_CACHE_HOME=" + path(it.what) + ".cache",
                         sanitized,
                         "run",
                         experiment(it.file),
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
        EXPECT_EQ(text(out, "identity.stats_hash"), text(it.what, "identity.stats_hash")) << out;
    }
};

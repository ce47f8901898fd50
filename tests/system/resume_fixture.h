/* resume_fixture.h - small trainings that are killed at a checkpoint, and compared with whole ones.
 */
#pragma once
#include "tests/system/training_fixture.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

class TrainingResume : public TrainingTest
{
  protected:
    /* Runs until a checkpoint is there, and kills the run then. */
    void run_and_kill(const std::string &out, const words &keys) const
    {
        words command = {SPINN_PROGRAM, "run", "small.yaml", "--force", "--out", out};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        std::vector<char *> arguments;
        for (std::string &word : command) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            const int nowhere = open("/dev/null", O_RDWR);
            (void)dup2(nowhere, 1);
            (void)dup2(nowhere, 2);
            if (chdir(folder.c_str()) == 0) {
                execv(SPINN_PROGRAM, arguments.data());
            }
            _exit(127);
        }
        int ended = 0;
        while (!exists(out + "/checkpoint.npz") && waitpid(child, &ended, WNOHANG) == 0) {
            usleep(2000);
        }
        (void)kill(child, SIGKILL);
        (void)waitpid(child, &ended, 0);
        ASSERT_TRUE(exists(out + "/checkpoint.npz"));
        ASSERT_FALSE(exists(out + "/summary.json")) << "it had come to its end";
    }

    /* Leaves the checkpoint of epoch 1 by a limit in the second. */
    void stop_in_second_epoch(const std::string &out, words keys) const
    {
        train(out + "_whole", keys); /* as long as it takes today */
        const double first = number(out + "_whole", "seconds_load") +
                             number(out + "_whole", "seconds_per_epoch") +
                             number(out + "_whole", "seconds_test") / 2;
        const double limit = first + number(out + "_whole", "seconds_per_epoch") / 2;
        keys.push_back("run.simulated_time_limit=" +
                       std::to_string(static_cast<unsigned>(1e6 * limit)) + " us");
        words command = {"run", "small.yaml", "--force", "--out", out};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 4) << result.err;
        ASSERT_TRUE(exists(out + "/checkpoint.npz"));
    }

    void expect_same_learning(const std::string &one, const std::string &other) const
    {
        const std::vector<row> a = learning(one);
        const std::vector<row> b = learning(other);
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); i++) {
            EXPECT_EQ(a[i].update, b[i].update);
            EXPECT_EQ(a[i].epoch, b[i].epoch);
            EXPECT_EQ(a[i].images, b[i].images);
            EXPECT_EQ(a[i].loss, b[i].loss);
            EXPECT_TRUE(a[i].accuracy == b[i].accuracy ||
                        (std::isnan(a[i].accuracy) && std::isnan(b[i].accuracy)));
            EXPECT_NEAR(a[i].seconds, b[i].seconds, 0.01 * a[i].seconds);
            EXPECT_EQ(std::isnan(a[i].joules), std::isnan(b[i].joules));
            if (!std::isnan(a[i].joules)) {
                EXPECT_NEAR(a[i].joules, b[i].joules, 0.01 * a[i].joules);
            }
        }
    }

    /* All files are the same, but for what depends on the host. */
    void expect_same_files(const std::string &one, const std::string &other) const
    {
        ASSERT_EQ(files(one), files(other));
        for (const std::string &name : files(one)) {
            EXPECT_EQ(lasting(name, read(one + "/" + name)),
                      lasting(name, read(other + "/" + name)))
                << name;
        }
    }

    const words longer = {"train.epochs=4", "record.checkpoint_every_epochs=1"};

    /* For those that are stopped in the second epoch: half the images and half the batch, as many
     * updates an epoch, and one epoch behind the one that was cut off. */
    const words shorter = {"train.epochs=3", "record.checkpoint_every_epochs=1",
                           "data.train_images=45", "train.global_batch=24", "data.test_images=10"};
};

/* killed_test.cpp - a run that is killed leaves no partial file under a final name. */
#include "tests/system/program.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

class Killed : public SystemTest
{
};

TEST_F(Killed, NoResultFileIsLeft)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    for (const int signal : {SIGTERM, SIGKILL, SIGINT}) {
        const pid_t child = fork();
        if (child == 0) {
            const int nowhere = open("/dev/null", O_RDWR);
            const std::string elf = program("test_endless");
            (void)dup2(nowhere, 1);
            (void)dup2(nowhere, 2);
            if (chdir(folder.c_str()) == 0) {
                execl(SPINN_PROGRAM, SPINN_PROGRAM, "run", elf.c_str(), "--out", "out", "--set",
                      "run.simulated_time_limit=1000 s", nullptr);
            }
            _exit(127);
        }
        usleep(300000);
        ASSERT_EQ(kill(child, signal), 0);
        int ended = 0;
        ASSERT_EQ(waitpid(child, &ended, 0), child);
        EXPECT_FALSE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
        if (exists("out")) {
            EXPECT_TRUE(files("out").empty()) << files("out")[0];
        }
    }
}

TEST_F(Killed, AFolderOfOlderResultsIsReplacedAsAWhole)
{
    run(experiment("idle_chip"), "out");
    const std::string before = text("out", "identity.sim_hash");
    run(experiment("idle_chip"), "out", {"--set", "run.simulated_time_limit=2 s"});
    EXPECT_NE(text("out", "identity.sim_hash"), before);
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 2.0);
}

TEST_F(Killed, AForeignFolderIsLeftAlone)
{
    ASSERT_EQ(run_command({"mkdir", path("mine")}).status, 0);
    write("mine/notes.txt", "dear to me");
    const finished result = spinnsim({"run", experiment("idle_chip"), "--out", "mine"});
    EXPECT_EQ(read("mine/notes.txt"), "dear to me");
    EXPECT_TRUE(result.status == 0 || result.status == 2);
}

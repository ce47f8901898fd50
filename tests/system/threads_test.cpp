/* threads_test.cpp - boards under random traffic, with drops and with parts that are down: the same
 * result for any number of host threads, and from a build with another compiler. */
#include "tests/system/program.h"

#include <cstdlib>

class Threads : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* The board for 200 us, under more than its cores can take: ended by the limit. */
    std::string hash_of(const std::string &program, const words &board, unsigned threads)
    {
        const std::string out = "out" + std::to_string(runs++);
        words command = {program,
                         "run",
                         experiment("bench/packet_random"),
                         "--out",
                         out,
                         "--threads",
                         std::to_string(threads),
                         "--set",
                         "run.simulated_time_limit=200 us"};
        for (const std::string &set : board) {
            command.insert(command.end(), {"--set", set});
        }
        const finished result = run_command(command, folder);
        EXPECT_EQ(result.status, 4) << result.err;
        EXPECT_GT(number(out, "packets_sent"), 5000);
        EXPECT_GT(number(out, "dropped_packets"), 10);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
        return text(out, "identity.stats_hash");
    }

    void expect_one_hash(const words &board)
    {
        const std::string hash = hash_of(SPINN_PROGRAM, board, 1);
        for (const unsigned threads : {2u, 3u, 4u, 8u}) {
            EXPECT_EQ(hash_of(SPINN_PROGRAM, board, threads), hash) << threads;
        }
    }

    const words spin5 = {"board.shape=spin5", "board.width=null", "board.height=null",
                         "faults.down_cores=[\"4,4,0\", \"1,3,1\"]"};
    const words three_boards = {"board.shape=boards", "faults.down_chips=[\"3,4\", \"7,2\"]",
                                "faults.down_links=[\"5,5,0\", \"6,1,2\"]",
                                "faults.down_cores=[\"2,2,0\"]"};
    unsigned runs = 0;
};

TEST_F(Threads, GiveTheSameSpinnFive)
{
    expect_one_hash(spin5);
}

TEST_F(Threads, GiveTheSameThreeBoards)
{
    expect_one_hash(three_boards);
}

TEST_F(Threads, GiveTheSameInABuildWithAnotherCompiler)
{
    const char *other = getenv("SPINN_OTHER_BUILD");
    if (other == nullptr) {
        GTEST_SKIP() << "SPINN_OTHER_BUILD names no other build to compare with";
    }
    for (const words &board : {spin5, three_boards}) {
        EXPECT_EQ(hash_of(std::string(other) + "/spinnsim", board, 3),
                  hash_of(SPINN_PROGRAM, board, 1));
    }
}

/* collectives_test.cpp - collective operations on the machine: every word is right (the programs
 * look), whatever packet a rank does not send; a rank that never answers is named. */
#include "tests/system/program.h"

#include <sstream>

class CollectivesOnTheMachine : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static words sets(const std::vector<words> &groups)
    {
        words arguments;
        for (const words &group : groups) {
            for (const std::string &set : group) {
                arguments.push_back("--set");
                arguments.push_back(set);
            }
        }
        return arguments;
    }
    static words on(unsigned chips, unsigned cores, unsigned ranks)
    {
        return {"board.shape=rectangle", "board.width=" + std::to_string(chips), "board.height=1",
                "app=[{file: collective_trial.elf, cores: 1-" + std::to_string(cores) + "}]",
                "collectives.ranks=" + std::to_string(ranks)};
    }
    static const words &operations()
    {
        static const words ALL = {"send",      "broadcast",      "gather",
                                  "reduce",    "reduce_scatter", "all_gather",
                                  "allreduce", "allreduce_ring", "neighbours"};
        return ALL;
    }

    /* Sums over the ranks of what they say at their ends. */
    struct said {
        unsigned ranks = 0, packets = 0, late = 0, again = 0;
    };
    said console(const std::string &out) const
    {
        said sum;
        std::istringstream text(read(out + "/console.txt"));
        for (std::string line; std::getline(text, line);) {
            unsigned packets = 0;
            unsigned late = 0;
            unsigned again = 0;
            const size_t at = line.find("; ");
            if (at != std::string::npos &&
                sscanf(line.c_str() + at, "; %u packets, %u late, %u again", &packets, &late,
                       &again) == 3) {
                sum.ranks++;
                sum.packets += packets;
                sum.late += late;
                sum.again += again;
            }
        }
        return sum;
    }
};

TEST_F(CollectivesOnTheMachine, OfFewRanksAreRight)
{
    for (const std::string &operation : operations()) {
        for (const auto &[chips, cores, ranks] : {std::tuple<unsigned, unsigned, unsigned>{1, 1, 1},
                                                  {1, 2, 2},
                                                  {1, 3, 3},
                                                  {3, 2, 5},
                                                  {3, 16, 47}}) {
            for (const unsigned each : {1u, 70u}) {
                const std::string out =
                    operation + "_" + std::to_string(ranks) + "_" + std::to_string(each);
                SCOPED_TRACE(out);
                run(experiment("micro/collective_trial"), out,
                    sets({on(chips, cores, ranks),
                          {"collectives.operation=" + operation,
                           "collectives.words=" + std::to_string(each)}}));
                EXPECT_EQ(console(out).ranks, ranks);
                EXPECT_EQ(console(out).packets, counters(out).at("comms.sent_multicast"));
            }
        }
    }
}

TEST_F(CollectivesOnTheMachine, FindTheLeastAndTheLargest)
{
    for (const char *combine : {"min", "max"}) {
        for (const char *operation : {"reduce", "allreduce", "allreduce_ring", "reduce_scatter"}) {
            const std::string out = std::string(operation) + "_" + combine;
            run(experiment("micro/collective_trial"), out,
                sets({on(2, 4, 7),
                      {std::string("collectives.operation=") + operation, "collectives.words=40",
                       std::string("collectives.combine=") + combine}}));
            EXPECT_EQ(console(out).ranks, 7u);
        }
    }
}

TEST_F(CollectivesOnTheMachine, OfABoardAreRight)
{
    for (const std::string operation : {"broadcast", "reduce", "allreduce", "neighbours"}) {
        for (const unsigned ranks : {767u, 816u}) {
            const std::string out = operation + "_" + std::to_string(ranks);
            SCOPED_TRACE(out);
            run(experiment("micro/collective_trial"), out,
                sets({{"collectives.operation=" + operation, "collectives.words=16",
                       "collectives.rounds=1", "collectives.ranks=" + std::to_string(ranks)}}));
            EXPECT_EQ(console(out).ranks, ranks);
        }
    }
}

/* Every packet of every rank, one at a time. */
TEST_F(CollectivesOnTheMachine, RecoverFromTheLossOfAnySinglePacket)
{
    const words small = sets({on(2, 2, 3),
                              {"collectives.operation=allreduce", "collectives.words=5",
                               "collectives.rounds=2", "collectives.start_spread=0 s"}});
    run(experiment("micro/collective_trial"), "whole", small);
    std::istringstream text(read("whole/console.txt"));
    unsigned lost = 0;
    for (std::string line; std::getline(text, line);) {
        unsigned x = 0;
        unsigned y = 0;
        unsigned p = 0;
        unsigned packets = 0;
        const size_t at = line.find("; ");
        ASSERT_EQ(sscanf(line.c_str(), "%u,%u,%u ", &x, &y, &p), 3) << line;
        ASSERT_EQ(sscanf(line.c_str() + at, "; %u packets", &packets), 1) << line;
        const unsigned rank = x * 2 + p - 1;
        for (unsigned packet = 1; packet <= packets; packet++, lost++) {
            words arguments = small;
            const words more = sets({{"collectives.lose_rank=" + std::to_string(rank),
                                      "collectives.lose_packet=" + std::to_string(packet)}});
            arguments.insert(arguments.end(), more.begin(), more.end());
            const std::string out = "lost_" + std::to_string(rank) + "_" + std::to_string(packet);
            SCOPED_TRACE(out);
            run(experiment("micro/collective_trial"), out, arguments);
            EXPECT_EQ(console(out).ranks, 3u);
            EXPECT_LT(number(out, "seconds"), 0.01);
        }
    }
    EXPECT_EQ(lost, console("whole").packets);
}

/* Rank 3 is not there any more: its packets go nowhere. */
TEST_F(CollectivesOnTheMachine, NameTheRankThatDoesNotAnswer)
{
    words arguments = {"run", experiment("micro/collective_trial"), "--force", "--out", "out"};
    const words more =
        sets({on(4, 1, 4),
              {"collectives.operation=reduce", "collectives.words=5", "collectives.rounds=1",
               "faults={deleted_routes: [\"3,0,0x80300000\"]}"}});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(read("out/console.txt").find("waits in vain for packet 0x8"), std::string::npos)
        << read("out/console.txt") << result.err;
    EXPECT_LT(number("out", "seconds"), 0.05);
}

TEST_F(CollectivesOnTheMachine, AreRefusedWhereTheyCannotBe)
{
    const std::string head = "include: [boards/spin3.yaml, energy/spinnaker1.yaml]\nname: own\n";
    const std::string elf = program("collective_trial");
    const auto refused = [&](const std::string &rest, const std::string &message) {
        write("own.yaml", head + rest);
        const finished result = spinnsim({"run", "own.yaml", "--force", "--out", "out"});
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
        EXPECT_FALSE(exists("out"));
    };
    refused("app: []\ncollectives: {words: 5}\n", "ranks without a program");
    refused("app: [{file: " + elf + ", cores: 1-2}]\ncollectives: {ranks: 9}\n",
            "9 ranks need as many cores, and the program is on 8");
    refused("app: [{file: " + elf +
                ", cores: 1-2}]\ncollectives: {words: 5}\nexchange: {words: 5}\n",
            "belong to different programs");
    refused("app: [{file: " + elf + ", cores: 1-2}]\ncollectives: {lose_packet: 1, lose_rank: 8}\n",
            "there are 8 ranks");
}

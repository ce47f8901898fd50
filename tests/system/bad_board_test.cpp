/* bad_board_test.cpp - impossible boards, cores that are not there, programs that never stop
 * sending: a message that names the place, or the hardware's own behaviour. */
#include "tests/system/program.h"

#include <sys/resource.h>

class BadBoard : public SystemTest
{
  protected:
    /* Lines of a configuration: exit status 2, all texts in one message and a hint, no results. */
    void refused(const std::string &text, const words &texts) const
    {
        write("test.yaml",
              "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: test\n" + text);
        const finished result = spinnsim({"run", "test.yaml", "--force", "--out", "out"});
        EXPECT_EQ(result.status, 2) << text << result.err;
        EXPECT_EQ(result.err.compare(0, 22, "spinnsim: test.yaml:3:"), 0) << text << result.err;
        for (const std::string &part : texts) {
            EXPECT_NE(result.err.find(part), std::string::npos)
                << text << "no \"" << part << "\" in: " << result.err;
        }
        EXPECT_LE(lines(result.err).size(), 2u) << "message and hint: " << result.err;
        EXPECT_FALSE(exists("out"));
    }

    /* A line of `faults` for a board of 3 x 2 chips without programs. */
    void refused_fault(const std::string &fault, const words &texts) const
    {
        refused("faults: {" + fault + "}\nboard: {width: 3, height: 2}\napp: []\n", texts);
    }
};

TEST_F(BadBoard, SizesThatNoBoardHas)
{
    const std::string rest = "\napp: []\n";
    for (const char *size : {"0", "-1", "257", "300", "1.5", "2 chips", "1e2", "0x10", "''", "[]",
                             "99999999999999999999"}) {
        refused(std::string("board: {width: ") + size + ", height: 3}" + rest, {"board.width"});
        refused(std::string("board: {width: 3, height: ") + size + "}" + rest, {"board.height"});
    }
    refused("board: {width: 300, height: 300}" + rest, {"1 to 256"});
    refused("board: {shape: spin6}" + rest, {"board.shape", "spin6", "rectangle"});
    refused("board: {shape: spin5, width: 8}" + rest, {"board.width", "no effect"});
    refused("board: {shape: boards, width: 12, height: 13}" + rest,
            {"board.height", "multiple of 12"});
    refused("board: {shape: boards, width: 8, height: 12}" + rest,
            {"board.width", "multiple of 12"});
    refused("board: 3" + rest, {"board"});
}

TEST_F(BadBoard, FaultsOfPartsThatAreNotThere)
{
    refused_fault("down_links: [\"0,0,6\"]", {"faults.down_links[0]", "names no link"});
    refused_fault("down_links: [\"0,0,-1\"]", {"faults.down_links[0]", "names no link"});
    refused_fault("down_links: [\"0,0\"]", {"faults.down_links[0]", "names no link"});
    refused_fault("down_links: [\"0,0,3\"]", {"faults.down_links", "leads to no chip"});
    refused_fault("down_links: [\"2,1,1\"]", {"faults.down_links", "leads to no chip"});
    refused_fault("down_links: [\"3,0,3\"]", {"faults.down_links", "has no chip 3,0"});
    refused_fault("down_links: [\"300,0,3\"]", {"faults.down_links[0]"});
    refused_fault("down_chips: [\"0,2\"]", {"faults.down_chips", "has no chip 0,2"});
    refused_fault("down_chips: [\"0\"]", {"faults.down_chips[0]"});
    refused_fault("down_chips: [\"a,b\"]", {"faults.down_chips[0]"});
    refused_fault("down_chips: \"0,1\"", {"faults.down_chips", "list"});
    refused_fault("down_cores: [\"0,0,18\"]", {"faults.down_cores[0]", "names no core"});
    refused_fault("down_cores: [\"0,2,1\"]", {"faults.down_cores", "has no chip 0,2"});
    refused_fault("down_boards: [1]", {"faults.down_boards", "unknown key"});
}

TEST_F(BadBoard, FaultsNamedTwice)
{
    refused_fault("down_links: [\"0,0,0\", \"0,0,0\"]", {"faults.down_links[1]", "twice"});
    refused_fault("down_chips: [\"0,1\", \"1,1\", \"0,1\"]", {"faults.down_chips[2]", "twice"});
    refused_fault("down_cores: [\"0,1,2\", \"0,1,2\"]", {"faults.down_cores[1]", "twice"});
}

/* Both ends of one link are one link, named twice in good faith: each list of a real board does. */
TEST_F(BadBoard, ALinkMayBeNamedFromBothEnds)
{
    write("test.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: test\n"
                       "faults: {down_links: [\"0,0,0\", \"1,0,3\"]}\n"
                       "board: {width: 2, height: 2}\napp: []\n"
                       "run: {simulated_time_limit: 1 us}\n");
    run("test.yaml", "out");
    EXPECT_EQ(number("out", "chips"), 4);
}

TEST_F(BadBoard, FaultsThatLeaveNoMachine)
{
    refused_fault("down_chips: [\"0,0\", \"0,1\", \"1,0\", \"1,1\", \"2,0\", \"2,1\"]",
                  {"faults.down_chips", "all chips are down"});
    refused_fault("down_chips: [\"1,0\", \"1,1\"]",
                  {"faults.down_chips", "cut in two: no way from chip 0,0 to 2,0 2,1"});
    refused_fault("down_links: [\"0,0,0\", \"0,0,1\", \"0,0,2\"]",
                  {"faults.down_links", "cut in two: no way from chip 0,0 to"});
}

TEST_F(BadBoard, MoreChipsThanTheComputersMemoryHolds)
{
    const double gigabytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 30);
    if (gigabytes > 30) {
        GTEST_SKIP() << "65,536 chips fit into the memory of this computer";
    }
    refused("board: {width: 256, height: 256}\napp: []\n",
            {"board.width", "65536 chips take more memory than this computer has"});
}

TEST_F(BadBoard, CoresThatDoNotExistOrDoNotWork)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const std::string hello = "app: [{file: " + program("hello");
    refused(hello + ", cores: 1-17}]\nchip: {cores: 4}\n",
            {"app[0].cores", "no such core on a chip", "chip.cores is 4"});
    refused(hello + ", cores: 18}]\n", {"app[0].cores", "0 to 17"});
    refused(hello + ", chips: \"2,0\"}]\nboard: {width: 2, height: 2}\n",
            {"app[0].chips", "no such chip", "board.width is 2, board.height 2"});
    refused(hello + ", chips: \"1,1\"}]\nboard: {width: 2, height: 2}\n"
                    "faults: {down_chips: [\"1,1\"]}\n",
            {"app[0].chips", "no such chip", "faults.down_chips"});
    refused(hello + ", chips: \"0,0\", cores: 3}]\nfaults: {down_cores: [\"0,0,3\"]}\n",
            {"app[0].chips", "all these cores of the chip are down"});
    const std::string two = "board: {width: 2, height: 1}\n";
    refused(hello + ", cores: 3-4}]\n" + two +
                "faults: {down_cores: [\"0,0,3\", \"0,0,4\", \"1,0,3\", \"1,0,4\"]}\n",
            {"app[0]", "all its cores are down or kept for the monitor, on all chips",
             "faults.down_cores"});
    /* One is left: it gets the program. */
    write("test.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: test\n" +
                           hello + ", cores: 3-4}]\n" + two +
                           "faults: {down_cores: [\"0,0,3\", \"0,0,4\", \"1,0,3\"]}\n");
    run("test.yaml", "out");
    EXPECT_EQ(number("out", "cores_used"), 1);
}

/* Packets that nobody takes go round a torus until routers give them up: the run ends at its limit,
 * and takes no more memory for running longer. */
TEST_F(BadBoard, AProgramThatSendsWithoutEndEndsAtTheLimit)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    write("test.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: test\n"
                       "board: {shape: torus, width: 2, height: 2}\napp: [{file: " +
                           program("test_flood") + "}]\n");
    long kilobytes[2] = {0, 0};
    for (const int i : {0, 1}) {
        const std::string limit = i == 0 ? "200 us" : "1000 us";
        const finished result = spinnsim({"run", "test.yaml", "--force", "--out", "out", "--tier",
                                          "interpreter", /* no compiler's memory */
                                          "--set", "run.simulated_time_limit=" + limit});
        EXPECT_EQ(result.status, 4) << result.err;
        EXPECT_EQ(text("out", "status"), "limit");
        EXPECT_GT(number("out", "packets_sent"), 100);
        EXPECT_GT(number("out", "dropped_packets"), 10);
        EXPECT_EQ(number("out", "late_interrupts"), 0);
        struct rusage usage = {};
        ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
        kilobytes[i] = usage.ru_maxrss;
    }
    const long spread = SPINN_HAS_SANITIZER ? 8192 : 1024; /* of what waits to be freed */
    EXPECT_LT(kilobytes[1], kilobytes[0] + spread) << "KiB";
}

/* board_test.cpp - many chips: all 816 cores of a SpiNN-5 compute what the host computes, programs
 * run on every chip, what is broken has none, and messages say where. */
#include "tests/system/program.h"

#include <set>
#include <sys/resource.h>

class Board : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static words on_host()
    {
        return {"--set", "backend=host",
                "--set", "mapping=null",
                "--set", "run=null",
                "--set", "accept.late_interrupts=null",
                "--set", "accept.unmodelled=null"};
    }

    /* The columns x, y and core of placement.csv. */
    std::set<std::string> placed(const std::string &out) const
    {
        std::set<std::string> cores;
        const words rows = lines(read(out + "/placement.csv"));
        for (size_t i = 1; i < rows.size(); i++) {
            size_t end = 0;
            for (int field = 0; field < 3; field++) {
                end = rows[i].find(',', end) + 1;
            }
            cores.insert(rows[i].substr(0, end - 1));
        }
        return cores;
    }
};

TEST_F(Board, AllCoresOfASpin5GiveTheHostsLogits)
{
    const words images = {"--set", "data.test_images=1000"};
    run(experiment("lenet1_board_synthetic"), "machine", images);
    words host = on_host();
    host.insert(host.end(), images.begin(), images.end());
    run(experiment("lenet1_board_synthetic"), "host", host);
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 1001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_EQ(number("machine", "cores_used"), 816);
    EXPECT_EQ(number("machine", "chips"), 48);
    EXPECT_EQ(number("machine", "boards"), 1);
    EXPECT_EQ(placed("machine").size(), 816u);
    EXPECT_EQ(lines(read("machine/tensors.csv")).size(), 1 + 48 * 6u) << "each chip has its own";
}

TEST_F(Board, AllOfMnistGivesTheHostsLogits)
{
    const finished machine = spinnsim({"run", experiment("lenet1_board"), "--out", "machine"});
    if (machine.status == 2 && machine.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(machine.err).at(0);
    }
    ASSERT_EQ(machine.status, 0) << machine.err;
    run(experiment("lenet1_board"), "host", on_host());
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 10001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_EQ(number("machine", "cores_used"), 816);
    EXPECT_GE(number("machine", "accuracy"), 0.98);
}

TEST_F(Board, TwoRunsAreTheSame)
{
    const words few = {"--set", "data.test_images=500"};
    run(experiment("lenet1_board_synthetic"), "a", few);
    run(experiment("lenet1_board_synthetic"), "b", few);
    EXPECT_EQ(text("a", "identity.stats_hash"), text("b", "identity.stats_hash"));
    for (const char *file : {"counters.csv", "phases.csv", "predictions.csv", "placement.csv",
                             "energy.csv", "tensors.csv"}) {
        EXPECT_EQ(read(std::string("a/") + file), read(std::string("b/") + file)) << file;
    }
}

/* Chips do not disturb each other: a chip of many does what it does alone. */
TEST_F(Board, AChipOfManyTakesTheTimeOfOne)
{
    run(experiment("lenet1_synthetic"), "one", {"--set", "data.test_images=34"});
    run(experiment("lenet1_synthetic"), "four",
        {"--set", "data.test_images=136", "--set", "board.width=2", "--set", "board.height=2",
         "--set", "mapping.chips=4"});
    EXPECT_EQ(number("four", "cores_used"), 68);
    EXPECT_EQ(number("four", "seconds_load"), number("one", "seconds_load"));
    EXPECT_EQ(number("four", "images_tested"), 136);
}

TEST_F(Board, EveryCycleOfAStartedCoreBelongsToAPhase)
{
    run(experiment("lenet1_board_synthetic"), "out", {"--set", "data.test_images=100"});
    double cycles = 0;
    const words rows = lines(read("out/phases.csv"));
    for (size_t i = 1; i < rows.size(); i++) {
        size_t at = 0;
        for (int field = 0; field < 3; field++) {
            at = rows[i].find(',', at) + 1;
        }
        cycles += std::stod(rows[i].substr(at));
    }
    EXPECT_EQ(cycles, number("out", "core_cycles"));
}

/* ---- programs of one's own ---- */

static std::string app(const std::string &board, const std::string &entry)
{
    return "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\nboard: {" + board +
           "}\napp:\n  - {" + entry + "}\n";
}

TEST_F(Board, AProgramRunsOnEveryChip)
{
    write("own.yaml", app("width: 2, height: 2", "file: " + program("hello") + ", cores: 3"));
    run("own.yaml", "out");
    std::string expected;
    for (const char *chip : {"0,0", "0,1", "1,0", "1,1"}) {
        for (int tick = 1; tick <= 3; tick++) {
            expected += std::string(chip) + ",3 core 3, tick " + std::to_string(tick) + "\n";
        }
    }
    EXPECT_EQ(read("out/console.txt"), expected);
    EXPECT_EQ(number("out", "chips"), 4);
    EXPECT_EQ(number("out", "cores_used"), 4);
}

TEST_F(Board, AProgramRunsOnTheChipNamed)
{
    write("own.yaml",
          app("width: 2, height: 2", "file: " + program("hello") + ", chips: \"1,0\", cores: 2"));
    run("own.yaml", "out");
    EXPECT_EQ(lines(read("out/console.txt")).at(0), "1,0,2 core 2, tick 1");
    EXPECT_EQ(placed("out"), std::set<std::string>({"1,0,2"}));
}

TEST_F(Board, WhatIsDownHasNoProgram)
{
    write("own.yaml", app("width: 2, height: 2", "file: " + program("hello") + ", cores: 2-4") +
                          "faults: {down_chips: [\"0,1\"], down_cores: [\"1,1,3\"]}\n");
    run("own.yaml", "out");
    EXPECT_EQ(placed("out"), std::set<std::string>({"0,0,2", "0,0,3", "0,0,4", "1,0,2", "1,0,3",
                                                    "1,0,4", "1,1,2", "1,1,4"}));
    EXPECT_EQ(number("out", "chips"), 3);
    /* programs count the cores that work */
    EXPECT_NE(read("out/console.txt").find("1,1,4 core 3, tick 3\n"), std::string::npos)
        << read("out/console.txt");
    EXPECT_NE(read("out/console.txt").find("1,1,2 core 2, tick 3\n"), std::string::npos);
}

TEST_F(Board, AMistakeNamesItsChip)
{
    write("own.yaml", app("width: 3, height: 2",
                          "file: " + program("test_jump_nowhere") + ", chips: \"2,1\", cores: 5"));
    const finished fault = spinnsim({"run", "own.yaml", "--out", "fault"});
    EXPECT_EQ(fault.status, 3);
    EXPECT_NE(fault.err.find("chip (2,1) core 5: prefetch abort"), std::string::npos) << fault.err;
    write("own.yaml", app("width: 3, height: 2",
                          "file: " + program("test_waits") + ", chips: \"1,1\", cores: 4"));
    const finished waits = spinnsim({"run", "own.yaml", "--out", "waits"});
    EXPECT_EQ(waits.status, 3);
    EXPECT_NE(waits.err.find("chip (1,1) core 4: waits for what cannot come"), std::string::npos)
        << waits.err;
}

/* ---- bad input ---- */

TEST_F(Board, AShortageIsNamed)
{
    const std::string board = experiment("lenet1_board_synthetic");
    const finished chips = spinnsim({"run", board, "--set", "mapping.chips=49"});
    EXPECT_EQ(chips.status, 2);
    EXPECT_NE(chips.err.find("more chips than the board has: 49 of 48"), std::string::npos)
        << chips.err;
    const finished cores = spinnsim({"run", board, "--set", "mapping.cores_per_chip=18"});
    EXPECT_EQ(cores.status, 2);
    EXPECT_NE(cores.err.find("more cores than a chip has: 18 of 17"), std::string::npos)
        << cores.err;
    const finished down =
        spinnsim({"run", board, "--set", "faults={down_chips: [\"0,0\", \"7,7\"]}"});
    EXPECT_EQ(down.status, 2);
    EXPECT_NE(down.err.find("more chips than the board has: 48 of 46"), std::string::npos)
        << down.err;
    const finished core = spinnsim({"run", board, "--set", "faults={down_cores: [\"3,3,9\"]}"});
    EXPECT_EQ(core.status, 2);
    EXPECT_NE(core.err.find("working cores: 48 of 47"), std::string::npos) << core.err;
}

TEST_F(Board, FaultsGiveTheSameResultsOnWhatIsLeft)
{
    const std::string board = experiment("lenet1_board_synthetic");
    const words few = {"--set", "data.test_images=100"};
    run(board, "whole", few);
    run(board, "left",
        {few[0], few[1], "--set", "mapping.chips=46", "--set", "mapping.cores_per_chip=16", "--set",
         ("faults={down_chips: [\"0,0\", \"7,7\"], down_cores: [\"3,3,9\", \"4,4,0\"], down_links: "
          "[\"2,2,0\"]}")});
    EXPECT_EQ(read("whole/predictions.csv"), read("left/predictions.csv"));
    EXPECT_EQ(number("left", "cores_used"), 46 * 16);
    EXPECT_EQ(number("left", "chips"), 46);
    const std::set<std::string> cores = placed("left");
    EXPECT_EQ(cores.count("3,3,9"), 0u);
    EXPECT_EQ(cores.count("3,3,17"), 1u);
    EXPECT_EQ(cores.count("4,4,1"), 0u) << "the monitor, now that core 0 is down";
    EXPECT_EQ(cores.count("4,4,2"), 1u);
}

TEST_F(Board, AnImpossibleMachineIsRefused)
{
    const finished cut = spinnsim({"run", experiment("idle_chip"), "--set", "board.width=3",
                                   "--set", "faults={down_chips: [\"1,0\"]}"});
    EXPECT_EQ(cut.status, 2);
    EXPECT_NE(cut.err.find("faults.down_chips"), std::string::npos) << cut.err;
    EXPECT_NE(cut.err.find("cut in two: no way from chip 0,0 to 2,0"), std::string::npos);
    const finished size = spinnsim(
        {"run", experiment("idle_chip"), "--set", "board={shape: boards, width: 12, height: 13}"});
    EXPECT_EQ(size.status, 2);
    EXPECT_NE(size.err.find("multiple of 12"), std::string::npos) << size.err;
}

/* ---- idle boards ---- */

TEST_F(Board, IdleBoardsDrawWhatTheirPartsDraw)
{
    const words second = {"--set", "run.simulated_time_limit=1 s"};
    for (const auto &[board, watts] : {std::pair<const char *, double>{"spin3", 4 * 0.35075 + 1.27},
                                       {"spin5", 48 * 0.35075 + 6.2}}) {
        write("idle.yaml", std::string("include: [boards/") + board +
                               ".yaml, energy/spinnaker1.yaml]\nname: idle\napp: []\n");
        run("idle.yaml", board, second);
        EXPECT_NEAR(number(board, "energy.mean_watts.default"), watts, 1e-9) << board;
        EXPECT_EQ(text(board, "energy.scope"), "board");
    }
}

/* Memory comes with the first touch: chips on which nothing happens have little of it. */
TEST_F(Board, TwentyFourIdleBoardsFitTheHost)
{
    write("idle.yaml", "include: [boards/torus.yaml, energy/spinnaker1.yaml]\nname: idle\n"
                       "board: {width: 24, height: 48}\napp: []\n"
                       "run: {simulated_time_limit: 1 ms}\n");
    run("idle.yaml", "out", {"--set", "record.counters=chip"});
    EXPECT_EQ(number("out", "chips"), 1152);
    EXPECT_EQ(number("out", "boards"), 24);
    EXPECT_NEAR(number("out", "energy.mean_watts.default"), 24 * (48 * 0.35075 + 6.2), 1e-6);
    struct rusage usage = {};
    ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
#ifndef __SANITIZE_ADDRESS__ /* which keeps memory of its own beside all memory */
    EXPECT_LT(usage.ru_maxrss, 1500000) << "KiB";
    EXPECT_LT(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec, 10) << "s, however busy the host is";
#endif
}

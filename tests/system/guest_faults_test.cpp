/* guest_faults_test.cpp - what a program does wrong is its own fault: named, counted, exit
 * status 3. */
#include "tests/system/program.h"

class GuestFaults : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }
};

TEST_F(GuestFaults, AJumpToNowhereNamesCorePcAndAddress)
{
    const finished result =
        spinnsim({"run", program("test_jump_nowhere"), "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 1: prefetch abort (jump to nowhere) at pc "
                              "0x50000000 in no symbol, address 0x50000000"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(text("out", "status"), "guest_failed");
    EXPECT_EQ(number("out", "guest_errors"), 1);
}

TEST_F(GuestFaults, AWriteOutsideMemoryNamesTheFunctionAndTheAddress)
{
    const finished result =
        spinnsim({"run", program("test_write_nowhere"), "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("in faulty, address 0x50000008"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("data abort (write of 4 bytes) at pc"), std::string::npos)
        << result.err;
}

TEST_F(GuestFaults, WithoutStopTheProgramTakesTheException)
{
    /* Its vector is an endless loop: the run ends at the limit, the fault is counted. */
    const finished result =
        spinnsim({"run", program("test_write_nowhere"), "--force", "--out", "out", "--set",
                  "run.stop_on=nothing", "--set", "run.simulated_time_limit=1 ms"});
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(number("out", "guest_errors"), 1);
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.001);
}

TEST_F(GuestFaults, ARunTimeErrorOfTheProgramIsNamed)
{
    const finished result = spinnsim({"run", program("test_rt_error"), "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 1: run-time error 13 at pc 0x"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find(" in c_main"), std::string::npos) << "whose last instruction it is";
    EXPECT_EQ(read("out/console.txt"), "0,0,1 before the error\n");
}

TEST_F(GuestFaults, AnExitCodeOfTheProgramIsNamed)
{
    write("two.yaml", "name: two\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\napp: "
                      "[{file: test_exit_code.elf, cores: 1-2}]\n");
    const finished result = spinnsim({"run", "two.yaml", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 2: the program ended with exit code 7"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(text("out", "status"), "guest_failed");
    EXPECT_EQ(text("out", "failure"), "chip (0,0) core 2: the program ended with exit code 7");
    EXPECT_EQ(read("out/console.txt"), "0,0,1 ends\n0,0,2 ends\n");
    EXPECT_EQ(run(program("test_exit_code"), "one").status, 0) << "core 1 ends with 0";
    EXPECT_EQ(text("one", "status"), "done");
}

TEST_F(GuestFaults, AProgramThatSleepsForEverIsNotDone)
{
    const finished result = spinnsim({"run", program("test_waits"), "--force", "--out", "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("waits for what cannot come"), std::string::npos) << result.err;
}

TEST_F(GuestFaults, AnEndlessProgramEndsAtTheLimitExactly)
{
    const finished result = spinnsim({"run", program("test_endless"), "--force", "--out", "out",
                                      "--set", "run.simulated_time_limit=20 ms"});
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(text("out", "status"), "limit");
    EXPECT_DOUBLE_EQ(number("out", "seconds"), 0.020);
    /* 20 ms are 4,000,000 cycles; the branch under way then ends two cycles later. */
    EXPECT_EQ(counters("out").at("core.active_cycles"), 4000002u);
}

/* Its message names where the time went and what the cores wait for. */
TEST_F(GuestFaults, AHangNamesTheBusiestFunctionsAndTheWaits)
{
    write("two.yaml", "name: two\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\napp: "
                      "[{file: test_hang.elf, cores: 1-2}]\n"
                      "run: {simulated_time_limit: 20 ms, quiescent_limit: 0 s}\n");
    const finished result = spinnsim({"run", "two.yaml", "--out", "out"});
    EXPECT_EQ(result.status, 4);
    const std::string failure = text("out", "failure");
    const std::string head = "the run was given up after run.simulated_time_limit; in its last "
                             "tenth the busiest functions were most (test_hang) ";
    EXPECT_EQ(failure.compare(0, head.size(), head), 0) << failure;
    const size_t less = failure.find(" %, less (test_hang) ");
    const size_t little = failure.find(" %, little (test_hang) ");
    EXPECT_LT(less, little) << failure;
    EXPECT_NE(little, std::string::npos) << failure;
    EXPECT_EQ(failure.find("hardly"), std::string::npos) << failure;
    EXPECT_NEAR(std::stod(failure.substr(head.size())), 60, 5) << failure;
    EXPECT_NE(result.err.find("0,0,1     test_hang             running"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("nothing: it lets no interrupt in"), std::string::npos) << result.err;
    /* The same in every run. */
    EXPECT_EQ(
        spinnsim({"run", "two.yaml", "--out", "again", "--threads", "2", "--tier", "interpreter"})
            .status,
        4);
    EXPECT_EQ(text("again", "failure"), failure);
}

/* On both sides of the stack's end, and where no fault would follow: in the program's own data. */
TEST_F(GuestFaults, AStackThatRanBelowItsEndIsNamed)
{
    const std::string warning = "spinnsim: warning: chip (0,0) core 1: the stack ran ";
    const auto lowest = [this](const std::string &out) {
        return table_rows(read(out + "/placement.csv")).at(0).at("lowest_sp");
    };
    const finished at = run(program("test_stack_at_end"), "at");
    EXPECT_EQ(at.err.find("the stack ran"), std::string::npos) << at.err;
    EXPECT_EQ(lowest("at"), "0x0040ecc0");
    const finished below = run(program("test_stack_below_end"), "below");
    EXPECT_NE(below.err.find(warning + "4 bytes below its end at 0x0040ecc0, to 0x0040ecbc in the "
                                       "heap\n"),
              std::string::npos)
        << below.err;
    EXPECT_EQ(lowest("below"), "0x0040ecbc");
    const finished data = run(program("test_stack_in_data"), "data");
    EXPECT_NE(data.err.find(" in words\n"), std::string::npos) << data.err;
    EXPECT_EQ(text("data", "status"), "done");
    EXPECT_NE(read("data/summary.json").find("the stack ran"), std::string::npos);
    for (const char *tier : {"interpreter", "translator"}) {
        run(program("test_stack_in_data"), tier, {"--tier", tier});
        EXPECT_EQ(read(std::string(tier) + "/placement.csv"), read("data/placement.csv"));
    }
}

TEST_F(GuestFaults, CoresThatAreDownAndNamedByAProgramAreAWarning)
{
    const std::string head =
        "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\napp: [{file: "
        "hello.elf, cores: ";
    write("named.yaml", "name: named\n" + head + "2-4}]\n");
    write("all.yaml", "name: all\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\n"
                      "app: [{file: hello.elf}]\n");
    const std::string down = "faults.down_cores=[\"0,0,3\"]";
    const std::string warning =
        "warning: app[0].cores: 1 of its cores does not run it: the first is "
        "core 3 of chip 0,0\n";
    const finished named = run("named.yaml", "named", {"--set", down});
    EXPECT_NE(named.err.find(warning), std::string::npos) << named.err;
    EXPECT_EQ(run("named.yaml", "whole").err.find("app[0].cores"), std::string::npos);
    EXPECT_EQ(run("all.yaml", "all", {"--set", down}).err.find("app[0].cores"), std::string::npos)
        << "all that work";
}

TEST_F(GuestFaults, ResultsOutsideAcceptAreRejected)
{
    const finished result = spinnsim({"run", experiment("hello"), "--force", "--out", "out",
                                      "--set", "accept.seconds.max=0.001"});
    EXPECT_EQ(result.status, 5);
    EXPECT_NE(result.err.find("seconds"), std::string::npos) << result.err;
    EXPECT_EQ(text("out", "status"), "rejected");
}

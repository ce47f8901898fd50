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
    EXPECT_NE(result.err.find("run-time error 13"), std::string::npos) << result.err;
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

TEST_F(GuestFaults, ResultsOutsideAcceptAreRejected)
{
    const finished result = spinnsim({"run", experiment("hello"), "--force", "--out", "out",
                                      "--set", "accept.seconds.max=0.001"});
    EXPECT_EQ(result.status, 5);
    EXPECT_NE(result.err.find("seconds"), std::string::npos) << result.err;
    EXPECT_EQ(text("out", "status"), "rejected");
}

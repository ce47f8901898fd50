/* app_test.cpp - programs of one's own. */
#include "tests/system/program.h"

class App : public SystemTest
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

TEST_F(App, PrintsAtEveryTickOnEveryCore)
{
    run(experiment("hello"), "out");
    std::string expected;
    for (int core = 1; core <= 4; core++) {
        for (int tick = 1; tick <= 3; tick++) {
            expected += "0,0," + std::to_string(core) + " core " + std::to_string(core) +
                        ", tick " + std::to_string(tick) + "\n";
        }
    }
    EXPECT_EQ(read("out/console.txt"), expected);
}

/* Some programs have their messages in Thumb code. */
TEST_F(App, AProgramThatPrintsInThumbCodePrintsTheSame)
{
    run(program("test_hello_thumb"), "out");
    EXPECT_EQ(read("out/console.txt"),
              "0,0,1 core 1, tick 1\n0,0,1 core 1, tick 2\n0,0,1 core 1, tick 3\n");
}

TEST_F(App, TicksComeEveryMillisecond)
{
    run(experiment("hello"), "out");
    const double seconds = number("out", "seconds");
    EXPECT_GT(seconds, 0.0030); /* three ticks of 1,000 us, and what goes before and after */
    EXPECT_LT(seconds, 0.0031);
}

TEST_F(App, AnElfFileRunsOnCoreOneOfOneChip)
{
    const finished result = run(program("hello"), "out");
    EXPECT_EQ(read("out/console.txt"),
              "0,0,1 core 1, tick 1\n0,0,1 core 1, tick 2\n0,0,1 core 1, tick 3\n");
    EXPECT_NE(result.out.find("hello: done"), std::string::npos);
    EXPECT_EQ(number("out", "cores_used"), 1);
}

TEST_F(App, APacketGoesRoundARingOfCores)
{
    run(experiment("ring"), "out");
    EXPECT_EQ(read("out/console.txt"), "0,0,1 the packet has passed 170 cores\n");
    const auto sums = counters("out");
    EXPECT_EQ(sums.at("comms.sent_multicast"), 170u);
    EXPECT_EQ(sums.at("comms.received_multicast"), 170u);
    EXPECT_EQ(sums.at("router.packets_mc"), 170u);
    EXPECT_EQ(sums.at("router.bits"), 170u * 72);
    EXPECT_EQ(number("out", "packets_sent"), 170);
    EXPECT_EQ(number("out", "deliveries"), 170);
    EXPECT_EQ(number("out", "dropped_packets"), 0);
    EXPECT_EQ(number("out", "late_interrupts"), 0);
    EXPECT_NE(read("out/energy.csv").find("router,router_bit,"), std::string::npos);
}

TEST_F(App, ProgramsAreFoundBesideTheConfigurationFirst)
{
    write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                      "app:\n  - {file: own.elf, chips: \"0,0\", cores: 3}\n");
    ASSERT_EQ(run_command({"cp", program("hello"), path("own.elf")}).status, 0);
    run("own.yaml", "out");
    EXPECT_EQ(read("out/console.txt"),
              "0,0,3 core 3, tick 1\n0,0,3 core 3, tick 2\n0,0,3 core 3, tick 3\n");
}

TEST_F(App, TheSizesOfTheMemoriesAreReadAtStartUp)
{
    run(program("hello"), "large");
    run(program("hello"), "small", {"--set", "chip.dtcm=32 KiB"});
    EXPECT_EQ(read("large/console.txt"), read("small/console.txt"));
    EXPECT_NE(text("large", "identity.stats_hash"), text("small", "identity.stats_hash"));
}

/* published_test.cpp - a published way to lay a network over a SpiNN-5 that worked forward and hung
 * backward: it does so here too. */
#include "tests/system/program.h"

class Published : public SystemTest
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

constexpr uint64_t RECEIVERS = 300, SENDERS = 50;

TEST_F(Published, ActivationsOfFiftyNeuronsReachThreeHundred)
{
    run(experiment("published/neuron_per_core_forward"), "out");
    const auto sums = counters("out");
    EXPECT_EQ(number("out", "cores_used"), 816);
    EXPECT_EQ(number("out", "packets_sent"), SENDERS);
    EXPECT_EQ(number("out", "deliveries"), SENDERS * RECEIVERS);
    EXPECT_EQ(number("out", "dropped_packets"), 0);
    EXPECT_EQ(sums.at("router.core_copies"), SENDERS * RECEIVERS);
    EXPECT_EQ(number("out", "late_interrupts"), 0);
}

/* Each of the 50 sends an error for each of the 300, all to all: 4.5 million deliveries, of which
 * 15,000 are wanted.  Receivers are too slow, links back up, packets are lost, and who waits for
 * one of them waits for ever. */
TEST_F(Published, ErrorsOfFiftyNeuronsForThreeHundredAreLostAndTheRunHangs)
{
    const std::string errors = experiment("published/neuron_per_core_errors");
    const finished result = spinnsim({"run", errors, "--out", "out", "--threads", "1"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("waits for what cannot come: key 0x26"), std::string::npos)
        << result.err;
    const auto sums = counters("out");
    const auto delivered = static_cast<uint64_t>(number("out", "deliveries"));
    EXPECT_EQ(number("out", "packets_sent"), SENDERS * RECEIVERS) << "all are sent, slowly";
    EXPECT_LT(delivered, SENDERS * RECEIVERS * RECEIVERS * 9 / 10);
    EXPECT_EQ(delivered, sums.at("router.core_copies"));
    EXPECT_GT(number("out", "dropped_packets"), 1000);
    EXPECT_EQ(number("out", "dropped_packets"), sums.at("router.dumped_mc"));
    EXPECT_EQ(number("out", "late_interrupts"), 0);
    EXPECT_EQ(sums.at("chip.unmodelled_accesses"), 0u);
    EXPECT_NE(result.out.find("lost packets"), std::string::npos) << result.out;
    EXPECT_GT(lines(read("out/drops.csv")).size(), 100u);
    EXPECT_GT(lines(read("out/waits.csv")).size(), 100u);
    const finished threads = spinnsim({"run", errors, "--out", "threads", "--threads", "2"});
    EXPECT_EQ(threads.status, 3);
    EXPECT_EQ(text("out", "identity.stats_hash"), text("threads", "identity.stats_hash"));
    EXPECT_EQ(read("out/drops.csv"), read("threads/drops.csv"));
    EXPECT_EQ(read("out/waits.csv"), read("threads/waits.csv"));
}

/* With a program on each monitor processor that sends dropped packets again they all arrive, some
 * more than once. */
TEST_F(Published, ErrorsSentAgainArrive)
{
    run(experiment("published/neuron_per_core_reinjected"), "out");
    EXPECT_GT(number("out", "dropped_packets"), 1000);
    EXPECT_GE(number("out", "deliveries"), SENDERS * RECEIVERS * RECEIVERS);
    EXPECT_EQ(number("out", "late_interrupts"), 0);
    EXPECT_EQ(counters("out").at("chip.unmodelled_accesses"), 0u);
}

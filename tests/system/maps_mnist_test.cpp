/* maps_mnist_test.cpp - all 10,000 digits of MNIST through LeNet-1 by packets on a SpiNN-5: a
 * minute or two of the host, so among the slow tests. */
#include "tests/system/program.h"

class MapsMnist : public SystemTest
{
};

TEST_F(MapsMnist, GivesTheHostsLogitsBy768PacketsAnImage)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const std::string maps = experiment("lenet1_packets");
    const finished machine = spinnsim({"run", maps, "--out", "machine", "--threads", "2"});
    if (machine.status == 2 && machine.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(machine.err).at(0);
    }
    ASSERT_EQ(machine.status, 0) << machine.err;
    run(maps, "host",
        {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null", "--set",
         "accept=null"});
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 10001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_EQ(number("machine", "numerics.saturations"), number("host", "numerics.saturations"));
    EXPECT_EQ(number("machine", "packets_sent"), 768 * 10000);
    EXPECT_EQ(number("machine", "deliveries"), (576 * 12 + 192) * 10000);
    EXPECT_EQ(number("machine", "dropped_packets"), 0);
    EXPECT_EQ(number("machine", "late_interrupts"), 0);
    EXPECT_EQ(number("machine", "cores_used"), 816);
    EXPECT_GE(number("machine", "accuracy"), 0.98);
}

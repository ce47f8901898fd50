/* inference_test.cpp - LeNet-1 on the machine computes what the host computes, bit for bit. */
#include "tests/system/program.h"

class Inference : public SystemTest
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

TEST_F(Inference, SyntheticDigitsGiveTheHostsLogits)
{
    run(experiment("lenet1_synthetic"), "machine");
    run(experiment("lenet1_synthetic"), "host",
        {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null", "--set",
         "accept.late_interrupts=null"});
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 1001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_GE(number("machine", "accuracy"), 0.98);
}

TEST_F(Inference, AllOfMnistGivesTheHostsLogitsAndTheReferencesAccuracy)
{
    const finished machine = spinnsim({"run", experiment("lenet1_inference"), "--out", "machine"});
    if (machine.status == 2 && machine.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(machine.err).at(0);
    }
    ASSERT_EQ(machine.status, 0) << machine.err;
    run(experiment("lenet1_inference"), "host",
        {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null", "--set",
         "accept.late_interrupts=null"});
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 10001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_GE(number("machine", "accuracy"), 0.98);
    EXPECT_NEAR(number("machine", "accuracy"), number("machine", "reference_accuracy"), 0.002);
}

TEST_F(Inference, FewerCoresTakeLongerToTheSameResults)
{
    const words few = {"--set", "data.test_images=40", "--set", "mapping.cores_per_chip=4"};
    run(experiment("lenet1_synthetic"), "many", {few[0], few[1]});
    run(experiment("lenet1_synthetic"), "four", few);
    EXPECT_EQ(read("many/predictions.csv"), read("four/predictions.csv"));
    EXPECT_EQ(number("four", "cores_used"), 4);
    EXPECT_GT(number("four", "seconds_test"), 2 * number("many", "seconds_test"));
}

/* training_mnist_test.cpp - 20 updates on real MNIST leave the host's bits in the board's memory,
 * in every mapping of both networks: minutes of the host, so among the slow tests. */
#include "tests/system/training_fixture.h"

class TrainingMnist : public TrainingTest
{
  protected:
    /* 20 updates, in an epoch or in two. */
    std::string batch = "global_batch: 48";
    static constexpr const char *IMAGES =
        "data: {set: mnist, train_images: 960, test_images: 100}\n"
        "record: {learning_every: 20}\n"
        "run: {simulated_time_limit: 20 s}\n";

    void write_training(const std::string &network, const std::string &rate)
    {
        write("mnist.yaml", "include: [boards/spin5.yaml, timing/arm968.yaml, "
                            "energy/spinnaker1.yaml]\nname: mnist\nmode: train\nseed: 3\n"
                            "network: {name: " +
                                network + (s1615 ? ", number_format: s16.15" : "") + "}\n" +
                                IMAGES + "train: {" + batch + ", learning_rate: " + rate + "}\n");
    }

    /* False when the images are not here: the test is skipped. */
    bool run_host()
    {
        const finished host =
            spinnsim({"run", "mnist.yaml", "--set", "backend=host", "--out", "host"});
        if (host.status == 2 && host.err.find("data.set") != std::string::npos) {
            skipped = lines(host.err).at(0);
            return false;
        }
        EXPECT_EQ(host.status, 0) << host.err;
        EXPECT_EQ(number("host", "updates"), 20);
        return true;
    }

    void expect_host_bits(const words &keys)
    {
        run("mnist.yaml", "machine", sets(keys));
        if (s1615) {
            EXPECT_EQ(weights32("machine"), weights32("host")) << keys[0];
        } else {
            EXPECT_EQ(weights("machine"), weights("host")) << keys[0];
        }
        EXPECT_EQ(number("machine", "accuracy"), number("host", "accuracy"));
        EXPECT_EQ(number("machine", "updates"), 20);
        EXPECT_EQ(number("machine", "dropped_packets"), 0);
        ASSERT_EQ(run_command({"rm", "-r", path("machine")}).status, 0);
    }

    bool s1615 = false;
    std::string skipped;
};

/* The baseline without a floating-point unit, three updates: what it costs beside int16. */
TEST_F(TrainingMnist, Fc128InSingles)
{
    const words keys = {"mapping.kind=neuron_blocks", "mapping.cores_per_chip=16",
                        "mapping.chips=48"};
    batch = "global_batch: 96";
    write_training("fc128", "0.001953125");
    words singles_keys = {"network.number_format=float32", "data.train_images=288",
                          "data.test_images=96"};
    words on_the_host = sets(singles_keys);
    on_the_host.insert(on_the_host.begin(), {"run", "mnist.yaml", "--out", "host"});
    on_the_host.insert(on_the_host.end(), {"--set", "backend=host"});
    const finished host = spinnsim(on_the_host);
    if (host.status == 2 && host.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(host.err).at(0);
    }
    ASSERT_EQ(host.status, 0) << host.err;
    singles_keys.insert(singles_keys.end(), keys.begin(), keys.end());
    run("mnist.yaml", "machine", sets(singles_keys));
    EXPECT_EQ(singles("machine"), singles("host"));
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_EQ(number("machine", "updates"), 3);
    EXPECT_EQ(number("machine", "dropped_packets"), 0);
    singles_keys[0] = "network.number_format=int16";
    run("mnist.yaml", "int16", sets(singles_keys));
    EXPECT_NEAR(number("machine", "seconds_per_epoch") / number("int16", "seconds_per_epoch"), 7.46,
                0.1);
    EXPECT_NEAR(number("machine", "seconds_per_epoch") / 288 * 1e6, 175.8, 1);
}

TEST_F(TrainingMnist, LeNet1)
{
    write_training("lenet1", "0.0009765625");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits({"mapping.kind=replica_per_core", "mapping.cores_per_chip=16"});
    expect_host_bits(
        {"mapping.kind=replica_per_core", "mapping.cores_per_chip=6", "mapping.chips=4"});
    expect_host_bits({"mapping.kind=replica_per_chip", "mapping.cores_per_image=4",
                      "mapping.cores_per_chip=16", "mapping.chips=3"});
    expect_host_bits({"mapping.kind=replica_per_chip", "mapping.cores_per_image=4",
                      "mapping.cores_per_chip=4", "mapping.chips=48"});
    expect_host_bits({"mapping.kind=replica_per_chip", "mapping.cores_per_image=2",
                      "mapping.cores_per_chip=2", "mapping.chips=1"}); /* one image in flight */
}

TEST_F(TrainingMnist, Fc128)
{
    write_training("fc128", "0.001953125");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits(
        {"mapping.kind=neuron_blocks", "mapping.cores_per_chip=16", "mapping.chips=48"});
    expect_host_bits({"mapping.kind=replica_per_chip", "mapping.cores_per_image=16",
                      "mapping.cores_per_chip=16", "mapping.chips=4"});
}

TEST_F(TrainingMnist, Fc300And100)
{
    write_training("fc300_100", "0.001953125");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits(
        {"mapping.kind=neuron_blocks", "mapping.cores_per_chip=16", "mapping.chips=48"});
}

TEST_F(TrainingMnist, LeNet1InTheOtherFormat)
{
    s1615 = true;
    write_training("lenet1", "0.0009765625");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits({"mapping.kind=replica_per_core", "mapping.cores_per_chip=16"});
    expect_host_bits({"mapping.kind=replica_per_chip", "mapping.cores_per_image=4",
                      "mapping.cores_per_chip=16", "mapping.chips=3"});
}

TEST_F(TrainingMnist, Fc128InTheOtherFormat)
{
    s1615 = true;
    batch = "epochs: 2, global_batch: 96";
    write_training("fc128", "0.001953125");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits(
        {"mapping.kind=neuron_blocks", "mapping.cores_per_chip=16", "mapping.chips=48"});
}

TEST_F(TrainingMnist, Fc16InTheOtherFormat)
{
    s1615 = true;
    write_training("fc16", "0.001953125");
    if (!run_host()) {
        GTEST_SKIP() << "MNIST is not here: " << skipped;
    }
    expect_host_bits(
        {"mapping.kind=neuron_per_core", "mapping.cores_per_chip=16", "mapping.chips=2"});
}

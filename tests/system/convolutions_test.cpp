/* convolutions_test.cpp - convolutions of any shape on the machine: the host's bits, and what they
 * cost (workloads/nn/conv2d_framed.c). */
#include "tests/system/own_network.h"

namespace
{

const char *const OUTPUT = "  - {name: output, type: dense, units: 10, activation: softmax}\n";

class Convolutions : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
        ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
    }

    /* A network with drawn parameters, and an experiment with it on a chip: NAME.yaml. */
    void network(const std::string &name, const std::string &layers, int images) const
    {
        const std::string text = "name: " + name +
                                 "\nvariant: modern\n"
                                 "input: {channels: 1, height: 28, width: 28}\n"
                                 "weights: {synthetic: " +
                                 name + ".npz}\nlayers:\n" + layers;
        write("networks/" + name + ".yaml", text);
        write_parameters(path("."), name, text);
        write(name + ".yaml", "include: [experiments/lenet1_synthetic.yaml]\nname: " + name +
                                  "\ndata: {test_images: " + std::to_string(images) +
                                  "}\nnetwork: {name: " + name +
                                  "}\nmapping: {cores_per_chip: 16}\naccept: null\n");
    }

    void run_on_host(const std::string &name) const
    {
        run(name + ".yaml", "host",
            {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null"});
    }

    /* Cycles that all cores spent on a layer. */
    double cycles(const std::string &out, const std::string &layer) const
    {
        double sum = 0;
        for (auto &row : table_rows(read(out + "/phases.csv"))) {
            sum += row["layer"] == layer ? std::stod(row["core_cycles"]) : 0;
        }
        return sum;
    }
};

/* Zeros around inputs, windows of 5, 3, 2 and 1, steps, odd rows, maps of one value. */
const struct {
    const char *name, *layers;
} NETWORKS[] = {
    {"fives", "  - {name: a, type: conv2d, maps: 3, kernel: 5, padding: 2, activation: relu}\n"
              "  - {name: b, type: max_pool2d, size: 4}\n"
              "  - {name: c, type: conv2d, maps: 4, kernel: 5, padding: 2, activation: relu}\n"
              "  - {name: d, type: max_pool2d, size: 2}\n"
              "  - {name: e, type: conv2d, maps: 5, kernel: 3, activation: relu}\n"},
    {"threes", "  - {name: a, type: conv2d, maps: 3, kernel: 3, stride: 2, padding: 1}\n"
               "  - {name: b, type: conv2d, maps: 3, kernel: 3, padding: 1, activation: relu}\n"
               "  - {name: c, type: max_pool2d, size: 2}\n"
               "  - {name: d, type: conv2d, maps: 6, kernel: 3, stride: 2, padding: 2}\n"
               "  - {name: e, type: conv2d, maps: 2, kernel: 5, padding: 2, activation: relu}\n"},
    {"others", "  - {name: a, type: conv2d, maps: 1, kernel: 5, stride: 3, padding: 1}\n"
               "  - {name: b, type: conv2d, maps: 3, kernel: 3, stride: 3, padding: 2}\n"
               "  - {name: c, type: conv2d, maps: 2, kernel: 1, activation: relu}\n"
               "  - {name: d, type: conv2d, maps: 7, kernel: 2, stride: 2, padding: 1}\n"
               "  - {name: e, type: max_pool2d, size: 2}\n"
               "  - {name: f, type: conv2d, maps: 9, kernel: 3, padding: 1, activation: relu}\n"},
};

TEST_F(Convolutions, OfAnyShapeGiveTheHostsLogitsInEachMapping)
{
    for (const auto &each : NETWORKS) {
        const std::string name = each.name;
        network(name, each.layers + std::string(OUTPUT), 20);
        run_on_host(name);
        const std::string expected = read("host/predictions.csv");
        EXPECT_EQ(lines(expected).size(), 21u);
        run(name + ".yaml", "replicas");
        EXPECT_EQ(read("replicas/predictions.csv"), expected) << name;
        run(name + ".yaml", "maps",
            {"--set", "mapping.kind=feature_maps_per_core", "--set", "mapping.cores_per_chip=9"});
        EXPECT_EQ(read("maps/predictions.csv"), expected) << name;
        EXPECT_EQ(number("maps", "numerics.saturations"), number("host", "numerics.saturations"));
        for (const char *out : {"host", "replicas", "maps"}) {
            ASSERT_EQ(run_command({"rm", "-r", path(out)}).status, 0);
        }
    }
}

/* The shape of mnist-12 of the ONNX model zoo.  Window by clipped window, conv2 took 29.3 cycles a
 * product, and a chip classified 144 images/s. */
TEST_F(Convolutions, ZerosInsideANetworkCostNoMoreThanThoseAroundTheImage)
{
    network("zeros",
            "  - {name: conv1, type: conv2d, maps: 8, kernel: 5, padding: 2, activation: relu}\n"
            "  - {name: pool1, type: max_pool2d, size: 2}\n"
            "  - {name: conv2, type: conv2d, maps: 16, kernel: 5, padding: 2, activation: relu}\n"
            "  - {name: pool2, type: max_pool2d, size: 3}\n" +
                std::string(OUTPUT),
            32);
    run_on_host("zeros");
    run("zeros.yaml", "out");
    EXPECT_EQ(read("out/predictions.csv"), read("host/predictions.csv"));
    EXPECT_GE(number("out", "images_per_second"), 1000);
    const double around = cycles("out", "conv1") / (32.0 * 8 * 28 * 28 * 25);
    const double inside = cycles("out", "conv2") / (32.0 * 16 * 14 * 14 * 8 * 25);
    EXPECT_GT(inside, 1.6);
    EXPECT_LT(inside, 1.9);
    EXPECT_GT(around, 2.2);
    EXPECT_LT(around, 2.6);
}

/* Those of Keras' examples: rows of 26 and of 13 values, windows of 3 x 3. */
TEST_F(Convolutions, WindowsOfThreeByThreeGoWordByWord)
{
    network("small",
            "  - {name: conv1, type: conv2d, maps: 8, kernel: 3, activation: relu}\n"
            "  - {name: pool1, type: max_pool2d, size: 2}\n"
            "  - {name: conv2, type: conv2d, maps: 16, kernel: 3, activation: relu}\n"
            "  - {name: pool2, type: max_pool2d, size: 2}\n" +
                std::string(OUTPUT),
            16);
    run_on_host("small");
    run("small.yaml", "out");
    EXPECT_EQ(read("out/predictions.csv"), read("host/predictions.csv"));
    const double even = cycles("out", "conv1") / (16.0 * 8 * 26 * 26 * 9);
    const double odd = cycles("out", "conv2") / (16.0 * 16 * 11 * 11 * 8 * 9);
    EXPECT_GT(even, 3);
    EXPECT_LT(even, 5);
    EXPECT_GT(odd, 1.9);
    EXPECT_LT(odd, 3.5);
}

} // namespace

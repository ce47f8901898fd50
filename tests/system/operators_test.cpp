/* operators_test.cpp - networks with operators that few have, on the machine: the host's bits in
 * every mapping, and what is refused. */
#include "tests/system/training_fixture.h"

class Operators : public TrainingTest
{
  protected:
    void SetUp() override
    {
        TrainingTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
        write("small.yaml",
              std::string(SMALL).replace(std::string(SMALL).find("one_chip"), 8, "spin5"));
    }

    /* A network of the working folder, of these layers. */
    void network(const std::string &name, const std::string &layers)
    {
        write("networks/" + name + ".yaml",
              "name: " + name +
                  "\nvariant: modern\n"
                  "input: {channels: 1, height: 28, width: 28}\n"
                  "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
                  "layers:\n" +
                  layers);
    }

    finished train_network(const std::string &name, const std::string &out, words keys) const
    {
        keys.push_back("network.name=" + name);
        return train(out, keys);
    }

    /* What is said about a training that is refused. */
    std::string refused(const words &keys) const
    {
        words command = {"run", "small.yaml"};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished said = spinnsim(command);
        EXPECT_EQ(said.status, 2) << said.err;
        return said.err;
    }

    template <typename Value>
    void expect_same(const std::vector<Value> &made, const std::vector<Value> &wanted,
                     const std::string &out)
    {
        EXPECT_EQ(made, wanted) << out;
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << out;
        for (const char *key :
             {"loss", "training_numerics.largest_sum", "training_numerics.saturations",
              "training_numerics.error_saturations", "training_numerics.overflows"}) {
            EXPECT_EQ(number(out, key), number("host", key)) << out << " " << key;
        }
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
};

namespace
{

const std::string OUT = "  - {name: out, type: dense, units: 10, activation: softmax}\n";

/* Mappings of data parallel training. */
const words PAIRS = {"mapping.cores_per_image=2", "mapping.cores_per_chip=6"};
const words ALONE = {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                     "mapping.cores_per_chip=16"};
const words CHIPS = {"mapping.chips=2"};
const words REPLICAS = {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                        "mapping.cores_per_chip=5", "mapping.chips=4"};

} // namespace

/* ---- dropout ---- */

/* Two epochs, of which each leaves others out, and a test after each, which leaves none. */
TEST_F(Operators, DropoutComesToTheHostsBitsInEveryMapping)
{
    network("drop",
            "  - {name: conv, type: conv2d, maps: 4, kernel: 5, activation: relu}\n"
            "  - {name: pool, type: max_pool2d, size: 4}\n"
            "  - {name: hidden, type: dense, units: 24, activation: relu, dropout: 0.3}\n"
            "  - {name: more, type: dense, units: 8, activation: identity, dropout: 0.1}\n" +
                OUT);
    network("none", "  - {name: conv, type: conv2d, maps: 4, kernel: 5, activation: relu}\n"
                    "  - {name: pool, type: max_pool2d, size: 4}\n"
                    "  - {name: hidden, type: dense, units: 24, activation: relu}\n"
                    "  - {name: more, type: dense, units: 8, activation: identity}\n" +
                        OUT);
    train_network("drop", "host", on_host());
    train_network("none", "without", on_host());
    EXPECT_NE(weights("host"), weights("without"));
    for (const words &mapping : {words{}, PAIRS, ALONE, CHIPS, REPLICAS}) {
        train_network("drop", "out", mapping);
        expect_same(weights("out"), weights("host"), "out");
    }
}

TEST_F(Operators, DropoutInTheOtherFormat)
{
    network("drop", "  - {name: conv, type: conv2d, maps: 4, kernel: 9, stride: 2, activation: "
                    "relu}\n"
                    "  - {name: hidden, type: dense, units: 8, activation: relu, dropout: 0.3}\n" +
                        OUT);
    const std::string format = "network.number_format=s16.15";
    words host = on_host();
    host.push_back(format);
    train_network("drop", "host", host);
    for (words mapping : {words{}, CHIPS}) {
        mapping.push_back(format);
        train_network("drop", "out", mapping);
        expect_same(weights32("out"), weights32("host"), "out");
    }
}

TEST_F(Operators, DropoutOfUnitsThatAreSpreadOverChips)
{
    network("wide",
            "  - {name: hidden, type: dense, units: 13, activation: relu, dropout: 0.4}\n" + OUT);
    words host = on_host();
    host.emplace_back("train.global_batch=24");
    train_network("wide", "host", host);
    for (const words &shape : {words{"mapping.chips=3"}, {"mapping.chips=5"}}) {
        words keys = {"mapping.kind=neuron_blocks", "mapping.cores_per_image=null",
                      "mapping.cores_per_chip=8", "train.global_batch=24"};
        keys.insert(keys.end(), shape.begin(), shape.end());
        train_network("wide", "out", keys);
        expect_same(weights("out"), weights("host"), "out");
    }
}

TEST_F(Operators, DropoutIsRefusedWhereNoProgramHasIt)
{
    network("wide",
            "  - {name: hidden, type: dense, units: 13, activation: relu, dropout: 0.4}\n" + OUT);
    const std::string neurons = refused({"network.name=wide", "mapping.kind=neuron_per_core",
                                         "mapping.cores_per_image=null", "train.shards=null"});
    EXPECT_NE(neurons.find("mapping.kind: a core to each neuron leaves no outputs out"),
              std::string::npos)
        << neurons;
    const std::string trees = refused({"network.name=wide", "train.exchange=tree"});
    EXPECT_NE(trees.find("train.exchange: the program for this network has no room for trees"),
              std::string::npos)
        << trees;
    EXPECT_NE(trees.find("use rings"), std::string::npos) << trees;
}

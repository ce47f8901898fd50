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
        std::string small = on_six_chips();
        for (const auto &[from, to] : REPLACED) {
            small.replace(small.find(from), from.size(), to);
        }
        write("small.yaml", small);
    }

    /* Half the images and half the batch: epochs of two updates, the last one with fewer images. */
    const std::vector<std::pair<std::string, std::string>> REPLACED = {
        {"train_images: 90, test_images: 20", "train_images: 45, test_images: 10"},
        {"global_batch: 48", "global_batch: 24"}};

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
const words TREES = {"mapping.chips=2", "train.exchange=tree"};
const words REPLICAS = {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                        "mapping.cores_per_chip=5", "mapping.chips=4"};

/* Zeros around inputs, tanh, sigmoid, subsampling, averages, links. */
const std::string SMOOTH =
    "  - {name: a, type: conv2d, maps: 8, kernel: 3, stride: 3, padding: 1, activation: tanh}\n"
    "  - {name: p, type: subsample2d, size: 2, maps: 16, activation: tanh}\n"
    "  - {name: b, type: conv2d, maps: 8, kernel: 3, activation: sigmoid,\n"
    "     links: [[0, 1, 2], [1, 2, 3], [7], [0, 1, 2, 3, 4, 5, 6, 7], [4], [5, 6], [0, 7], [3]]}\n"
    "  - {name: d, type: dense, units: 40, activation: tanh}\n" +
    OUT;
const std::string MIXED = "  - {name: a, type: conv2d, maps: 4, kernel: 5, activation: relu}\n"
                          "  - {name: p, type: average_pool2d, size: 2}\n"
                          "  - {name: b, type: conv2d, maps: 4, kernel: 5, activation: tanh,\n"
                          "     links: [[0, 1], [1, 3], [2], [0, 1, 2, 3]]}\n"
                          "  - {name: q, type: max_pool2d, size: 2}\n"
                          "  - {name: d, type: dense, units: 48, activation: sigmoid}\n" +
                          OUT;

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
    for (const words &mapping : {words{}, PAIRS, ALONE, CHIPS, TREES, REPLICAS}) {
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
    const std::string wide = "the machine has no program that trains network wide, which has "
                             "averages, tanh, sigmoid, links or dropout, in int16 by ";
    EXPECT_NE(neurons.find("mapping.kind: " + wide + "neuron_per_core"), std::string::npos)
        << neurons;
}

/* ---- losses ---- */

/* A network that needs no operator but the loss; epochs of two updates, a test after each. */
TEST_F(Operators, LossesComeToTheHostsBitsInEveryMapping)
{
    network("plain", "  - {name: conv, type: conv2d, maps: 8, kernel: 5, activation: relu}\n"
                     "  - {name: pool, type: max_pool2d, size: 4}\n" +
                         OUT);
    const auto with = [](words keys, const words &more) {
        keys.insert(keys.end(), more.begin(), more.end());
        return keys;
    };
    const words square = {"train.loss=square"};
    train_network("plain", "other", on_host());
    train_network("plain", "host", with(on_host(), square));
    EXPECT_NE(weights("host"), weights("other"));
    for (const words &mapping : {words{}, PAIRS, ALONE, CHIPS, TREES}) {
        train_network("plain", "out", with(mapping, square));
        expect_same(weights("out"), weights("host"), "out");
    }
    const words hinge = {"train.loss=hinge"};
    train_network("plain", "host", with(on_host(), hinge));
    for (const words &mapping : {words{}, CHIPS}) {
        train_network("plain", "out", with(mapping, hinge));
        expect_same(weights("out"), weights("host"), "out");
    }
    const words wide = {"train.loss=square", "network.number_format=s16.15"};
    train_network("plain", "host", with(on_host(), wide));
    train_network("plain", "out", with(CHIPS, wide));
    expect_same(weights32("out"), weights32("host"), "out");
    EXPECT_NE(refused({"train.loss=squares"}).find("softmax_cross_entropy"), std::string::npos);
}

/* ---- optimizers ---- */

TEST_F(Operators, RulesOfTheirOwnComeToTheHostsBits)
{
    network("plain", "  - {name: conv, type: conv2d, maps: 8, kernel: 5, activation: relu}\n"
                     "  - {name: pool, type: max_pool2d, size: 4}\n" +
                         OUT);
    /* The first steps of RMSProp are three times as long. */
    const auto with = [](words keys, const std::string &optimizer) {
        keys.insert(keys.end(), {"train.optimizer=" + optimizer,
                                 optimizer == "rmsprop" ? "train.learning_rate=0.003"
                                                        : "train.learning_rate=0.01",
                                 "train.global_batch=12", "data.train_images=48"});
        return keys;
    };
    words seen;
    for (const char *optimizer : {"adagrad", "accelegrad", "rmsprop"}) {
        train_network("plain", "host", with(on_host(), optimizer));
        EXPECT_LT(number("host", "loss"), 2.2) << optimizer << ", of ln 10 at the beginning";
        for (const words &mapping : {words{}, CHIPS, TREES}) {
            train_network("plain", "out", with(mapping, optimizer));
            expect_same(weights("out"), weights("host"), "out");
        }
        seen.push_back(read("host/predictions.csv"));
        words host = with(on_host(), optimizer);
        words machine = with({}, optimizer);
        host.emplace_back("network.number_format=s16.15");
        machine.emplace_back("network.number_format=s16.15");
        train_network("plain", "host", host);
        train_network("plain", "out", machine);
        expect_same(weights32("out"), weights32("host"), "out");
    }
    EXPECT_NE(seen[0], seen[1]);
}

/* ---- averages, tanh, sigmoid, padding, links ---- */

TEST_F(Operators, TrainingsComeToTheHostsBitsInEveryMapping)
{
    network("smooth", SMOOTH);
    network("mixed", MIXED);
    train_network("smooth", "host", on_host());
    for (const words &mapping : {words{}, ALONE, REPLICAS}) {
        train_network("smooth", "out", mapping);
        expect_same(weights("out"), weights("host"), "out");
    }
    words host = on_host(); /* the next network is too large for one core */
    host.insert(host.end(), {"train.epochs=1", "data.train_images=48"});
    train_network("mixed", "host", host);
    for (words mapping : {PAIRS, CHIPS, TREES}) {
        mapping.insert(mapping.end(), {"train.epochs=1", "data.train_images=48"});
        train_network("mixed", "out", mapping);
        expect_same(weights("out"), weights("host"), "out");
    }
}

/* Links, subsampling and scaled tanh, and 20 updates. */
TEST_F(Operators, LeNet1Of1998ComesToTheHostsBits)
{
    const auto with = [](words keys) {
        keys.insert(keys.end(), {"network.name=lenet1_1998", "network.variant=1998",
                                 "train.epochs=1", "train.global_batch=8", "data.train_images=160",
                                 "train.initializer=lecun", "train.learning_rate=0.001953125"});
        return keys;
    };
    train("host", with(on_host()));
    for (const words &mapping : {words{"mapping.cores_per_chip=8"},
                                 {"mapping.cores_per_image=16"},
                                 {"mapping.cores_per_image=2", "mapping.chips=2"}}) {
        train("out", with(mapping));
        expect_same(weights("out"), weights("host"), "out");
        EXPECT_EQ(number("out", "updates"), 20);
    }
}

/* Bitmaps with their loss, behind a subsampling that takes what its core has made, with whole maps
 * and with bands; the pool's maps are divided into fewer bands than the convolution has rows. */
TEST_F(Operators, BitmapsComeToTheHostsBits)
{
    network("bitmaps", "  - {name: a, type: conv2d, maps: 3, kernel: 5, activation: scaled_tanh}\n"
                       "  - {name: p, type: subsample2d, size: 4, activation: scaled_tanh}\n"
                       "  - {name: b, type: conv2d, maps: 8, kernel: 3, activation: scaled_tanh,\n"
                       "     links: [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2], [0]]}\n"
                       "  - {name: q, type: subsample2d, size: 2, activation: scaled_tanh}\n"
                       "  - {name: d, type: dense, units: 84, activation: scaled_tanh}\n"
                       "  - {name: out, type: rbf, units: 10}\n");
    const words keys = {"train.loss=competitive",       "train.error_fraction=5",
                        "train.learning_rate=0.000244", "train.global_batch=12",
                        "data.train_images=36",         "train.initializer=lecun"};
    words host = on_host();
    host.insert(host.end(), keys.begin(), keys.end());
    train_network("bitmaps", "host", host);
    for (words mapping : {PAIRS, words{"mapping.cores_per_image=16"}, CHIPS}) {
        mapping.insert(mapping.end(), keys.begin(), keys.end());
        train_network("bitmaps", "out", mapping);
        expect_same(weights("out"), weights("host"), "out");
        int pairs = 0;
        for (const auto &tensor : table_rows(read("out/tensors.csv"))) {
            const std::string &shape = tensor.at("shape");
            if (tensor.at("name").rfind("b.weights", 0) == 0) {
                EXPECT_EQ(shape.substr(shape.find('x')), "x3x3");
                pairs += std::stoi(shape);
            }
        }
        const bool bands = mapping[0] == "mapping.cores_per_image=16"; /* two have each map of b */
        EXPECT_EQ(pairs, bands ? 26 : 13) << "links of b over all members";
    }
    EXPECT_NE(refused({"train.loss=competitive"}).find("does not end in an rbf layer"),
              std::string::npos);
}

/* The whole networks, two updates of two images. */
TEST_F(Operators, LeNet4AndLeNet5Of1998ComeToTheHostsBits)
{
    const struct {
        words network, mapping;
    } all[] = {{{"network.name=lenet4_1998", "network.variant=reconstruction"},
                {"mapping.cores_per_image=16"}},
               {{"network.name=lenet5_1998", "network.variant=1998", "train.loss=competitive",
                 "train.error_fraction=8"},
                {"mapping.cores_per_image=17", "mapping.cores_per_chip=17", "mapping.chips=2"}}};
    for (const auto &one : all) {
        words host = on_host();
        words machine = one.mapping;
        for (words *keys : {&host, &machine}) {
            keys->insert(keys->end(), one.network.begin(), one.network.end());
            keys->insert(keys->end(),
                         {"train.epochs=1", "train.global_batch=2", "data.train_images=4",
                          "data.test_images=2", "train.learning_rate=0.0005"});
        }
        train("host", host);
        train("out", machine);
        expect_same(weights("out"), weights("host"), "out");
        EXPECT_EQ(number("out", "updates"), 2);
    }
}

TEST_F(Operators, InferenceComesToTheHostsBitsInEveryMapping)
{
    network("smooth", SMOOTH);
    network("mixed", MIXED);
    for (const std::string name : {"smooth", "mixed"}) {
        train_network(name, "trained", on_host());
        write("infer.yaml",
              "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
              "name: infer\nmode: infer\n"
              "data: {set: synthetic, test_images: 12}\n"
              "network: {name: " +
                  name + ", weights: " + path("trained/weights.npz") +
                  "}\n"
                  "mapping: {kind: replica_per_core, cores_per_chip: 3}\n"
                  "run: {simulated_time_limit: 1 s}\n");
        run("infer.yaml", "host", sets(on_host()));
        run("infer.yaml", "alone");
        run("infer.yaml", "maps",
            sets({"mapping.kind=feature_maps_per_core", "mapping.cores_per_chip=12"}));
        for (const char *out : {"alone", "maps"}) {
            EXPECT_EQ(read(std::string(out) + "/predictions.csv"), read("host/predictions.csv"))
                << name << " " << out;
            EXPECT_EQ(number(out, "dropped_packets"), 0);
        }
    }
}

TEST_F(Operators, AreRefusedWhereNoKernelHasThem)
{
    const struct {
        const char *layers, *said, *hint;
        words keys;
    } all[] = {
        {"  - {name: a, type: dense, units: 8, activation: tanh}\n",
         "s16.15",
         "int16 and float64",
         {"network.number_format=s16.15"}},
        {"  - {name: a, type: conv2d, maps: 4, kernel: 5}\n"
         "  - {name: b, type: conv2d, maps: 4, kernel: 3, padding: 1}\n",
         "s16.15",
         "int16 and float64",
         {"network.number_format=s16.15"}},
        {"  - {name: a, type: dense, units: 8, activation: tanh}\n",
         "tanh",
         "replica_per_core",
         {"mapping.kind=neuron_per_core", "mapping.cores_per_image=null"}},
        {"  - {name: a, type: dense, units: 8, activation: tanh}\n",
         "ReLU",
         "",
         {"mapping.kind=neuron_blocks", "mapping.cores_per_image=null"}},
        {"  - {name: p, type: max_pool2d, size: 2}\n", "begin with weights", "backend: host", {}},
        {"  - {name: a, type: conv2d, maps: 4, kernel: 5}\n"
         "  - {name: p, type: average_pool2d, size: 3, stride: 2}\n",
         "cannot be trained through",
         "must not overlap",
         {}},
        {"  - {name: a, type: conv2d, maps: 2, kernel: 3, links: [[0], [0]]}\n",
         "s16.15",
         "int16 and float64",
         {"network.number_format=s16.15"}},
        {"  - {name: a, type: conv2d, maps: 4, kernel: 5}\n"
         "  - {name: p, type: max_pool2d, size: 2}\n"
         "  - {name: q, type: max_pool2d, size: 2}\n",
         "cannot be trained through",
         "must follow a convolution",
         {}},
    };
    for (const auto &one : all) {
        network("wrong", one.layers + OUT);
        words keys = one.keys;
        keys.emplace_back("network.name=wrong");
        const std::string said = refused(keys);
        EXPECT_NE(said.find(one.said), std::string::npos) << said;
        EXPECT_NE(said.find(one.hint), std::string::npos) << said;
    }
}

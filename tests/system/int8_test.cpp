/* int8_test.cpp - inference in int8, made of weights of int16: the host's bits on the machine, the
 * accuracy of int16, what fits a core, and what is refused. */
#include "tests/system/program.h"

class Int8 : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static words with(const words &keys)
    {
        words options = {"--set", "network.number_format=int8"};
        for (const std::string &key : keys) {
            options.insert(options.end(), {"--set", key});
        }
        return options;
    }

    static words on_host(words keys)
    {
        keys.insert(keys.end(), {"backend=host", "mapping=null", "run=null", "accept=null"});
        return with(keys);
    }

    void refused(const std::string &file, const words &keys, const std::string &what,
                 const std::string &hint) const
    {
        words command = {"run", file};
        const words options = with(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(hint), std::string::npos) << result.err;
    }

    /* 784 - units - 10, and its weights from two updates on the host. */
    void make_network(const std::string &name, unsigned units) const
    {
        write("networks/" + name + ".yaml",
              "name: " + name +
                  "\nvariant: modern\n"
                  "input: {channels: 1, height: 28, width: 28}\n"
                  "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
                  "layers:\n"
                  "  - {name: hidden, type: dense, units: " +
                  std::to_string(units) +
                  ", activation: relu}\n"
                  "  - {name: output, type: dense, units: 10, activation: softmax}\n");
        write(name + "_train.yaml", "include: [boards/one_chip.yaml, timing/arm968.yaml, "
                                    "energy/spinnaker1.yaml]\nname: made\nmode: train\n"
                                    "backend: host\n"
                                    "data: {set: synthetic, train_images: 96, test_images: 10}\n"
                                    "network: {name: " +
                                        name +
                                        "}\n"
                                        "train: {epochs: 1, global_batch: 48}\n");
        write(name + ".yaml", "include: [boards/one_chip.yaml, timing/arm968.yaml, "
                              "energy/spinnaker1.yaml]\nname: used\nmode: infer\n"
                              "data: {set: synthetic, test_images: 20}\n"
                              "network: {name: " +
                                  name + ", weights: made_" + name +
                                  "/weights.npz}\n"
                                  "mapping: {kind: replica_per_core, cores_per_chip: 3, chips: 1}\n"
                                  "run: {simulated_time_limit: 2 s}\n");
        run(name + "_train.yaml", "made_" + name);
    }
};

TEST_F(Int8, GivesTheHostsLogitsOnAnyCores)
{
    const std::string few = "data.test_images=150";
    run(experiment("lenet1_synthetic"), "host", on_host({few}));
    const struct {
        const char *name, *cores, *chips;
    } shapes[] = {{"lenet1_synthetic", "17", "1"},
                  {"lenet1_synthetic", "2", "1"},
                  {"lenet1_board_synthetic", "5", "3"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        run(experiment(shapes[i].name), out,
            with({few, "accept=null", std::string("mapping.cores_per_chip=") + shapes[i].cores,
                  std::string("mapping.chips=") + shapes[i].chips}));
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << i;
        EXPECT_EQ(number(out, "numerics.saturations"), number("host", "numerics.saturations"));
        EXPECT_EQ(number(out, "numerics.overflows"), 0);
        EXPECT_EQ(number(out, "loss"), number("host", "loss"));
    }
    EXPECT_GE(number("host", "accuracy"), 0.98);
    for (const char *cores : {"3", "11", "17"}) {
        const std::string out = std::string("maps") + cores;
        run(experiment("lenet1_synthetic"), out,
            with({few, "accept=null", "mapping.kind=feature_maps_per_core",
                  std::string("mapping.cores_per_chip=") + cores}));
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << cores;
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "loss"), number("host", "loss"));
    }
    const std::string tensors = read("machine0/tensors.csv");
    EXPECT_NE(tensors.find("conv1.weights,int8,"), std::string::npos) << tensors;
    EXPECT_NE(tensors.find("conv1.biases,int16,"), std::string::npos) << tensors;
}

TEST_F(Int8, AllOfMnistIsClassifiedAsWellAsInInt16)
{
    const finished machine = spinnsim({"run", experiment("lenet1_inference"), "--set",
                                       "network.number_format=int8", "--out", "machine"});
    if (machine.status == 2 && machine.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(machine.err).at(0);
    }
    ASSERT_EQ(machine.status, 0) << machine.err;
    run(experiment("lenet1_inference"), "host", on_host({}));
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 10001u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_NEAR(number("machine", "accuracy"), 0.9889, 0.00005);
    EXPECT_NEAR(number("machine", "accuracy"), number("machine", "reference_accuracy"), 0.002);
}

TEST_F(Int8, Fc128LosesNothing)
{
    const std::string head =
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: fc\nbackend: host\n";
    write("train.yaml", head +
                            "mode: train\ndata: {set: mnist}\nnetwork: {name: fc128}\n"
                            "train: {epochs: 1, global_batch: 96, learning_rate: 0.001953125}\n");
    write("infer.yaml", head + "mode: infer\ndata: {set: mnist, test_images: 10000}\n"
                               "network: {name: fc128, weights: trained/weights.npz}\n");
    const finished trained = spinnsim({"run", "train.yaml", "--out", "trained"});
    if (trained.status == 2 && trained.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here: " << lines(trained.err).at(0);
    }
    ASSERT_EQ(trained.status, 0) << trained.err;
    run("infer.yaml", "int16");
    run("infer.yaml", "int8", with({}));
    EXPECT_EQ(number("int16", "accuracy"), number("trained", "accuracy"));
    EXPECT_NEAR(number("int8", "accuracy"), number("int16", "accuracy"), 0.001);
    EXPECT_NE(read("int8/predictions.csv"), read("int16/predictions.csv"));
    const words spread = {"backend=spinnaker", "run.simulated_time_limit=20 s",
                          "mapping.kind=feature_maps_per_core", "mapping.cores_per_chip=17",
                          "data.test_images=2000"};
    run("infer.yaml", "machine", with(spread));
    const std::string machine = read("machine/predictions.csv");
    EXPECT_EQ(lines(machine).size(), 2001u);
    EXPECT_EQ(machine, read("int8/predictions.csv").substr(0, machine.size()));
    EXPECT_EQ(number("machine", "dropped_packets"), 0);
    /* Three cores are enough, of int16 five. */
    words three = spread;
    three.insert(three.end(), {"mapping.cores_per_chip=3", "data.test_images=20"});
    run("infer.yaml", "three", with(three));
    three.insert(three.end(), {"mapping.cores_per_chip=4", "network.number_format=int16"});
    refused("infer.yaml", three, "does not fit a core", "");
    three.insert(three.end(), {"mapping.cores_per_chip=5"});
    run("infer.yaml", "five", with(three));
    refused("infer.yaml", {"backend=spinnaker", "data.test_images=10"}, "it needs 117",
            "it fits with mapping.kind: feature_maps_per_core");
}

/* Twice the hidden units of int16. */
TEST_F(Int8, FitsACoreUpTo63HiddenUnits)
{
    ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
    for (const auto &[name, units] : {std::pair{"most", 63u}, std::pair{"many", 64u},
                                      std::pair{"half", 32u}, std::pair{"over", 33u}}) {
        make_network(name, units);
    }
    run("most.yaml", "machine", with({}));
    run("most.yaml", "host", on_host({}));
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    refused("many.yaml", {}, "does not fit a core: it needs 66228 bytes of DTCM",
            "it fits with mapping.kind: feature_maps_per_core");
    run("half.yaml", "int16");
    const finished over = spinnsim({"run", "over.yaml"});
    EXPECT_EQ(over.status, 2);
    EXPECT_NE(over.err.find("does not fit a core"), std::string::npos) << over.err;
}

TEST_F(Int8, IsRefusedWhereItCannotBe)
{
    const std::string lenet1 = experiment("lenet1_synthetic");
    refused(lenet1, {"mode=train", "accept=null"}, "int8 is for inference", "train in int16");
    refused(lenet1, {"mapping.kind=replica_per_chip"}, "replica_per_chip is a mapping for training",
            "use replica_per_core, feature_maps_per_core");
    refused(lenet1, {"network.name=lenet1_1998", "network.variant=\"1998\""},
            "int8 has convolutions, max pooling and dense layers with ReLU only, and conv1 of",
            "int16");
}

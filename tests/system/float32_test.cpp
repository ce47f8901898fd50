/* float32_test.cpp - trainings in singles on the machine, hidden units in blocks: the host's bits
 * on any chips and cores, and what is refused. */
#include "tests/system/training_fixture.h"

#include <set>

class Float32 : public TrainingTest
{
  protected:
    void SetUp() override
    {
        TrainingTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
        write("networks/wide.yaml", network("wide", ""));
        write("networks/drops.yaml", network("drops", ", dropout: 0.25"));
        write("wide.yaml",
              "include: [boards/spin5.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
              "name: wide\n"
              "mode: train\n"
              "data: {set: synthetic, train_images: 40, test_images: 21}\n"
              "network: {name: wide, number_format: float32}\n"
              "mapping: {kind: neuron_blocks, cores_per_chip: 4, chips: 4}\n"
              "train: {epochs: 2, global_batch: 16, learning_rate: 0.0009765625}\n"
              "run: {simulated_time_limit: 2 s}\n");
    }

    static std::string network(const std::string &name, const std::string &more)
    {
        return "name: " + name +
               "\nvariant: modern\n"
               "input: {channels: 1, height: 28, width: 28}\n"
               "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
               "layers:\n"
               "  - {name: hidden, type: dense, units: 5, activation: relu" +
               more +
               "}\n"
               "  - {name: output, type: dense, units: 10, activation: softmax}\n";
    }

    finished wide(const std::string &out, const words &keys = {}) const
    {
        return run("wide.yaml", out, sets(keys));
    }

    void refused(const words &keys, const std::string &what, const std::string &hint) const
    {
        words command = {"run", "wide.yaml"};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(hint), std::string::npos) << result.err;
    }
};

TEST_F(Float32, GivesTheHostsBitsOnAnyChipsAndCores)
{
    const words shapes[] = {{"mapping.chips=1"},
                            {"mapping.chips=2", "mapping.cores_per_chip=3"},
                            {"mapping.chips=4"},
                            {"mapping.chips=5", "mapping.cores_per_chip=16"}};
    wide("host", {"backend=host", "mapping=null"});
    const std::vector<float> expected = singles("host");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        wide(out, shapes[i]);
        EXPECT_EQ(singles(out), expected) << shapes[i][0];
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << shapes[i][0];
        for (const char *key : {"accuracy", "loss", "training_numerics.largest_sum"}) {
            EXPECT_EQ(number(out, key), number("host", key)) << out << " " << key;
        }
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
    wide("int16", {"network.number_format=int16"});
    EXPECT_NEAR(number("host", "loss") / number("int16", "loss"), 1, 0.01);
}

/* Values and gradients come in another order, and no float is added to another because of it. */
TEST_F(Float32, GivesTheHostsBitsInAnyOrderOfArrival)
{
    wide("host", {"backend=host", "mapping=null"});
    std::set<double> times;
    const words delays[] = {{"link.packet=171 ns", "link.packet_north=140 ns"},
                            {"link.credit_latency=50 ns", "router.core_transit=620 ns"},
                            {"sdram.cas=9", "chip.dma_word=20 ns"},
                            {"clock.cpu=180 MHz", "router.pipeline=8", "train.pace=0.3"}};
    for (const words &delay : delays) {
        wide("late", delay);
        EXPECT_EQ(singles("late"), singles("host")) << delay[0];
        EXPECT_EQ(number("late", "dropped_packets"), 0);
        times.insert(number("late", "seconds_per_epoch"));
        ASSERT_EQ(run_command({"rm", "-r", path("late")}).status, 0);
    }
    EXPECT_EQ(times.size(), 4u) << "each run took its own way";
}

TEST_F(Float32, LearnsWithoutMomentumAndGoesOnFromItsWeights)
{
    const words descent = {"train.optimizer=sgd"};
    words host = descent;
    host.insert(host.end(), {"backend=host", "mapping=null"});
    wide("host", host);
    wide("machine", descent);
    EXPECT_EQ(singles("machine"), singles("host"));
    const std::string from = "network.weights=" + path("host/weights.npz");
    words more = descent;
    more.push_back(from);
    host.push_back(from);
    wide("more", more);
    wide("host_more", host);
    EXPECT_EQ(singles("more"), singles("host_more"));
    EXPECT_NE(singles("more"), singles("host"));
    EXPECT_LT(number("more", "loss"), number("host", "loss"));
    refused({from, "network.number_format=int16"}, "0 fractional bits, expected 13", "formats.");
}

TEST_F(Float32, LeavesTheSameOutputsOut)
{
    wide("host", {"backend=host", "mapping=null", "network.name=drops"});
    wide("machine", {"network.name=drops"});
    EXPECT_EQ(singles("machine"), singles("host"));
    wide("all", {"backend=host", "mapping=null"});
    EXPECT_NE(singles("all"), singles("host"));
}

TEST_F(Float32, MakesTheSquaredDifferencesSmall)
{
    wide("host", {"backend=host", "mapping=null", "train.loss=square"});
    wide("machine", {"train.loss=square"});
    EXPECT_EQ(singles("machine"), singles("host"));
    EXPECT_EQ(number("machine", "loss"), number("host", "loss"));
    EXPECT_LT(number("machine", "loss"), 0.5) << "what outputs of 0 would have";
    wide("other", {"backend=host", "mapping=null"});
    EXPECT_NE(singles("other"), singles("host"));
}

/* The host beside the machine: two layers after each of two epochs. */
TEST_F(Float32, IsFollowedAtNoDistance)
{
    wide("out", {"record.parameter_norms=1"});
    const words rows = lines(read("out/parameters.csv"));
    ASSERT_EQ(rows.size(), 5u);
    for (size_t i = 1; i < rows.size(); i++) {
        EXPECT_EQ(rows[i].substr(rows[i].rfind(',')), ",0") << rows[i];
    }
}

TEST_F(Float32, IsRefusedWhereItCannotBe)
{
    for (const char *kind : {"replica_per_core", "replica_per_chip", "neuron_per_core"}) {
        refused({std::string("mapping.kind=") + kind},
                std::string("mapping.kind: the machine has no program that trains network wide in "
                            "float32 by ") +
                    kind,
                "use neuron_blocks; backend: host needs no program");
    }
    refused({"train.optimizer=adam", "train.momentum=null"}, "float32 learns without adam",
            "sgd or momentum");
    refused({"train.rounding=stochastic"}, "float32 rounds to nearest", "nearest");
    refused({"record.checkpoint_every_epochs=1"}, "no checkpoints of a training in float32",
            "set it to 0");
    const finished infer =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "network.number_format=float32",
                  "--set", "network.name=fc16"});
    EXPECT_EQ(infer.status, 2);
    EXPECT_NE(infer.err.find("no program that classifies with network fc16 in float32"),
              std::string::npos)
        << infer.err;
    refused({"network.name=lenet1"}, "float32 has dense layers with ReLU only, and conv1",
            "int16 and float64 have all layers");
    refused({"train.exchange=tree"}, "by neuron_blocks with trees", "use rings");
    /* Twenty images a core; six are trained on MNIST (TrainingMnist.Fc128InSingles). */
    refused({"network.name=fc128", "train.global_batch=320", "data.train_images=320",
             "mapping.cores_per_chip=16", "mapping.chips=48"},
            "bytes of DTCM",
            "mapping.chips: 64, on a board of as many, is the least with which it fits; "
            "network.number_format: int16 takes");
}

/* s1615_test.cpp - trainings in s16.15 on the machine: the host's bits in every mapping, and what
 * is refused. */
#include "tests/system/training_fixture.h"

class S1615 : public TrainingTest
{
  protected:
    finished train32(const std::string &out, words keys) const
    {
        keys.emplace_back("network.number_format=s16.15");
        return train(out, keys);
    }

    void expect_host_bits(const std::string &out)
    {
        EXPECT_EQ(weights32(out), weights32("host")) << out;
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

TEST_F(S1615, ComesToTheHostsBitsInEveryMapping)
{
    write("small.yaml", on_six_chips());
    train32("host", on_host());
    train32("pairs", {"mapping.cores_per_image=2", "mapping.cores_per_chip=6"});
    train32("alone", {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                      "mapping.cores_per_chip=16"});
    train32("chips", {"mapping.chips=2"});
    train32("replicas", {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                         "mapping.cores_per_chip=8", "mapping.chips=2"});
    train32("trees", {"mapping.chips=3", "train.exchange=tree"});
    for (const char *out : {"pairs", "alone", "chips", "replicas", "trees"}) {
        expect_host_bits(out);
        EXPECT_EQ(number(out, "updates"), 4);
    }
    train("int16", {});
    EXPECT_LT(number("host", "loss"), 2.31) << "it learns";
    EXPECT_NEAR(number("host", "loss") / number("int16", "loss"), 1, 0.1);
}

TEST_F(S1615, GoesOnFromItsWeightsAndFromNoOthers)
{
    train32("host", on_host());
    words keys = on_host();
    keys.push_back("network.weights=" + path("host/weights.npz"));
    train32("more", keys);
    EXPECT_NE(weights32("more"), weights32("host"));
    EXPECT_LT(number("more", "loss"), number("host", "loss"));
    const finished other =
        spinnsim({"run", "small.yaml", "--set", keys[0], "--set", keys[1], "--set", keys[2]});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("15 fractional bits, expected 13"), std::string::npos) << other.err;
}

TEST_F(S1615, HasNoCheckpoints)
{
    const words keys = {"--set", "network.number_format=s16.15", "--set",
                        "record.checkpoint_every_epochs=1"};
    words command = {"run", "small.yaml"};
    command.insert(command.end(), keys.begin(), keys.end());
    const finished record = spinnsim(command);
    EXPECT_EQ(record.status, 2);
    EXPECT_NE(record.err.find("record.checkpoint_every_epochs: there are no checkpoints of a "
                              "training in s16.15"),
              std::string::npos)
        << record.err;
    const finished resume =
        spinnsim({"run", "small.yaml", "--set", "network.number_format=s16.15", "--resume", "."});
    EXPECT_EQ(resume.status, 2);
    EXPECT_NE(resume.err.find("only a training in int16 goes on"), std::string::npos) << resume.err;
}

TEST_F(S1615, IsRefusedWhereItDoesNotFit)
{
    const finished core =
        spinnsim({"run", "small.yaml", "--set", "network.number_format=s16.15", "--set",
                  "mapping.kind=replica_per_core", "--set", "mapping.cores_per_image=null", "--set",
                  "mapping.cores_per_chip=1"});
    EXPECT_EQ(core.status, 2);
    EXPECT_NE(core.err.find("bytes of DTCM"), std::string::npos) << core.err;
    EXPECT_NE(core.err.find("mapping.cores_per_chip: 5 is the least with which it fits"),
              std::string::npos)
        << core.err;
    EXPECT_NE(core.err.find("; network.number_format: int16 takes half the room"),
              std::string::npos)
        << core.err;
    /* Eighteen images a core; sixteen would fit. */
    write("blocks.yaml", "include: [boards/spin5.yaml, timing/arm968.yaml, "
                         "energy/spinnaker1.yaml]\nname: blocks\n"
                         "mode: train\ndata: {set: synthetic, train_images: 288, test_images: 1}\n"
                         "network: {name: fc128, number_format: s16.15}\n"
                         "mapping: {kind: neuron_blocks, cores_per_chip: 16, chips: 48}\n"
                         "train: {epochs: 1, global_batch: 288}\n");
    const finished blocks = spinnsim({"run", "blocks.yaml"});
    EXPECT_EQ(blocks.status, 2);
    EXPECT_NE(blocks.err.find("bytes of DTCM"), std::string::npos) << blocks.err;
    EXPECT_NE(blocks.err.find("mapping.chips: "), std::string::npos) << blocks.err;
    const finished infer =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "network.number_format=s16.15"});
    EXPECT_EQ(infer.status, 2);
    EXPECT_NE(infer.err.find("classifies with network lenet1 in s16.15"), std::string::npos)
        << infer.err;
}

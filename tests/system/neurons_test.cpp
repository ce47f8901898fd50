/* neurons_test.cpp - a core to each neuron: the host's bits on any number of chips, exactly the
 * packets that the mapping needs, none of them lost. */
#include "tests/system/training_fixture.h"

class Neurons : public TrainingTest
{
  protected:
    static constexpr uint64_t HIDDEN = 5, CLASSES = 10, EPOCHS = 2, TRAINED = 40, TESTED = 21;

    void SetUp() override
    {
        TrainingTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
        write("networks/five.yaml", network("five", "relu"));
        write("networks/cut.yaml", network("cut", "identity"));
        write("five.yaml",
              "include: [boards/spin5.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
              "name: five\n"
              "mode: train\n"
              "data: {set: synthetic, train_images: 40, test_images: 21}\n"
              "network: {name: five}\n"
              "mapping: {kind: neuron_per_core, cores_per_chip: 15, chips: 1}\n"
              "train: {epochs: 2, global_batch: 16, learning_rate: 0.0009765625}\n"
              "run: {simulated_time_limit: 2 s}\n");
    }

    /* 784 - 5 - 10. */
    static std::string network(const std::string &name, const std::string &hidden)
    {
        return "name: " + name +
               "\nvariant: modern\n"
               "input: {channels: 1, height: 28, width: 28}\n"
               "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
               "layers:\n"
               "  - {name: hidden, type: dense, units: 5, activation: " +
               hidden +
               "}\n"
               "  - {name: output, type: dense, units: 10, activation: softmax}\n";
    }

    finished five(const std::string &out, const words &keys = {}) const
    {
        return run("five.yaml", out, sets(keys));
    }

    /* Of traffic.csv: packets for a purpose that cores have sent, and that cores have got. */
    struct packets {
        uint64_t sent, got;
    };

    packets packets_for(const std::string &out, const std::string &purpose) const
    {
        packets sum = {0, 0};
        for (const std::string &row : lines(read(out + "/traffic.csv"))) {
            const std::string from = ",cores,mc," + purpose + ",";
            const size_t at = row.find(from);
            if (at != std::string::npos) {
                char *next = nullptr;
                sum.got += std::strtoull(row.c_str() + at + from.size(), &next, 10);
                sum.sent += std::strtoull(next + 1, nullptr, 10);
            }
        }
        return sum;
    }
};

TEST_F(Neurons, GiveTheHostsBitsOnAnyNumberOfChips)
{
    five("host", {"backend=host", "mapping=null"});
    const std::vector<int16_t> expected = weights("host");
    const words shapes[] = {{"mapping.chips=1"},
                            {"mapping.chips=2", "mapping.cores_per_chip=8"},
                            {"mapping.chips=3", "mapping.cores_per_chip=17"},
                            {"mapping.chips=15", "mapping.cores_per_chip=1"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        five(out, shapes[i]);
        EXPECT_EQ(weights(out), expected) << shapes[i][0];
        EXPECT_EQ(number(out, "accuracy"), number("host", "accuracy"));
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
}

TEST_F(Neurons, GiveTheHostsBitsInTheOtherFormat)
{
    const std::string format = "network.number_format=s16.15";
    five("host", {"backend=host", "mapping=null", format});
    const std::vector<int32_t> expected = weights32("host");
    const words shapes[] = {{"mapping.chips=1", format},
                            {"mapping.chips=3", "mapping.cores_per_chip=17", format}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        five(out, shapes[i]);
        EXPECT_EQ(weights32(out), expected) << shapes[i][0];
        EXPECT_EQ(number(out, "accuracy"), number("host", "accuracy"));
        EXPECT_EQ(number(out, "loss"), number("host", "loss"));
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
}

TEST_F(Neurons, SendExactlyTheirValuesLogitsAndProducts)
{
    const uint64_t trained = EPOCHS * TRAINED;
    const uint64_t tested = EPOCHS * TESTED;
    for (const char *chips : {"1", "3"}) {
        five(chips, {std::string("mapping.chips=") + chips});
        const packets forward = packets_for(chips, "forward");
        EXPECT_EQ(forward.sent, (trained + tested) * (HIDDEN + CLASSES));
        EXPECT_EQ(forward.got, (trained + tested) * (HIDDEN * CLASSES + CLASSES * (CLASSES - 1)));
        /* Every product to every hidden neuron; in a test, one packet says that an image is done.
         */
        const packets error = packets_for(chips, "error");
        EXPECT_EQ(error.sent, trained * CLASSES * HIDDEN + tested);
        EXPECT_EQ(error.got, (trained * CLASSES * HIDDEN + tested) * HIDDEN);
        for (const char *other : {"gradient", "label", "control"}) {
            EXPECT_EQ(packets_for(chips, other).sent, 0u) << other;
        }
    }
}

TEST_F(Neurons, AreRefusedWhereTheyCannotBe)
{
    const finished few = spinnsim({"run", "five.yaml", "--set", "mapping.cores_per_chip=14"});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("mapping.chips: network five has 15 neurons, 1 chips have 14 cores: 1 "
                           "short"),
              std::string::npos)
        << few.err;
    const finished machine = spinnsim({"run", "five.yaml", "--set", "mapping.cores_per_chip=18"});
    EXPECT_EQ(machine.status, 2);
    EXPECT_NE(machine.err.find("mapping.cores_per_chip"), std::string::npos) << machine.err;
    const finished board =
        spinnsim({"run", "five.yaml", "--set", "network.name=fc128", "--set", "mapping.chips=9"});
    EXPECT_EQ(board.status, 2); /* of 15 cores */
    EXPECT_NE(board.err.find("138 neurons, 9 chips have 135 cores: 3 short"), std::string::npos)
        << board.err;
    const finished trees = spinnsim({"run", "five.yaml", "--set", "train.exchange=tree"});
    EXPECT_EQ(trees.status, 2);
    EXPECT_NE(
        trees.err.find("train.exchange: the machine has no program that trains network five in "),
        std::string::npos)
        << trees.err;
    const finished shape = spinnsim({"run", "five.yaml", "--set", "network.name=cut"});
    EXPECT_EQ(shape.status, 2);
    EXPECT_NE(shape.err.find("dense layers with ReLU"), std::string::npos) << shape.err;
    const finished test =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "mapping.kind=neuron_per_core"});
    EXPECT_EQ(test.status, 2);
    EXPECT_NE(test.err.find("neuron_per_core is a mapping for training"), std::string::npos)
        << test.err;
}

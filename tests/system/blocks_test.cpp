/* blocks_test.cpp - units of hidden layers spread over chips, a batch over their cores: the host's
 * bits, on any number of chips and cores, and nothing lost on the way (mappings neuron_blocks and
 * neuron_columns). */
#include "tests/system/training_fixture.h"

#include <algorithm>

class Blocks : public TrainingTest
{
  protected:
    void SetUp() override
    {
        TrainingTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
        write("networks/wide.yaml", network("wide", {5}));
        write("networks/cut.yaml", network("cut", {5, 7}, ", activation: identity"));
        write("wide.yaml",
              "include: [boards/spin5.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
              "name: wide\n"
              "mode: train\n"
              "data: {set: synthetic, train_images: 40, test_images: 21}\n"
              "network: {name: wide}\n"
              "mapping: {kind: neuron_blocks, cores_per_chip: 4, chips: 4}\n"
              "train: {epochs: 2, global_batch: 16, learning_rate: 0.0009765625}\n"
              "run: {simulated_time_limit: 2 s}\n");
    }

    /* 784 - units - ... - 10; `last`: of the last hidden layer. */
    static std::string network(const std::string &name, const std::vector<unsigned> &units,
                               const std::string &last = ", activation: relu")
    {
        std::string text = "name: " + name +
                           "\nvariant: modern\n"
                           "input: {channels: 1, height: 28, width: 28}\n"
                           "formats: {weight_fraction: 13, activation_fraction: 11, "
                           "input_shift: 3}\nlayers:\n";
        for (size_t i = 0; i < units.size(); i++) {
            text += "  - {name: hidden" + std::to_string(i + 1) +
                    ", type: dense, units: " + std::to_string(units[i]) +
                    (i + 1 == units.size() ? last : ", activation: relu") + "}\n";
        }
        return text + "  - {name: output, type: dense, units: 10, activation: softmax}\n";
    }

    /* Trains networks/deep.yaml on the host and, by these mappings, on these chips and cores. */
    void expect_host_bits(const std::vector<unsigned> &units, const std::string &last,
                          const std::string &shape, const std::string &format,
                          const words &kinds = {"neuron_blocks", "neuron_columns"})
    {
        const words formats = {"network.name=deep", "network.number_format=" + format,
                               "train.global_batch=15"};
        words host = formats;
        host.insert(host.end(), {"backend=host", "mapping=null"});
        write("networks/deep.yaml", network("deep", units, last));
        wide("host", host);
        for (const std::string &kind : kinds) {
            const size_t comma = shape.find(',');
            words machine = formats;
            machine.insert(machine.end(),
                           {"mapping.kind=" + kind, "mapping.chips=" + shape.substr(0, comma),
                            "mapping.cores_per_chip=" + shape.substr(comma + 1)});
            wide("machine", machine);
            expect_same_bits(format, std::to_string(units.size()) + " hidden layers on " + shape +
                                         " by " + kind);
            ASSERT_EQ(run_command({"rm", "-r", path("machine")}).status, 0);
        }
        ASSERT_EQ(run_command({"rm", "-r", path("host")}).status, 0);
    }

    void expect_same_bits(const std::string &format, const std::string &what)
    {
        EXPECT_TRUE(read("machine/predictions.csv") == read("host/predictions.csv")) << what;
        EXPECT_EQ(number("machine", "loss"), number("host", "loss")) << what;
        EXPECT_EQ(number("machine", "dropped_packets"), 0) << what;
        EXPECT_EQ(number("machine", "late_interrupts"), 0) << what;
        if (format == "int16") {
            EXPECT_EQ(weights("machine"), weights("host")) << what;
        } else if (format == "s16.15") {
            EXPECT_EQ(weights32("machine"), weights32("host")) << what;
        } else {
            EXPECT_EQ(singles("machine"), singles("host")) << what;
        }
    }

    finished wide(const std::string &out, const words &keys = {}) const
    {
        return run("wide.yaml", out, sets(keys));
    }
};

TEST_F(Blocks, GiveTheHostsBitsOnAnyChipsAndCores)
{
    wide("host", {"backend=host", "mapping=null"});
    const std::vector<int16_t> expected = weights("host");
    const words shapes[] = {{"mapping.chips=1"},
                            {"mapping.chips=1", "mapping.cores_per_chip=16"},
                            {"mapping.chips=2", "mapping.cores_per_chip=3"},
                            {"mapping.chips=4"},
                            {"mapping.chips=5", "mapping.cores_per_chip=16"},
                            {"mapping.chips=1", "mapping.kind=neuron_columns"},
                            {"mapping.chips=5", "mapping.kind=neuron_columns"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        wide(out, shapes[i]);
        EXPECT_EQ(weights(out), expected) << shapes[i][0];
        EXPECT_EQ(number(out, "accuracy"), number("host", "accuracy"));
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
}

/* 61 images of 792 bytes, one copy for four chips in a square: what it takes to load them stands
 * apart, and nothing else changes. */
TEST_F(Blocks, LoadingOverEthernetStandsApart)
{
    wide("preload");
    const finished printed = wide("ethernet", {"data.input=ethernet", "data.input_rate=1 Mbit/s"});
    for (const char *out : {"preload", "ethernet"}) {
        EXPECT_EQ(text(out, "loading.input"), out);
        EXPECT_EQ(number(out, "loading.images"), 61);
        EXPECT_EQ(number(out, "loading.copies"), 4);
        EXPECT_EQ(number(out, "loading.sdram_bytes"), 4 * 61 * 792);
    }
    EXPECT_EQ(number("ethernet", "loading.ethernet_bytes"), 61 * 792);
    EXPECT_EQ(number("ethernet", "loading.router_bits"), 61 * 198 * 72 * 4);
    EXPECT_EQ(number("ethernet", "loading.seconds"), 0.386496);
    const double watts = 48 * 0.35075 + 6.2;
    EXPECT_NEAR(number("ethernet", "loading.joules.default"),
                0.386496 * watts + 61 * 198 * 72 * 4 * 25e-12 + 4 * 61 * 792 * 0.22e-9, 1e-12);
    EXPECT_NE(printed.out.find("loading         apart: 0.386496 s, "), std::string::npos)
        << printed.out;
    EXPECT_NE(printed.out.find("computed from a stated rate of 1 Mbit/s"), std::string::npos);
    for (const char *key : {"identity.stats_hash", "seconds", "seconds_train", "energy.joules",
                            "energy.dynamic_joules", "joules_per_epoch"}) {
        EXPECT_EQ(text("ethernet", key), text("preload", key)) << key;
    }
    for (const char *file : {"counters.csv", "energy.csv", "phases.csv", "learning.csv"}) {
        EXPECT_EQ(read(std::string("ethernet/") + file), read(std::string("preload/") + file));
    }
    const finished report = spinnsim({"report", "preload", "ethernet"});
    EXPECT_NE(report.out.find("| wide | preload | 61 | 4 | 0.193 | - | - | - | - |\n"
                              "| wide | ethernet | 61 | 4 | 0.193 | 0.048 | 1.000 | 0.386 | 8.9"),
              std::string::npos)
        << report.out;
}

TEST_F(Blocks, GiveTheHostsBitsInTheOtherFormat)
{
    const std::string format = "network.number_format=s16.15";
    wide("host", {"backend=host", "mapping=null", format});
    const std::vector<int32_t> expected = weights32("host");
    const words shapes[] = {{"mapping.chips=2", "mapping.cores_per_chip=3", format},
                            {"mapping.chips=4", format}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const std::string out = "machine" + std::to_string(i);
        wide(out, shapes[i]);
        EXPECT_EQ(weights32(out), expected) << shapes[i][0];
        EXPECT_EQ(number(out, "accuracy"), number("host", "accuracy"));
        EXPECT_EQ(number(out, "loss"), number("host", "loss"));
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
    }
}

/* Units that are not a multiple of anything, more of them in the middle than before, blocks of one
 * unit and of more than the sums that are made at a time have rows; cores without an image. */
TEST_F(Blocks, GiveTheHostsBitsOfStacks)
{
    const std::string relu = ", activation: relu";
    expect_host_bits({13, 9}, relu, "3,3", "int16");
    expect_host_bits({9, 67}, relu, "1,16", "int16");
    expect_host_bits({7, 5, 9}, relu, "5,16", "int16");
    expect_host_bits({5, 11, 6, 7}, relu, "2,4", "int16");
    expect_host_bits({8, 6}, relu + ", dropout: 0.3", "4,4", "int16");
    expect_host_bits({6, 7}, relu, "3,5", "s16.15");
    expect_host_bits({6, 7}, relu, "3,5", "float32", {"neuron_blocks"});
}

/* A core has 16 images: 24 KiB have no room for the values of their pixels, which are then
 * converted twice. */
TEST_F(Blocks, GiveTheHostsBitsWithPixelsThatAreConvertedTwice)
{
    const words columns = {"mapping.kind=neuron_columns", "mapping.chips=2",
                           "mapping.cores_per_chip=2", "train.global_batch=32"};
    wide("host", {"backend=host", "mapping=null", "train.global_batch=32"});
    wide("machine", columns);
    expect_same_bits("int16", "16 images of a core");
}

TEST_F(Blocks, SendNoErrorsAndNoWeights)
{
    wide("out");
    const words rows = lines(read("out/traffic.csv"));
    uint64_t sent = 0;
    for (const std::string &row : rows) {
        EXPECT_EQ(row.find(",error,"), std::string::npos) << row;
        sent += row.find(",gradient,") != std::string::npos;
    }
    EXPECT_GT(sent, 0u); /* the values that go around the rings */
    /* Ten batches (three updates and two tests an epoch): of the 20 values of four images, 10
     * words, each chip of each core's ring passes on all but the next chip's; besides there are a
     * header and signals.  The weights alone would be 3,980 values. */
    const double values = 10 * 4 * (4 * 10 - 10);
    EXPECT_GE(number("out", "packets_sent"), values);
    EXPECT_LE(number("out", "packets_sent"), values + 10 * 16 * 6);
}

/* Of each batch the sums of the logits go around, of 12 words (ten and two of padding) for each
 * image, two packets for three words, of which a chip passes on all but the next chip's; in
 * training the errors, in half as many packets.  Whatever the network's width: a hidden value never
 * leaves its chip. */
TEST_F(Blocks, ColumnsSendSumsOfLogitsAndTheirErrors)
{
    wide("out", {"mapping.kind=neuron_columns"});
    const double sums = 4 * (4 * 4 - 4) * 12 * 2 / 3.; /* of a batch: rings x images x packets */
    const double packets = 10 * sums + 6 * sums / 2;
    EXPECT_GE(number("out", "packets_sent"), packets);
    EXPECT_LE(number("out", "packets_sent"), packets + 16 * 16 * 6);
}

TEST_F(Blocks, AreRefusedWhereTheyCannotBe)
{
    const finished shape = spinnsim({"run", "wide.yaml", "--set", "network.name=cut"});
    EXPECT_EQ(shape.status, 2);
    EXPECT_NE(shape.err.find("layer hidden2 has another activation"), std::string::npos)
        << shape.err;
    const finished many = spinnsim({"run", "wide.yaml", "--set", "mapping.chips=6"});
    EXPECT_EQ(many.status, 2);
    EXPECT_NE(many.err.find("mapping.chips"), std::string::npos) << many.err;
    const finished single = spinnsim({"run", "wide.yaml", "--set", "mapping.kind=neuron_columns",
                                      "--set", "network.number_format=float32"});
    EXPECT_EQ(single.status, 2);
    EXPECT_NE(single.err.find("has no program that trains network wide in float32 by "
                              "neuron_columns\n    hint: use neuron_blocks;"),
              std::string::npos)
        << single.err;
    const finished test =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "mapping.kind=neuron_blocks"});
    EXPECT_EQ(test.status, 2);
    EXPECT_NE(test.err.find("neuron_blocks is a mapping for training"), std::string::npos)
        << test.err;
}

TEST_F(Blocks, GoOnFromACheckpointOverOtherChips)
{
    const words longer = {"train.epochs=3", "record.checkpoint_every_epochs=1"};
    words few = longer;
    few.insert(few.end(), {"mapping.chips=2", "mapping.cores_per_chip=3"});
    words host = longer;
    host.insert(host.end(), {"backend=host", "mapping=null"});
    wide("whole", longer);
    const double limit_ms =
        1e3 * (number("whole", "seconds_load") + number("whole", "seconds_test") / 3 +
               1.5 * number("whole", "seconds_per_epoch"));
    words cut = longer;
    cut.push_back("run.simulated_time_limit=" + std::to_string(limit_ms) + " ms");
    words command = {"run", "wide.yaml", "--out", "cut"};
    const words options = sets(cut);
    command.insert(command.end(), options.begin(), options.end());
    EXPECT_EQ(spinnsim(command).status, 4);
    ASSERT_TRUE(exists("cut/checkpoint.npz"));
    for (const auto &[out, keys] :
         {std::pair{"same", longer}, std::pair{"few", few}, std::pair{"host", host}}) {
        words more = sets(keys);
        more.insert(more.end(), {"--resume", "cut"});
        run("wide.yaml", out, more);
        EXPECT_EQ(weights(out), weights("whole")) << out;
        if (out == std::string("same")) { /* goes on with the whole machine */
            EXPECT_EQ(read("same/summary.json").find("resumed_after_epoch"), std::string::npos);
        } else {
            EXPECT_EQ(number(out, "resumed_after_epoch"), 1) << out;
        }
    }
}

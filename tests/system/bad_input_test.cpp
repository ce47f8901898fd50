/* bad_input_test.cpp - wrong input: exit status 2, one message with place, key and hint, nothing
 * written. */
#include "tests/system/program.h"

class BadInput : public SystemTest
{
  protected:
    /* The run is refused, all texts stand in the message, and no file appears. */
    void refused(const words &arguments, const words &texts) const
    {
        const words before = files("");
        words command = {"run"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_EQ(result.out, "");
        for (const std::string &text : texts) {
            EXPECT_NE(result.err.find(text), std::string::npos)
                << "no \"" << text << "\" in: " << result.err;
        }
        EXPECT_EQ(lines(result.err).size(), 2u) << "message and hint: " << result.err;
        EXPECT_EQ(files(""), before);
    }

    /* A whole configuration with these lines added. */
    std::string with(const std::string &text) const
    {
        write("test.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\n"
                           "name: test\n" +
                               text);
        return "test.yaml";
    }

    const std::string lenet1 =
        "mode: infer\nbackend: host\ndata: {set: synthetic, test_images: 5}\n"
        "network: {name: lenet1, variant: modern, number_format: int16}\n";
};

TEST_F(BadInput, MissingConfiguration)
{
    refused({"missing.yaml"}, {"missing.yaml", "hint:"});
}

TEST_F(BadInput, UnknownDuplicateAndUnusedKeys)
{
    refused({with("app: []\nchip: {coress: 3}\n")},
            {"test.yaml:4:8", "chip.coress", "unknown key", "did you mean \"cores\"?"});
    refused({with("app: []\nchip: {cores: 3, cores: 4}\n")}, {"test.yaml:4:", "chip.cores"});
    refused({with("app: []\ndata: {set: mnist}\n")}, {"test.yaml:4:", "data.set", "no effect"});
    refused({experiment("idle_chip"), "--set", "chip.coress=3"}, {"--set", "chip.coress"});
}

TEST_F(BadInput, MissingUnitsAndValuesOutOfRange)
{
    refused({with("app: []\nclock: {cpu: 200}\n")}, {"test.yaml:4:14", "clock.cpu", "MHz"});
    refused({with("app: []\nclock: {cpu: 200 ms}\n")}, {"test.yaml:4:14", "clock.cpu"});
    refused({with("app: []\nchip: {cores: 19}\n")}, {"test.yaml:4:15", "chip.cores", "1 to 18"});
    refused({with("app: []\ntiming: {branch_taken: 0}\n")},
            {"test.yaml:4:24", "timing.branch_taken", "1 to 64"});
    const words network = {with("data: {set: synthetic}\nnetwork: {name: lenet1}\n"), "--set",
                           "data.input=ethernet", "--set"};
    for (const auto &wrong :
         {std::make_pair("data.input_rate=0 bit/s", "1 kbit/s to 100 Mbit/s"),
          std::make_pair("data.input_rate=101 Mbit/s", "1 kbit/s to 100 Mbit/s"),
          std::make_pair("data.input_rate=8", "Mbit/s"),
          std::make_pair("backend=host", "data.input: preload")}) {
        words command = network;
        command.emplace_back(wrong.first);
        refused(command, {"--set", "data.input", wrong.second});
    }
}

TEST_F(BadInput, DataThatAreMissingTruncatedOrWrong)
{
    const std::string mnist =
        with("mode: infer\nbackend: host\ndata: {set: mnist, test_images: 5}\n"
             "network: {name: lenet1, variant: modern, number_format: int16}\n");
    refused({mnist, "--data", "nowhere"}, {"data.set", "looked in nowhere", "fetch_mnist.sh"});
    ASSERT_EQ(run_command({"mkdir", path("data")}).status, 0);
    write("data/t10k-images-idx3-ubyte",
          std::string("\0\0\x08\x03\0\0\x27\x10\0\0\0\x1c\0\0\0\x1c", 16));
    write("data/t10k-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\x27\x10", 8));
    refused({mnist, "--data", "data"}, {"t10k-images-idx3-ubyte"});
    write("data/t10k-images-idx3-ubyte", "these are no images at all, but text");
    refused({mnist, "--data", "data"}, {"t10k-images-idx3-ubyte"});
}

TEST_F(BadInput, ProgramsThatAreNotForTheArmOrDoNotFit)
{
    refused({SPINN_PROGRAM}, {"spinnsim", "ARM"});
    write("text.elf", "no program");
    refused({"text.elf"}, {"text.elf"});
    if (has_programs()) {
        refused({program("test_too_large"), "--set", "chip.dtcm=32 KiB"},
                {"test_too_large.elf", "data end at", "chip.dtcm"});
        refused({program("hello"), "--set", "chip.itcm=4 KiB", "--set", "chip.dtcm=4 KiB"},
                {"hello.elf"});
    }
}

TEST_F(BadInput, ProgramsThatAreMissing)
{
    refused({with("app:\n  - {file: gone.elf, chips: \"0,0\", cores: 1}\n")},
            {"test.yaml:4:12", "app[0].file", "gone.elf", "among the built programs in "});
    refused({with("app:\n  - {file: hello.elf, chips: \"0,0\", cores: 0}\n")},
            {"app[0].cores", "monitor"});
}

TEST_F(BadInput, NoCrossCompilerNoPrograms)
{
    ASSERT_EQ(run_command({"mkdir", path("empty")}).status, 0);
    refused({experiment("lenet1_synthetic"), "--workloads", "empty"},
            {"empty: the programs of networks are linked from parts, and there are none for int16",
             "hint: no program is there", "install gcc-arm-none-eabi"});
}

/* Who has other programs has the compiler. */
TEST_F(BadInput, OneProgramIsMissing)
{
    ASSERT_EQ(run_command({"mkdir", path("few")}).status, 0);
    ASSERT_EQ(run_command({"cp", program("hello"), path("few")}).status, 0);
    const words network = {experiment("lenet1_synthetic"), "--workloads", "few"};
    refused(network,
            {"few: the programs of networks are linked from parts, and there are none for int16\n"
             "    hint: other programs are there: build again, or name the folder that has it with "
             "--workloads\n"});
    words command = {"run"};
    command.insert(command.end(), network.begin(), network.end());
    EXPECT_EQ(spinnsim(command).err.find("gcc-arm-none-eabi"), std::string::npos);
    refused(
        {with("app: []\nrun: {reinjector: true, simulated_time_limit: 1 ms}\n"), "--workloads",
         "few"},
        {"run.reinjector: there is no program reinjector.elf in few\n    hint: other programs"});
}

TEST_F(BadInput, GraphsWithACycleAShapeErrorOrAMissingInput)
{
    ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
    const auto network = [&](const std::string &layers) {
        write("networks/net.yaml", "name: net\nvariant: modern\n"
                                   "input: {channels: 1, height: 28, width: 28}\nlayers:\n" +
                                       layers);
        return with("mode: infer\nbackend: host\ndata: {set: synthetic, test_images: 5}\n"
                    "network: {name: net, variant: modern, number_format: int16}\n");
    };
    refused({network("  - {name: a, type: dense, units: 10, from: b}\n"
                     "  - {name: b, type: dense, units: 10, from: a}\n")},
            {"networks/net.yaml:5:", "cycle", "a"});
    refused({network("  - {name: a, type: conv2d, maps: 2, kernel: 29}\n"
                     "  - {name: b, type: dense, units: 10, activation: softmax}\n")},
            {"networks/net.yaml:5:", "29"});
    refused({network("  - {name: a, type: dense, units: 10, from: c}\n")},
            {"networks/net.yaml:5:", "c"});
}

TEST_F(BadInput, WeightsThatAreMissingOrOfAnotherNetwork)
{
    refused({with(lenet1 + "  # a comment\n"), "--set", "network.weights=gone.npz"},
            {"network.weights", "gone.npz"});
    write("bad.npz", "no archive");
    refused({with(lenet1), "--set", "network.weights=bad.npz"}, {"bad.npz"});
}

TEST_F(BadInput, WhatCannotBeWrittenIsSaidBeforeTheRun)
{
    write("file", "");
    const finished result = spinnsim({"run", experiment("idle_chip"), "--out", "file"});
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find("file"), std::string::npos);
}

/* ---- trainings ---- */

TEST_F(BadInput, TrainingsThatTheBoardCannotHold)
{
    const std::string board =
        "mode: train\ndata: {set: synthetic, train_images: 90, test_images: 5}\n"
        "network: {name: lenet1}\ntrain: {global_batch: 48}\n";
    const std::string groups =
        with(board + "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16}\n");
    const struct {
        words keys, texts;
    } wrong[] = {
        {{"mapping.cores_per_image=5"},
         {"mapping.cores_per_image", "16 cores of a chip cannot be groups of 5", "multiple"}},
        {{"mapping.cores_per_chip=18"}, {"mapping.cores_per_chip", "18 of 17"}},
        {{"mapping.cores_per_chip=817"}, {"\"817\" is out of range", "from 1 to 18"}},
        {{"mapping.chips=2"}, {"mapping.chips", "more chips than the board has: 2 of 1"}},
        {{"board.width=2", "mapping.chips=2", "train.shards=47"},
         {"train.shards", "47 shards of the images cannot be dealt to 2 chips", "multiple"}},
        {{"chip.dtcm=32 KiB", "mapping.cores_per_image=2"},
         {"mapping.kind", "network lenet1 does not fit a core", "there are 32768",
          "mapping.cores_per_image: 3, mapping.cores_per_chip: 15 is the least with which it "
          "fits"}},
        {{"chip.dtcm=16 KiB"},
         {"mapping.kind", "network lenet1 does not fit a core", "there are 16384",
          "neither another mapping.cores_per_image nor another mapping helps"}},
        {{"mapping.kind=replica_per_core", "mapping.cores_per_image=null", "chip.dtcm=32 KiB"},
         {"mapping.kind", "bytes of DTCM", "there are 32768"}},
        {{"chip.itcm=16 KiB"}, {"ITCM has 16384 bytes"}},
        {{"sdram.size=16 MiB", "data.train_images=60000"}, {"sdram.size", "bytes of SDRAM"}},
        {{"mapping.kind=feature_maps_per_core", "mapping.cores_per_image=null"},
         {"mapping.kind", "only classifies", "replica_per_chip"}},
        {{"mapping.kind=neuron_blocks", "mapping.cores_per_image=null"},
         {"mapping.kind", "not dense layers with ReLU between them: layer conv1 is not dense"}},
    };
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    for (const auto &one : wrong) {
        words arguments = {groups};
        for (const std::string &key : one.keys) {
            arguments.insert(arguments.end(), {"--set", key});
        }
        refused(arguments, one.texts);
    }
}

TEST_F(BadInput, TrainingsThatMakeNoSense)
{
    const std::string config = with(
        "mode: train\nbackend: host\ndata: {set: synthetic, train_images: 90, test_images: 5}\n"
        "network: {name: lenet1}\ntrain: {global_batch: 48}\n");
    const struct {
        words keys, texts;
    } wrong[] = {
        {{"data.train_images=0"}, {"data.train_images", "nothing to train with"}},
        {{"train.epochs=0"}, {"train.epochs", "out of range", "1 to 1000"}},
        {{"train.global_batch=0"}, {"train.global_batch", "out of range"}},
        {{"train.optimizer=nadam"},
         {"train.optimizer", "sgd, momentum, adam, adagrad, accelegrad or rmsprop"}},
        {{"train.momentum=1"}, {"train.momentum", "the velocity never ends"}},
        {{"train.learning_rate=0"}, {"train.learning_rate", "nothing would be learnt"}},
        {{"train.patience=2"},
         {"train.patience", "no validation images to decide", "data.validation_images: 5000"}},
        {{"train.target_accuracy=0.9"},
         {"train.target_accuracy", "no validation images to decide",
          "data.validation_images: 5000"}},
        {{"accept={validation_accuracy: {min: 0.9}}"},
         {"accept.validation_accuracy", "no validation images to decide",
          "data.validation_images: 5000"}},
        {{"train.target_accuracy=1.1"}, {"train.target_accuracy", "out of range"}},
        {{"train.patience=2", "data.validation_images=5", "test.every_epochs=0"},
         {"train.patience", "no tests in between", "test.every_epochs: 1"}},
        {{"data.train_images=60000", "data.validation_images=5"},
         {"data.validation_images", "more than the training set has, 60000",
          "data.train_images: 59995 at most"}},
        {{"network.number_format=float64", "data.validation_images=5"},
         {"data.validation_images", "no effect"}},
        {{"train.epochs=1000", "data.train_images=60000", "train.global_batch=1"},
         {"train.epochs", "more updates than the schedule can count"}},
        {{"network.number_format=float64", "train.patience=1"}, {"train.patience", "no effect"}},
        {{"mode=infer", "train=null", "data.train_images=null", "record.checkpoint_every_epochs=1"},
         {"record.checkpoint_every_epochs", "no effect with mode: infer"}},
    };
    for (const auto &one : wrong) {
        words arguments = {config};
        for (const std::string &key : one.keys) {
            arguments.insert(arguments.end(), {"--set", key});
        }
        refused(arguments, one.texts);
    }
    refused({config, "--resume", "gone"}, {"gone/checkpoint.npz", "checkpoint_every_epochs"});
    const std::string machine =
        with("mode: train\ndata: {set: synthetic, train_images: 90, test_images: 5}\n"
             "network: {name: lenet1, number_format: float64}\n");
    if (has_programs()) {
        refused({machine}, {"network.number_format",
                            "no program that trains network lenet1 in float64", "backend: host"});
    }
}

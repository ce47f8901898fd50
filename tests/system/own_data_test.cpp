/* own_data_test.cpp - images of one's own (data.set: files): XOR, images with channels and many
 * classes, on the machine and on the host, bit for bit; and what is refused. */
#include "tests/support/image_npz.h"
#include "tests/system/training_fixture.h"

class OwnData : public SystemTest
{
  protected:
    /* Options that set these keys. */
    static words sets(const words &keys)
    {
        words options;
        for (const std::string &key : keys) {
            options.insert(options.end(), {"--set", key});
        }
        return options;
    }

    void images(const std::string &name, const image_npz &content) const
    {
        write_images(path(name), content);
    }

    /* An array of a run's weights, as bytes: in each number format. */
    std::string tensor(const std::string &out, const std::string &name) const
    {
        struct npz npz = {};
        struct diagnostic diagnostic = {};
        const std::string file = path(out + "/weights.npz");
        EXPECT_EQ(npz_open(&npz, file.c_str(), SIZE_MAX, &diagnostic), STATUS_OK)
            << diagnostic.text;
        const struct npz_array *array = npz_find(&npz, name.c_str());
        std::string bytes;
        if (array != nullptr) {
            bytes.assign(static_cast<const char *>(array->data), array->count * array->item_bytes);
        }
        npz_close(&npz);
        EXPECT_NE(bytes, "") << out << " has no " << name;
        return bytes;
    }

    void expect_equal(const std::string &a, const std::string &b, const words &layers) const
    {
        for (const std::string &layer : layers) {
            EXPECT_TRUE(tensor(a, layer + ".weights") == tensor(b, layer + ".weights"))
                << a << ", " << layer;
            EXPECT_TRUE(tensor(a, layer + ".biases") == tensor(b, layer + ".biases"))
                << a << ", " << layer;
        }
        EXPECT_EQ(read(a + "/predictions.csv"), read(b + "/predictions.csv")) << a;
    }

    /* spinnsim refuses to run it: exit status 2, the texts in its message, and nothing written. */
    void refused(const std::string &experiment, const words &keys, const words &texts) const
    {
        words command = {"run", experiment, "--out", "refused"};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << result.err;
        for (const std::string &text : texts) {
            EXPECT_NE(result.err.find(text), std::string::npos) << text << "\n" << result.err;
        }
        EXPECT_FALSE(exists("refused"));
    }
};

/* ---- XOR ---- */

struct mapping_case {
    const char *name;
    words keys; /* of the mapping */
    words formats;
};

void PrintTo(const mapping_case &row, std::ostream *stream)
{
    *stream << row.name;
}

class Xor : public OwnData, public ::testing::WithParamInterface<mapping_case>
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    void train(const std::string &out, const std::string &format, const words &keys) const
    {
        words all = {"network.number_format=" + format};
        all.insert(all.end(), keys.begin(), keys.end());
        (void)run(experiment("xor_train"), out, sets(all));
        EXPECT_EQ(number(out, "accuracy"), 1) << out;
    }
};

/* The shipped experiment accepts nothing below 100 %. */
TEST_P(Xor, IsLearntAndGivesTheHostsBits)
{
    for (const std::string &format : GetParam().formats) {
        train("host-" + format, format, {"backend=host", "mapping=null", "accept=null"});
        train("machine-" + format, format, GetParam().keys);
        expect_equal("machine-" + format, "host-" + format, {"hidden", "output"});
    }
}

const words INTEGERS = {"int16", "s16.15"};

/* Every mapping that trains dense layers. */
INSTANTIATE_TEST_SUITE_P(
    Mappings, Xor,
    ::testing::Values(
        mapping_case{"replica_per_core", {}, INTEGERS},
        mapping_case{"replica_per_chip",
                     {"mapping.kind=replica_per_chip", "mapping.cores_per_image=2"},
                     INTEGERS},
        mapping_case{"tree",
                     {"train.exchange=tree", "train.pace=0.3", "board.width=2", "mapping.chips=2"},
                     INTEGERS},
        mapping_case{"neuron_blocks",
                     {"mapping.kind=neuron_blocks", "board.width=2", "mapping.chips=2"},
                     {"int16", "s16.15", "float32"}},
        mapping_case{"neuron_columns",
                     {"mapping.kind=neuron_columns", "board.width=2", "mapping.chips=2"},
                     INTEGERS},
        mapping_case{"neuron_per_core",
                     {"mapping.kind=neuron_per_core", "mapping.cores_per_chip=10"},
                     INTEGERS},
        mapping_case{"auto", {"mapping.kind=auto", "mapping.cores_per_chip=null"}, {"int16"}}),
    [](const auto &row) { return std::string(row.param.name); });

TEST_F(OwnData, XorIsLearntInDoubles)
{
    (void)run(
        experiment("xor_train"), "doubles",
        sets({"backend=host", "mapping=null", "accept=null", "network.number_format=float64"}));
    EXPECT_EQ(number("doubles", "accuracy"), 1);
    EXPECT_EQ(text("doubles", "dataset"), "files");
}

/* int8 is made of int16, by the training images. */
TEST_F(OwnData, XorIsClassifiedInEveryMappingAndFormat)
{
    (void)run(experiment("xor_train"), "trained",
              sets({"backend=host", "mapping=null", "accept=null"}));
    for (const char *format : {"int16", "int8"}) {
        const std::string number_format = std::string("network.number_format=") + format;
        const words keys = {"mode=infer",  "train=null",
                            "test=null",   "accept.unmodelled=null",
                            number_format, "network.weights=trained/weights.npz"};
        const auto classify = [&](const std::string &out, const words &more) {
            words all = keys;
            all.insert(all.end(), more.begin(), more.end());
            (void)run(experiment("xor_train"), out + format, sets(all));
            EXPECT_EQ(number(out + format, "accuracy"), 1) << out << format;
        };
        classify("host", {"backend=host", "mapping=null", "accept=null"});
        if (!has_programs()) {
            continue;
        }
        classify("replicas", {});
        classify("maps", {"mapping.kind=feature_maps_per_core", "mapping.cores_per_chip=9"});
        const std::string expected = read(std::string("host") + format + "/predictions.csv");
        EXPECT_EQ(read(std::string("replicas") + format + "/predictions.csv"), expected);
        EXPECT_EQ(read(std::string("maps") + format + "/predictions.csv"), expected);
    }
}

/* ---- colours, and many classes ---- */

class OwnNetwork : public OwnData
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static std::string own(const std::string &more)
    {
        return "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
               "name: own\n"
               "mode: train\n"
               "data: {set: files, train: train.npz, test: test.npz}\n"
               "run: {simulated_time_limit: 5 s}\n" +
               more;
    }
};

TEST_F(OwnNetwork, LearnsColoursWithTheHostsBits)
{
    images("train.npz", drawn_images(60, 3, 16, 16, 5, 1));
    images("test.npz", drawn_images(25, 3, 16, 16, 5, 2));
    write("colours.yaml",
          "name: colours\nvariant: modern\n"
          "input: {channels: 3, height: 16, width: 16}\n"
          "formats: {weight_fraction: 12, activation_fraction: 11, input_shift: 3}\n"
          "layers:\n"
          "  - {name: conv, type: conv2d, maps: 4, kernel: 5, activation: relu}\n"
          "  - {name: pool, type: max_pool2d, size: 2}\n"
          "  - {name: output, type: dense, units: 5, activation: softmax}\n");
    write("own.yaml", own("network: {name: colours.yaml}\n"
                          "mapping: {kind: replica_per_core, cores_per_chip: 5}\n"
                          "train: {epochs: 6, global_batch: 20, learning_rate: 0.001953125}\n"));
    (void)run("own.yaml", "host", sets({"backend=host", "mapping=null"}));
    EXPECT_EQ(number("host", "accuracy"), 1);
    (void)run("own.yaml", "replicas");
    expect_equal("replicas", "host", {"conv", "output"});
    (void)run("own.yaml", "shared",
              sets({"mapping.kind=replica_per_chip", "mapping.cores_per_image=4",
                    "mapping.cores_per_chip=16"}));
    expect_equal("shared", "host", {"conv", "output"});

    const words infer = {"mode=infer", "train=null", "network.weights=host/weights.npz"};
    for (const char *format : {"int16", "int8"}) {
        words keys = infer;
        keys.push_back(std::string("network.number_format=") + format);
        words host = keys;
        host.insert(host.end(), {"backend=host", "mapping=null"});
        words maps = keys;
        maps.insert(maps.end(), {"mapping.kind=feature_maps_per_core", "mapping.cores_per_chip=5"});
        const std::string name = format;
        (void)run("own.yaml", "host-" + name, sets(host));
        (void)run("own.yaml", "replicas-" + name, sets(keys));
        (void)run("own.yaml", "maps-" + name, sets(maps));
        const std::string expected = read("host-" + name + "/predictions.csv");
        EXPECT_EQ(read("replicas-" + name + "/predictions.csv"), expected) << name;
        EXPECT_EQ(read("maps-" + name + "/predictions.csv"), expected) << name;
        EXPECT_EQ(lines(expected)[0],
                  "image,label,predicted,confidence,logit_0,logit_1,logit_2,logit_3,logit_4");
    }
}

/* Programs of networks of more than ten classes are linked from other parts. */
class OwnNetworkOfMany : public OwnNetwork
{
  protected:
    void SetUp() override
    {
        OwnNetwork::SetUp();
        if (IsSkipped()) {
            return;
        }
        write("own.yaml",
              own("network: {name: many.yaml}\n"
                  "board: {width: 2}\n"
                  "mapping: {kind: replica_per_core, cores_per_chip: 2, chips: 2}\n"
                  "train: {epochs: 1, global_batch: 16, learning_rate: 0.001953125}\n"));
    }

    /* Images of 4 x 64 pixels in so many classes, and a network for them. */
    void be_of(uint32_t classes) const
    {
        images("train.npz", drawn_images(64, 1, 4, 64, classes, 1));
        images("test.npz", drawn_images(24, 1, 4, 64, classes, 2));
        write("many.yaml", "name: many\nvariant: modern\n"
                           "input: {channels: 1, height: 4, width: 64}\n"
                           "formats: {weight_fraction: 12, activation_fraction: 11, "
                           "input_shift: 3}\nlayers:\n"
                           "  - {name: hidden, type: dense, units: 6, activation: relu}\n"
                           "  - {name: output, type: dense, activation: softmax, units: " +
                               std::to_string(classes) + "}\n");
    }
};

class ManyClasses : public OwnNetworkOfMany, public ::testing::WithParamInterface<mapping_case>
{
};

TEST_P(ManyClasses, AreLearntWithTheHostsBits)
{
    for (const std::string &format : GetParam().formats) {
        const uint32_t classes = GetParam().name == std::string("neuron_per_core") ? 11 : 256;
        be_of(classes);
        words keys = GetParam().keys;
        keys.push_back("network.number_format=" + format);
        (void)run("own.yaml", "machine-" + format, sets(keys));
        (void)run("own.yaml", "host-" + format,
                  sets({"backend=host", "mapping=null", keys.back()}));
        expect_equal("machine-" + format, "host-" + format, {"hidden", "output"});
        const std::string last = ",logit_" + std::to_string(classes - 1);
        const std::string head = lines(read("host-" + format + "/predictions.csv"))[0];
        EXPECT_EQ(head.substr(head.size() - last.size()), last);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Mappings, ManyClasses,
    ::testing::Values(mapping_case{"replica_per_core", {}, INTEGERS},
                      mapping_case{"replica_per_chip",
                                   {"mapping.kind=replica_per_chip", "mapping.cores_per_image=2"},
                                   {"int16"}},
                      mapping_case{
                          "neuron_blocks", {"mapping.kind=neuron_blocks"}, {"int16", "float32"}},
                      mapping_case{"neuron_columns", {"mapping.kind=neuron_columns"}, {"int16"}},
                      mapping_case{"neuron_per_core",
                                   {"mapping.kind=neuron_per_core", "mapping.cores_per_chip=17",
                                    "mapping.chips=1"},
                                   {"int16"}}),
    [](const auto &row) { return std::string(row.param.name); });

TEST_F(OwnNetworkOfMany, AreClassifiedWithTheHostsBits)
{
    be_of(256);
    (void)run("own.yaml", "trained", sets({"backend=host", "mapping=null"}));
    for (const std::string format : {"int16", "int8"}) {
        const words keys = {"mode=infer", "train=null", "network.weights=trained/weights.npz",
                            "network.number_format=" + format};
        words host = keys;
        host.insert(host.end(), {"backend=host", "mapping=null"});
        words maps = keys;
        maps.insert(maps.end(), {"mapping.kind=feature_maps_per_core", "mapping.chips=1",
                                 "mapping.cores_per_chip=7"});
        (void)run("own.yaml", "host-" + format, sets(host));
        (void)run("own.yaml", "replicas-" + format, sets(keys));
        (void)run("own.yaml", "maps-" + format, sets(maps));
        const std::string expected = read("host-" + format + "/predictions.csv");
        EXPECT_EQ(read("replicas-" + format + "/predictions.csv"), expected) << format;
        EXPECT_EQ(read("maps-" + format + "/predictions.csv"), expected) << format;
    }
}

/* ---- what is refused ---- */

class WrongData : public OwnData
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        images("good.npz", xor_images());
        images("wide.npz", drawn_images(4, 1, 1, 3, 2, 1));
        images("colours.npz", drawn_images(4, 3, 1, 2, 2, 1));
        images("three.npz", drawn_images(6, 1, 1, 2, 3, 1));
        write("cut.npz", read("good.npz").substr(0, 200));
        write("own.yaml",
              "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
              "name: own\nmode: train\nbackend: host\n"
              "data: {set: files, train: good.npz, test: good.npz}\n"
              "network: {name: xor}\n"
              "train: {epochs: 1, global_batch: 4}\n");
    }
};

TEST_F(WrongData, NamesTheFileAndTheArray)
{
    (void)run("own.yaml", "good");
    refused("own.yaml", {"data.train=wide.npz"},
            {"wide.npz", "x: ", "the images are 1 x 1 x 3, network xor takes 1 x 1 x 2",
             "networks/xor.yaml"});
    refused("own.yaml", {"data.test=colours.npz"},
            {"colours.npz", "the images are 3 x 1 x 2, network xor takes 1 x 1 x 2"});
    refused(
        "own.yaml", {"data.train=three.npz"},
        {"three.npz", "y: ", "label 2 of image 2: the network has 2 classes", "labels are 0 to 1"});
    refused("own.yaml", {"data.test=cut.npz"}, {"cut.npz"});
    refused("own.yaml", {"data.test=absent.npz"},
            {"data.test", "cannot find", "absent.npz", "beside own.yaml"});
    refused("own.yaml", {"data.train_images=5"},
            {"data.train_images", "5 training images are asked for", "good.npz has 4"});
    refused("own.yaml", {"data.train_images=3", "data.validation_images=2"},
            {"data.validation_images", "more than the training set has, 4"});
}

TEST_F(WrongData, NamesTheKeyThatIsMissingOrHasNoEffect)
{
    refused("own.yaml", {"data.train=null"}, {"data.train", "missing", "FILE.npz"});
    refused("own.yaml", {"data.test=null"}, {"data.test", "missing", "FILE.npz"});
    refused("own.yaml", {"data.set=synthetic"},
            {"data.train", "no effect without data.set: files"});
    refused("own.yaml", {"mode=infer", "train=null"},
            {"networks/xor.yaml", "weights", "names no weights for files", "network.weights"});
    refused("own.yaml", {"network.name=absent"}, {"network.name", "networks/absent.yaml"});
    refused("own.yaml", {"network.name=./absent.yaml"}, {"network.name", "./absent.yaml"});
}

TEST_F(WrongData, NamesTheNetworkWhoseClassesAreNone)
{
    const std::string head = "variant: modern\ninput: {channels: 1, height: 1, width: 2}\n"
                             "formats: {weight_fraction: 12, activation_fraction: 11, "
                             "input_shift: 3}\nlayers:\n  - {name: output, type: dense, "
                             "activation: softmax, units: ";
    write("one.yaml", "name: one\n" + head + "1}\n");
    write("more.yaml", "name: more\n" + head + "257}\n");
    refused("own.yaml", {"network.name=one.yaml"}, {"one.yaml", "layers", "1 output", "2 to 256"});
    refused("own.yaml", {"network.name=more.yaml"}, {"more.yaml", "layers", "256"});
}

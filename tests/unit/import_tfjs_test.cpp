/* TensorFlow.js: model.json, its shards, their types and names. */
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace
{

const std::string DENSE = sequential_of({input_of("2"), layer_of("Dense", "d", R"("units": 2)")});

/* A model of one dense layer whose manifest is given. */
std::string write_manifest(const temporary_folder &folder, const std::string &manifest,
                           const std::string &topology = DENSE)
{
    const std::string text =
        R"({"modelTopology": )" + topology + R"(, "weightsManifest": )" + manifest + "}";
    return folder.write("model.json", byte_string(text.begin(), text.end()));
}

/* The kernel and the bias, of four and two values. */
std::string weights_of(const std::string &type)
{
    return R"("weights": [{"name": "d/kernel", "shape": [2, 2], )" + type +
           R"(}, {"name": "d/bias", "shape": [2], )" + type + "}]";
}

TEST(Tfjs, ASmallNetwork)
{
    const temporary_folder folder;
    const read_model read(write_tfjs(
        folder,
        R"({"class_name": "Sequential", "keras_version": "tfjs-layers 4.22.0", "config": {"layers": [)" +
            small_layers_json() + "]}}",
        small_weights()));
    expect_small(read);
    EXPECT_STREQ(read.model.format, "TensorFlow.js, tfjs-layers 4.22.0");
}

TEST(Tfjs, TheTopologyMayStandUnderModelConfig)
{
    const temporary_folder folder;
    const read_model read(write_tfjs(
        folder,
        R"({"keras_version": "2.14.0", "model_config": {"class_name": "Sequential", "config": [)" +
            small_layers_json() + "]}}",
        small_weights()));
    expect_small(read);
    EXPECT_STREQ(read.model.format, "TensorFlow.js, Keras 2.14.0");
}

TEST(Tfjs, ShardsAreJoinedInOrder)
{
    const temporary_folder folder;
    byte_string bytes(24);
    const float values[] = {1, 2, 3, 4, 5, 6};
    memcpy(bytes.data(), values, sizeof values);
    (void)folder.write("below/a", byte_string(bytes.begin(), bytes.begin() + 7));
    (void)folder.write("b", byte_string(bytes.begin() + 7, bytes.end()));
    const read_model read(write_manifest(folder, R"([{"paths": ["below/a", "b"], )" +
                                                     weights_of(R"("dtype": "float32")") + "}]"));
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    EXPECT_EQ(read.tensor("d/kernel"), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(read.tensor("d/bias"), (std::vector<double>{5, 6}));
}

TEST(Tfjs, QuantisedWeights)
{
    const struct {
        const char *type;
        byte_string bytes;
        std::vector<double> kernel, bias;
    } rows[] = {
        {R"("dtype": "float32", "quantization": {"dtype": "uint8", "scale": 0.5, "min": -1})",
         {0, 1, 2, 255, 4, 5},
         {-1, -0.5, 0, 126.5},
         {1, 1.5}},
        {R"("dtype": "float32", "quantization": {"dtype": "uint16", "scale": 2, "min": 1})",
         {0, 0, 1, 0, 0, 1, 255, 255, 2, 0, 3, 0},
         {1, 3, 513, 131071},
         {5, 7}},
        /* 1, -2, the least and the largest of float16; 0 and half the least normal one */
        {R"("dtype": "float32", "quantization": {"dtype": "float16"})",
         {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b, 0, 0, 0x00, 0x02},
         {1, -2, 0x1p-24, 65504},
         {0, 0x1p-15}},
        {R"("dtype": "int32")",
         {1, 0, 0, 0, 255, 255, 255, 255, 0, 1, 0, 0, 0, 0, 0, 128, 2, 0, 0, 0, 3, 0, 0, 0},
         {1, -1, 256, -2147483648.0},
         {2, 3}},
    };
    for (const auto &row : rows) {
        const temporary_folder folder;
        (void)folder.write("w", row.bytes);
        const read_model read(
            write_manifest(folder, R"([{"paths": ["w"], )" + weights_of(row.type) + "}]"));
        ASSERT_EQ(read.status, STATUS_OK) << row.type << read.said();
        EXPECT_EQ(read.tensor("d/kernel"), row.kernel) << row.type;
        EXPECT_EQ(read.tensor("d/bias"), row.bias) << row.type;
    }
}

TEST(Tfjs, AQuantisedValueIsRoundedToFloat32)
{
    const temporary_folder folder;
    (void)folder.write("w", {3, 0, 0, 0, 0, 0});
    const read_model read(write_manifest(
        folder,
        R"([{"paths": ["w"], )" +
            weights_of(
                R"("dtype": "float32", "quantization": {"dtype": "uint8", "scale": 0.1, "min": 0.2})") +
            "}]"));
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    EXPECT_EQ(read.tensor("d/kernel")[0], static_cast<double>(static_cast<float>(3 * 0.1 + 0.2)));
}

TEST(Tfjs, NoShardOutsideTheFolder)
{
    const temporary_folder folder;
    const std::string outside = folder.write("w", byte_string(24));
    ASSERT_EQ(mkdir(folder.file("model").c_str(), 0777), 0);
    ASSERT_EQ(symlink("../w", folder.file("model/link").c_str()), 0);
    ASSERT_EQ(symlink("..", folder.file("model/up").c_str()), 0);
    for (const std::string &path :
         {std::string("../w"), outside, std::string("link"), std::string("up/w"),
          std::string("./../w"), std::string(""), std::string("."), std::string("w")}) {
        const std::string text = R"({"modelTopology": )" + DENSE +
                                 R"(, "weightsManifest": [{"paths": [")" + path + "\"], " +
                                 weights_of(R"("dtype": "float32")") + "}]}";
        const std::string model =
            folder.write("model/model.json", byte_string(text.begin(), text.end()));
        expect_refused(model, "\"" + path + "\"", "", "the model's folder");
    }
}

TEST(Tfjs, FilesThatAreWrong)
{
    const temporary_folder folder;
    (void)folder.write("w", byte_string(24));
    const std::string good = weights_of(R"("dtype": "float32")");
    const struct {
        std::string manifest, text, hint;
    } rows[] = {
        {R"([{"paths": [], )" + good + "}]", "d/kernel need 16 bytes, 0 are left", "cut short"},
        {R"([{"paths": ["w", "w"], )" + good + "}]", "have 48 bytes, the weights need 24",
         "of another model"},
        {R"([{"paths": [3], )" + good + "}]", "a path of weightsManifest is no text", "damaged"},
        {R"([{"paths": ["w"], )" + weights_of(R"("dtype": "string")") + "}]",
         "d/kernel are of a type that cannot be read", "float32, or quantised"},
        {R"([{"paths": ["w"], )" +
             weights_of(R"("dtype": "float32", "quantization": {"dtype": "uint4"})") + "}]",
         "d/kernel are of a type that cannot be read", "float32, or quantised"},
        {R"([{"paths": ["w"], "weights": [{"name": "kernel", "shape": [2], "dtype": "float32"}]}])",
         "a weight's name is not LAYER/PART", "damaged"},
        {R"([{"paths": ["w"], "weights": [{"name": "d/kernel", "shape": [-1], "dtype": "float32"}]}])",
         "d/kernel have no shape that can be read", "damaged"},
        {R"([{"paths": ["w"], "weights": [{"name": "d/kernel", "shape": [65536, 65536, 65536, 65536],
              "dtype": "float32"}]}])",
         "d/kernel have no shape that can be read", "damaged"},
        {"3", "no weightsManifest", "model.json of TensorFlow.js"},
    };
    for (const auto &row : rows) {
        expect_refused(write_manifest(folder, row.manifest), row.text, "", row.hint);
    }
    const std::string graph = R"({"format": "graph-model", "modelTopology": {}})";
    expect_refused(folder.write("g.json", byte_string(graph.begin(), graph.end())),
                   "a graph-model has no layers", "", "tfjs_layers_model");
    const std::string text = "{\"modelTopology\": \"\x01\"}";
    expect_refused(folder.write("t.json", byte_string(text.begin(), text.end())),
                   "the model is no JSON, line 1", "", "damaged");
    const std::string large = "{" + std::string(1 << 22, ' ') + "}";
    expect_refused(folder.write("l.json", byte_string(large.begin(), large.end())),
                   "has 4194306 bytes, at most 4194304 can be read", "", "right file");
}

} // namespace

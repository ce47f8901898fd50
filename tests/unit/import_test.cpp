/* Models of ONNX, from their bytes to layers: forms of weights, orders of values, what becomes a
 * part of layers, and what is refused. */
#include "tests/support/image_npz.h"
#include "tests/support/onnx_builder.h"

extern "C" {
#include "sim/host_backend/reference.h"
#include "sim/import/describe.h"
#include "sim/import/export.h"
#include "sim/import/import.h"
#include "sim/import/lower.h"
#include "sim/import/model.h"
#include "sim/import/onnx_write.h"
#include "sim/import/wire.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/weights.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace
{

namespace fs = std::filesystem;

/* A folder of its own, with the model and what lies beside it. */
class models : public ::testing::Test
{
  protected:
    models() : folder(fs::temp_directory_path() / ("import_test_" + std::to_string(getpid())))
    {
        fs::remove_all(folder);
        fs::create_directories(folder / "model");
    }
    ~models() override
    {
        fs::remove_all(folder);
    }

    void put(const std::string &name, const std::string &content) const
    {
        std::ofstream(folder / name, std::ios::binary) << content;
    }

    /* Reads and lowers; the sums for one image of 0, 1, 2, ..., of raw pixels. */
    std::vector<double> sums(onnx_builder &builder)
    {
        struct model model = {};
        struct lowered lowered = {};
        struct lower_pixels pixels = {};
        pixels.scale = 1;
        said = {};
        put("model/a.onnx", builder.file());
        if (!builder.outside.empty()) {
            put("model/weights.data", builder.outside);
        }
        const std::string path = folder / "model/a.onnx";
        std::vector<double> found;
        if (model_read(&model, path.c_str(), &said) == STATUS_OK &&
            lower_model(&model, &pixels, &lowered, &said) == STATUS_OK) {
            found = run(lowered);
        }
        model_deinit(&model);
        return found;
    }

    std::vector<double> run(const struct lowered &lowered)
    {
        const struct describe_formats formats = {13, 11, 1};
        struct network network = {};
        struct reference_pass pass = {};
        double *parameters = nullptr;
        std::vector<double> found;
        EXPECT_EQ(describe_parse(&lowered, &formats, "net", &network, &said), STATUS_OK)
            << said.text;
        EXPECT_EQ(describe_parameters(&lowered, &parameters, &said), STATUS_OK);
        EXPECT_EQ(reference_pass_init(&pass, &network, &said), STATUS_OK);
        std::vector<uint8_t> image(network_values(network.input));
        for (size_t i = 0; i < image.size(); i++) {
            image[i] = static_cast<uint8_t>(i);
        }
        const double *logits = reference_forward(&pass, parameters, image.data());
        found.assign(logits, logits + network.layer[network.layer_count - 1].outputs);
        layers = network.layer_count;
        reference_pass_deinit(&pass);
        network_deinit(&network);
        free(parameters);
        return found;
    }

    fs::path folder;
    struct diagnostic said = {};
    size_t layers = 0;
};

using doubles = std::vector<double>;

/* Two sums of an image of 1 x 2 x 2: pixels 0, 1, 2, 3. */
const std::vector<float> MATRIX = {1, 2, 3, 4, 5, 6, 7, 8}; /* [2][4] */

void dense(onnx_builder *builder, onnx_data how)
{
    builder->input("x", {-1, 1, 2, 2});
    builder->weights("w", {2, 4}, MATRIX, how);
    builder->weights("b", {2}, {0.5, -1}, how);
    builder->node("Flatten", {"x"}, "flat");
    builder->node("Gemm", {"flat", "w", "b"}, "y", {{"transB", {1}}});
    builder->output("y");
}

const doubles SUMS = {0.5 + 2 + 6 + 12, -1 + 6 + 14 + 24};

TEST_F(models, ReadsWeightsInEveryForm)
{
    for (const onnx_data how :
         {onnx_data::RAW, onnx_data::TYPED, onnx_data::PACKED, onnx_data::OUTSIDE}) {
        onnx_builder builder;
        dense(&builder, how);
        EXPECT_EQ(sums(builder), SUMS) << static_cast<int>(how) << said.text;
    }
}

TEST_F(models, WeightsMayBeInputsAndNodesInAnyOrder)
{
    onnx_builder builder(8);
    builder.input("x", {1, 1, 2, 2});
    builder.input("w", {4, 2});
    builder.input("shape", {2});
    builder.node("Add", {"product", "b"}, "y");
    builder.node("MatMul", {"flat", "turned"}, "product");
    builder.node("Reshape", {"w", "wide"}, "turned");
    builder.node("Reshape", {"x", "shape"}, "flat");
    builder.numbers("shape", {1, 4});
    builder.numbers("wide", {4, 2});
    builder.weights("w", {1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8});
    builder.weights("b", {1, 2}, {0.5, -1});
    builder.output("y");
    EXPECT_EQ(sums(builder), SUMS) << said.text;
    EXPECT_EQ(layers, 1u);
}

TEST_F(models, OfOpsetsUpTo22)
{
    for (const uint64_t opset : {1, 13, 22, 23}) {
        onnx_builder builder(opset);
        builder.input("x", {-1, 2});
        builder.weights("w", {2, 2}, {1, 0, 0, 2});
        builder.node("MatMul", {"x", "w"}, "y");
        builder.output("y");
        const doubles found = sums(builder);
        EXPECT_EQ(found, opset == 23 ? doubles{} : (doubles{0, 2})) << opset << said.text;
    }
    EXPECT_STREQ(said.text, "operators of opset 23; 1 to 22 can be read");
}

/* Of one image it is an order of its values, of several a mixture of images. */
TEST_F(models, ATranspositionMovesTheAxisOfOneImageOnly)
{
    for (const int64_t images : {-1, 1, 2}) {
        onnx_builder builder;
        builder.input("x", {images, 2});
        builder.node("Transpose", {"x"}, "column", {{"perm", {1, 0}}});
        builder.node("Reshape", {"column", "row"}, "y");
        builder.numbers("row", {1, 2});
        builder.output("y");
        EXPECT_EQ(sums(builder), images == 2 ? doubles{} : (doubles{0, 1})) << said.text;
    }
    EXPECT_STREQ(said.text, "operator Transpose moves the axis of 2 images");
    EXPECT_STREQ(said.hint, "export the model for one image");
}

TEST_F(models, AnOrderOfOthersGoesIntoTheDenseWeights)
{
    onnx_builder builder;
    builder.input("x", {-1, 2, 1, 2}); /* 0 1 | 2 3 by channel; by column: 0 2 1 3 */
    builder.node("Transpose", {"x"}, "last", {{"perm", {0, 2, 3, 1}}});
    builder.node("Reshape", {"last", "shape"}, "flat");
    builder.numbers("shape", {-1, 4});
    builder.weights("w", {4, 2}, {1, 0, 10, 0, 100, 0, 1000, 1});
    builder.node("MatMul", {"flat", "w"}, "y");
    builder.output("y");
    EXPECT_EQ(sums(builder), (doubles{20 + 100 + 3000, 3})) << said.text;
}

TEST_F(models, ConvolvesPoolsAndNormalises)
{
    onnx_builder builder;
    builder.input("x", {-1, 1, 4, 4});
    builder.weights("w", {1, 1, 3, 3}, {0, 0, 0, 0, 1, 0, 0, 0, 0}); /* the pixel itself */
    builder.weights("gamma", {1}, {2});
    builder.weights("beta", {1}, {-3});
    builder.weights("mean", {1}, {1});
    builder.weights("variance", {1}, {1.0f - 1e-5f});
    builder.weights("d", {2, 4}, {1, 0, 0, 0, 0, 0, 0, 1});
    builder.node("Conv", {"x", "w"}, "c", {}, {{"auto_pad", "SAME_UPPER"}});
    builder.node("BatchNormalization", {"c", "gamma", "beta", "mean", "variance"}, "n");
    builder.node("MaxPool", {"n"}, "p", {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
    builder.node("Relu", {"p"}, "r");
    builder.node("Flatten", {"r"}, "f");
    builder.node("Dropout", {"f"}, "o");
    builder.node("Gemm", {"o", "d"}, "g", {{"transB", {1}}});
    builder.node("Softmax", {"g"}, "y");
    builder.output("y");
    const doubles found = sums(builder);
    ASSERT_EQ(found.size(), 2u) << said.text;
    EXPECT_NEAR(found[0], 2 * (5 - 1) - 3, 1e-5);
    EXPECT_NEAR(found[1], 2 * (15 - 1) - 3, 1e-5);
    EXPECT_EQ(layers, 3u);
}

/* An image of 1 x 2 x 2, whose four pixels 0 to 3 are summed once for each window that sees them.
 * `pad` makes node Pad of x. */
template <typename F> void padded(onnx_builder *builder, F pad)
{
    builder->input("x", {-1, 1, 2, 2});
    builder->weights("w", {2, 1, 3, 3}, std::vector<float>(18, 1));
    pad(builder);
    builder->node("Conv", {"p", "w"}, "c");
    builder->node("GlobalMaxPool", {"c"}, "y");
    builder->output("y");
}

TEST_F(models, ZerosOfAPadBecomeTheConvolutions)
{
    onnx_builder by_attribute(2);
    padded(&by_attribute, [](onnx_builder *b) {
        b->node("Pad", {"x"}, "p", {{"pads", {0, 0, 1, 1, 0, 0, 1, 1}}}, {{"mode", "constant"}});
    });
    EXPECT_EQ(sums(by_attribute), (doubles{6, 6})) << said.text;

    onnx_builder by_input;
    padded(&by_input, [](onnx_builder *b) {
        b->numbers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
        b->weights("zero", {1}, {0});
        b->node("Pad", {"x", "pads", "zero"}, "p");
    });
    EXPECT_EQ(sums(by_input), (doubles{6, 6})) << said.text;

    onnx_builder by_axes(18);
    padded(&by_axes, [](onnx_builder *b) {
        b->numbers("pads", {1, 1, 1, 1});
        b->numbers("axes", {-1, 2});
        b->node("Pad", {"x", "pads", "", "axes"}, "p");
    });
    EXPECT_EQ(sums(by_axes), (doubles{6, 6})) << said.text;
}

/* PyTorch 1 writes one in front of each average pool. */
TEST_F(models, APadOfNothingIsNothing)
{
    onnx_builder builder;
    builder.input("x", {-1, 1, 2, 2});
    builder.numbers("pads", {0, 0, 0, 0, 0, 0, 0, 0});
    builder.weights("w", {2, 1, 1, 1}, {1, -1});
    builder.node("Conv", {"x", "w"}, "c");
    builder.node("Pad", {"c", "pads"}, "p", {}, {{"mode", "reflect"}});
    builder.node("AveragePool", {"p"}, "y", {{"kernel_shape", {2, 2}}});
    builder.output("y");
    EXPECT_EQ(sums(builder), (doubles{1.5, -1.5})) << said.text;
}

TEST_F(models, RefusesWhatNoConvolutionPads)
{
    struct refused {
        std::vector<int64_t> pads;
        const char *mode;
        float value;
        const char *text;
    };
    const refused rows[] = {
        {{0, 0, 1, 1, 0, 0, 2, 1},
         "constant",
         0,
         "operator Pad: 1 values in front of axis 2, 2 behind"},
        {{0, 0, -1, -1, 0, 0, -1, -1},
         "constant",
         0,
         "operator Pad: -1 values in front of axis 2, -1 behind"},
        {{0, 0, 1, 2, 0, 0, 1, 2}, "constant", 0, "operator Pad: 1 values around axis 2"},
        {{0, 1, 1, 1, 0, 1, 1, 1}, "constant", 0, "operator Pad: 1 values around axis 1"},
        {{1, 1}, "constant", 0, "operator Pad: 2 numbers for 4 axes"},
        {{0, 0, 1, 1, 0, 0, 1, 1}, "reflect", 0, "operator Pad with mode reflect"},
        {{0, 0, 1, 1, 0, 0, 1, 1}, "constant", 0.5, "operator Pad with values of 0.5"},
        {{0, 0, 3, 3, 0, 0, 3, 3},
         "constant",
         0,
         "operator Conv: 3 zeros on each side, with those of Pad, for windows of 3"},
    };
    for (const refused &row : rows) {
        onnx_builder builder;
        padded(&builder, [&](onnx_builder *b) {
            b->numbers("pads", row.pads);
            b->weights("value", {1}, {row.value});
            b->node("Pad", {"x", "pads", "value"}, "p", {}, {{"mode", row.mode}});
        });
        EXPECT_TRUE(sums(builder).empty()) << row.text;
        EXPECT_STREQ(said.text, row.text);
    }
    for (const std::string next : {"MaxPool", "Shape", "the end"}) {
        onnx_builder builder;
        builder.input("x", {-1, 1, 2, 2});
        builder.numbers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
        builder.node("Pad", {"x", "pads"}, next == "the end" ? "y" : "p");
        if (next != "the end") {
            builder.node(next, {"p"}, "y", {{"kernel_shape", {2, 2}}});
        }
        builder.output("y");
        EXPECT_TRUE(sums(builder).empty()) << next;
        EXPECT_EQ(said.text, next + " behind operator Pad: only a convolution takes its zeros");
    }
}

TEST_F(models, EndsInAnIdentityWhereNoDenseLayerIs)
{
    onnx_builder builder;
    builder.input("x", {-1, 1, 2, 2});
    builder.weights("w", {2, 1, 1, 1}, {1, -1});
    builder.node("Conv", {"x", "w"}, "c");
    builder.node("GlobalAveragePool", {"c"}, "p");
    builder.node("Flatten", {"p"}, "y");
    builder.output("y");
    EXPECT_EQ(sums(builder), (doubles{1.5, -1.5})) << said.text;
    EXPECT_EQ(layers, 3u);
}

TEST_F(models, OneSigmoidIsTwoClasses)
{
    onnx_builder builder;
    builder.input("x", {-1, 4});
    builder.weights("w", {4, 1}, {1, 1, 1, 1});
    builder.node("Gemm", {"x", "w"}, "g");
    builder.node("Sigmoid", {"g"}, "y");
    builder.output("y");
    EXPECT_EQ(sums(builder), (doubles{0, 6})) << said.text;
}

TEST_F(models, ExportedNetworksComeBackWithTheSameBits)
{
    for (const std::string name : {"lenet1_mnist.npz", "lenet1_synthetic.npz"}) {
        const std::string networks = SPINN_CONFIGS_FOLDER "/networks/";
        const std::string path = folder / "model/a.onnx";
        const struct describe_formats formats = {13, 11, 1};
        struct network network = {};
        struct network back = {};
        struct nn_table *table = nullptr;
        struct weights weights = {};
        struct weights rounded = {};
        struct model model = {};
        struct lowered lowered = {};
        struct lower_pixels pixels = {};
        double *parameters = nullptr;
        ASSERT_EQ(network_load((networks + "lenet1.yaml").c_str(), &network, &said), STATUS_OK);
        ASSERT_EQ(layer_table_make(&network, &table, &said), STATUS_OK);
        ASSERT_EQ(weights_read(&weights, (networks + name).c_str(), &network, table, &said),
                  STATUS_OK);
        ASSERT_EQ(onnx_write(&network, table, &weights, path.c_str(), &said), STATUS_OK);
        ASSERT_EQ(model_read(&model, path.c_str(), &said), STATUS_OK) << said.text;
        EXPECT_EQ(model.input_scale, 1.0 / 256);
        pixels.scale = model.input_scale;
        ASSERT_EQ(lower_model(&model, &pixels, &lowered, &said), STATUS_OK) << said.text;
        ASSERT_EQ(describe_parse(&lowered, &formats, "lenet1", &back, &said), STATUS_OK);
        ASSERT_EQ(describe_parameters(&lowered, &parameters, &said), STATUS_OK);
        ASSERT_EQ(weights_round(&rounded, &back, table, parameters, &said), STATUS_OK);
        EXPECT_EQ(memcmp(rounded.block, weights.block, weights_block_bytes(&network, table)), 0);
        free(parameters);
        model_deinit(&model);
        weights_deinit(&rounded);
        weights_deinit(&weights);
        free(table);
        network_deinit(&back);
        network_deinit(&network);
    }
}

/* A relative name of images holds in this folder, those of an experiment beside it. */
TEST_F(models, ExperimentsFindTheImagesThatTheyWereImportedWith)
{
    onnx_builder builder;
    builder.input("x", {-1, 1, 2, 2});
    builder.weights("w", {4, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
    builder.node("Flatten", {"x"}, "f");
    builder.node("MatMul", {"f", "w"}, "y");
    builder.output("y");
    put("model/a.onnx", builder.file());
    write_images(folder / "a, b.npz", {{2, 2, 2}, {255, 0, 0, 0, 0, 255, 0, 0}, {0, 1}});
    const fs::path before = fs::current_path();
    struct lower_pixels pixels = {};
    pixels.scale = 1;
    struct import_request request = {};
    request.model = "model/a.onnx";
    request.data = "a, b.npz";
    request.pixels = &pixels;
    request.threads = 1;
    request.command = "spinnsim import";
    fs::current_path(folder);
    FILE *report = std::fopen("report", "w");
    for (const char *out : {"own.yaml", "sub/own.yaml"}) {
        request.out = out;
        EXPECT_EQ(import_model(&request, report, &said), STATUS_OK) << said.text;
    }
    (void)std::fclose(report);
    fs::current_path(before);
    const auto line = [this](const char *name) {
        std::ifstream file(folder / name);
        std::string found;
        while (std::getline(file, found) && found.rfind("data: ", 0) != 0) {
        }
        return found;
    };
    EXPECT_EQ(line("own.yaml"), "data: {set: files, test: \"a, b.npz\", test_images: 2}");
    EXPECT_EQ(line("sub/own.yaml"), "data: {set: files, test: \"" +
                                        (fs::canonical(folder) / "a, b.npz").string() +
                                        "\", test_images: 2}");
}

/* A user's network lies beside the experiment, and not in the result folder. */
TEST_F(models, ExportsResultsInTheFolderOfTheirExperiment)
{
    const std::string configs = SPINN_CONFIGS_FOLDER;
    const fs::path before = fs::current_path();
    struct exported exported = {};
    fs::create_directories(folder / "networks");
    fs::create_directories(folder / "result");
    fs::copy_file(configs + "/networks/lenet1.yaml", folder / "networks/own.yaml");
    fs::copy_file(configs + "/networks/lenet1_mnist.npz", folder / "networks/own.npz");
    put("result/config.yaml",
        "include: [boards/one_chip.yaml]\nname: own\nmode: infer\n"
        "data: {set: mnist, test_images: 1}\n"
        "network: {name: own, number_format: int16, weights: networks/own.npz}\n"
        "mapping: {kind: replica_per_core, cores_per_chip: 1}\n");
    const std::string result = folder / "result";
    EXPECT_EQ(export_load(&exported, result.c_str(), configs.c_str(), &said), STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "cannot find networks/own.yaml of these results");
    EXPECT_STREQ(said.key, "network.name");
    EXPECT_STREQ(said.hint, "run spinnsim export in the folder of the experiment, which has it");
    fs::current_path(folder);
    EXPECT_EQ(export_load(&exported, "result", configs.c_str(), &said), STATUS_OK) << said.text;
    fs::current_path(before);
    EXPECT_NE(exported.weights.block, nullptr);
    EXPECT_EQ(exported.network.layer_count, 5u);
    export_deinit(&exported);
}

TEST_F(models, RefusesWithNodeOperatorAndHint)
{
    onnx_builder lstm;
    lstm.input("x", {-1, 4});
    lstm.node("LSTM", {"x"}, "y");
    lstm.output("y");
    EXPECT_TRUE(sums(lstm).empty());
    EXPECT_STREQ(said.text, "operator LSTM is not supported");
    EXPECT_STREQ(said.key, "LSTM of y");
    EXPECT_NE(said.hint[0], '\0');

    onnx_builder joined;
    joined.input("x", {-1, 4});
    joined.node("Add", {"x", "x"}, "y");
    joined.output("y");
    EXPECT_TRUE(sums(joined).empty());
    EXPECT_NE(strstr(said.text, "joins branches"), nullptr) << said.text;

    onnx_builder foreign;
    foreign.domain = "com.microsoft";
    foreign.input("x", {-1, 4});
    foreign.node("FusedConv", {"x"}, "y");
    foreign.output("y");
    EXPECT_TRUE(sums(foreign).empty());
    EXPECT_STREQ(said.text, "operator FusedConv of domain com.microsoft");

    onnx_builder circle;
    circle.input("x", {-1, 4});
    circle.node("Relu", {"b"}, "a");
    circle.node("Relu", {"a"}, "b");
    circle.output("b");
    EXPECT_TRUE(sums(circle).empty());
    EXPECT_NE(strstr(said.text, "a cycle through value"), nullptr) << said.text;
}

TEST_F(models, AMeanCannotPassThroughPadding)
{
    for (const int64_t padding : {0, 1}) {
        onnx_builder builder;
        builder.input("x", {-1, 1, 3, 3});
        builder.weights("m", {1}, {0.5});
        builder.weights("w", {2, 1, 3, 3}, std::vector<float>(18, 1));
        builder.node("Sub", {"x", "m"}, "s");
        builder.node("Conv", {"s", "w"}, "c", {{"pads", {padding, padding, padding, padding}}});
        builder.node("GlobalMaxPool", {"c"}, "y");
        builder.output("y");
        const doubles found = sums(builder);
        if (padding == 0) {
            EXPECT_EQ(found, (doubles{36 - 4.5, 36 - 4.5})) << said.text;
        } else {
            EXPECT_TRUE(found.empty());
            EXPECT_NE(strstr(said.text, "a mean of 0.5 cannot pass through padding"), nullptr)
                << said.text;
        }
    }
}

TEST_F(models, WeightsOutsideStayInTheModelsFolder)
{
    put("secret", std::string(64, '\0'));
    fs::create_symlink(folder / "secret", folder / "model/link");
    fs::create_directory_symlink(folder, folder / "model/up");
    for (const std::string &location :
         std::vector<std::string>{"../secret", (folder / "secret").string(), "link", "up/secret",
                                  "./x", "a//b", "", "absent"}) {
        onnx_builder builder;
        builder.location = location;
        dense(&builder, onnx_data::OUTSIDE);
        EXPECT_TRUE(sums(builder).empty()) << location;
        EXPECT_NE(strstr(said.text, "weights in the file"), nullptr) << location << said.text;
    }
}

TEST_F(models, ACutFileIsRefusedAtEachByte)
{
    onnx_builder builder;
    dense(&builder, onnx_data::RAW);
    const std::string whole = builder.file();
    const std::string path = folder / "model/a.onnx";
    for (size_t size = 0; size < whole.size(); size++) {
        struct model model = {};
        put("model/a.onnx", whole.substr(0, size));
        const enum status status = model_read(&model, path.c_str(), &said);
        EXPECT_TRUE(status == STATUS_CONFIGURATION || size + 4 >= whole.size()) << size;
        model_deinit(&model);
    }
}

TEST(Wire, RefusesVarintsWithoutEnd)
{
    const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x80};
    struct wire_span span = {longest, longest + 10};
    uint64_t value;
    EXPECT_TRUE(wire_varint(&span, &value));
    EXPECT_EQ(value, UINT64_MAX);
    span = {longest, longest + 9};
    EXPECT_FALSE(wire_varint(&span, &value));
    span = {longest + 10, longest + 11};
    EXPECT_FALSE(wire_varint(&span, &value));
}

TEST(Wire, RefusesFieldsBeyondTheEndAndGroups)
{
    const uint8_t beyond[] = {0x0a, 0x03, 'a', 'b'};
    const uint8_t group[] = {0x0b, 0x0c};
    const uint8_t nought[] = {0x02, 0x00};
    struct wire_field field;
    for (const auto &[bytes, size] : {std::pair{beyond, size_t{4}}, {group, 2}, {nought, 2}}) {
        struct wire_span span = {bytes, bytes + size};
        EXPECT_EQ(wire_next(&span, &field), WIRE_BROKEN);
        EXPECT_EQ(span.at, bytes);
    }
}

} // namespace

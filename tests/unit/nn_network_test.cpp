/* Network files that are wrong: what is said, and where exactly. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

namespace
{

/* Refused at line:column with that key; text and hint contain these. */
struct wrong {
    const char *what;
    std::string yaml;
    int line, column;
    const char *key, *text, *hint;
};

void expect_refused(const wrong &w)
{
    struct network network;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(network_parse("net.yaml", w.yaml.data(), w.yaml.size(), &network, &diagnostic),
              STATUS_CONFIGURATION)
        << w.what;
    EXPECT_STREQ(diagnostic.file, "net.yaml") << w.what;
    EXPECT_EQ(std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column),
              std::to_string(w.line) + ":" + std::to_string(w.column))
        << w.what << ": " << said(diagnostic);
    EXPECT_STREQ(diagnostic.key, w.key) << w.what;
    EXPECT_TRUE(contains(diagnostic.text, w.text)) << w.what << ": " << said(diagnostic);
    EXPECT_TRUE(contains(diagnostic.hint, w.hint)) << w.what << ": " << said(diagnostic);
    EXPECT_EQ(network.layer_count, 0u) << w.what << ": not empty";
    EXPECT_EQ(network.name, nullptr) << w.what << ": not empty";
    network_deinit(&network);
}

const std::string HEAD = "name: net\n"
                         "variant: modern\n"
                         "input: {channels: 1, height: 28, width: 28}\n";
const std::string LAYERS = HEAD + "layers:\n";
const std::string OUTPUT = "  - {name: out, type: dense, units: 10, activation: softmax}\n";

TEST(NetworkFile, ALayerMissesSomethingOrHasTooMuch)
{
    const std::vector<wrong> all = {
        {"unknown type", LAYERS + "  - {name: a, type: conv3d, maps: 2, kernel: 3}\n" + OUTPUT, 5,
         21, "layers[0].type", "conv3d",
         "did you mean \"conv2d\"? choices: conv2d, max_pool2d, average_pool2d, subsample2d, "
         "dense or rbf"},
        {"no type", LAYERS + "  - {name: a, maps: 2, kernel: 3}\n" + OUTPUT, 5, 5, "layers[0]",
         "type is missing", ""},
        {"no name", LAYERS + "  - {type: dense, units: 4}\n" + OUTPUT, 5, 5, "layers[0]",
         "name is missing", ""},
        {"no kernel", LAYERS + "  - {name: a, type: conv2d, maps: 2}\n" + OUTPUT, 5, 5, "layers[0]",
         "kernel is missing", "give kernel: 1 to 64"},
        {"no units", LAYERS + OUTPUT + "  - {name: a, type: dense}\n", 6, 5, "layers[1]",
         "units is missing", "give units"},
        {"misspelt key", LAYERS + "  - {name: a, type: conv2d, maps: 2, kernal: 3}\n" + OUTPUT, 5,
         38, "layers[0].kernal", "unknown key", "kernel"},
        {"a key of another type of layer",
         LAYERS + "  - {name: a, type: max_pool2d, size: 2, units: 3}\n" + OUTPUT, 5, 42,
         "layers[0].units", "unknown key", ""},
        {"activation of pooling",
         LAYERS + "  - {name: a, type: max_pool2d, size: 2, activation: relu}\n" + OUTPUT, 5, 42,
         "layers[0].activation", "unknown key", ""},
        {"unknown activation",
         LAYERS + "  - {name: a, type: dense, units: 4, activation: cosh}\n" + OUTPUT, 5, 50,
         "layers[0].activation", "cosh", "identity, relu, tanh, sigmoid, scaled_tanh or softmax"},
        {"units of subsampling",
         LAYERS + "  - {name: a, type: subsample2d, size: 2, units: 4}\n" + OUTPUT, 5, 43,
         "layers[0].units", "unknown key", ""},
        {"maps of subsampling",
         LAYERS +
             "  - {name: a, type: conv2d, maps: 4, kernel: 3}\n"
             "  - {name: s, type: subsample2d, size: 2, maps: 6}\n" +
             OUTPUT,
         6, 5, "s", "6 maps cannot come from 4 evenly", "a multiple of 4"},
        {"padding of a pool",
         LAYERS + "  - {name: a, type: average_pool2d, size: 2, padding: 1}\n" + OUTPUT, 5, 46,
         "layers[0].padding", "unknown key", ""},
        {"padding as wide as the window",
         LAYERS + "  - {name: a, type: conv2d, maps: 4, kernel: 3, padding: 3}\n" + OUTPUT, 5, 58,
         "layers[0].padding", "out of range", "0 to 2"},
        {"padding that is no number",
         LAYERS + "  - {name: a, type: conv2d, maps: 4, kernel: 3, padding: full}\n" + OUTPUT, 5,
         58, "layers[0].padding", "full", ""},
        {"same of an even window",
         LAYERS + "  - {name: a, type: conv2d, maps: 4, kernel: 4, padding: same}\n" + OUTPUT, 5,
         58, "layers[0].padding", "same does not go with a window of 4 and a stride of 1",
         "an odd kernel and stride 1"},
        {"same with a stride",
         LAYERS + "  - {name: a, type: conv2d, maps: 4, kernel: 3, stride: 2, padding: same}\n" +
             OUTPUT,
         5, 69, "layers[0].padding", "same does not go with a window of 3 and a stride of 2", ""},
        {"dropout behind tanh",
         LAYERS + "  - {name: a, type: dense, units: 4, activation: tanh, dropout: 0.2}\n" + OUTPUT,
         5, 65, "layers[0].dropout", "dropout does not go with tanh", "use relu"},
        {"dropout behind sigmoid",
         LAYERS + "  - {name: a, type: dense, units: 4, activation: sigmoid, dropout: 0.2}\n" +
             OUTPUT,
         5, 68, "layers[0].dropout", "dropout does not go with sigmoid", "use relu"},
        {"bitmaps of another size",
         LAYERS + "  - {name: a, type: dense, units: 80, activation: scaled_tanh}\n"
                  "  - {name: o, type: rbf, units: 10}\n",
         6, 5, "o", "it has 80 inputs", "84 units before it"},
        {"bitmaps behind ReLU",
         LAYERS + "  - {name: a, type: dense, units: 84, activation: relu}\n"
                  "  - {name: o, type: rbf, units: 10}\n",
         6, 5, "o", "no bounded activation", "scaled_tanh"},
        {"more bitmaps than digits", LAYERS + "  - {name: o, type: rbf, units: 11}\n", 5, 33,
         "layers[0].units", "out of range", "1 to 10"},
        {"bitmaps within a network",
         LAYERS +
             "  - {name: a, type: dense, units: 84, activation: tanh}\n"
             "  - {name: o, type: rbf, units: 10}\n" +
             OUTPUT,
         6, 5, "o", "rbf is a last layer", ""},
        {"a name with a space", LAYERS + "  - {name: a b, type: dense, units: 4}\n" + OUTPUT, 5, 12,
         "layers[0].name", "is not a name", "made of a-z, 0-9"},
        {"a name too long",
         LAYERS + "  - {name: abcdefghijklmnop, type: dense, units: 4}\n" + OUTPUT, 5, 12,
         "layers[0].name", "a name of 16 characters", "from 1 to 15"},
    };
    for (const wrong &w : all) {
        expect_refused(w);
    }
}

TEST(NetworkFile, ValuesOfTheWrongTypeOrOutOfRange)
{
    const std::vector<wrong> all = {
        {"text for a number",
         LAYERS + "  - {name: a, type: conv2d, maps: two, kernel: 3}\n" + OUTPUT, 5, 35,
         "layers[0].maps", "not a whole number", "1 to 4096"},
        {"a fraction", LAYERS + "  - {name: a, type: conv2d, maps: 2.5, kernel: 3}\n" + OUTPUT, 5,
         35, "layers[0].maps", "not a whole number", ""},
        {"zero", LAYERS + "  - {name: a, type: conv2d, maps: 0, kernel: 3}\n" + OUTPUT, 5, 35,
         "layers[0].maps", "out of range", ""},
        {"too many", LAYERS + "  - {name: a, type: dense, units: 4097}\n" + OUTPUT, 5, 35,
         "layers[0].units", "out of range", ""},
        {"as much left out as kept",
         LAYERS + "  - {name: a, type: dense, units: 4, dropout: 0.5}\n" + OUTPUT, 5, 47,
         "layers[0].dropout", "out of range", "from 0 to 0.49"},
        {"an output left out",
         LAYERS + "  - {name: a, type: dense, units: 10, activation: softmax, dropout: 0.2}\n", 5,
         69, "layers[0].dropout", "cannot be left out", "hidden layers"},
        {"a kernel too large",
         LAYERS + "  - {name: a, type: conv2d, maps: 1, kernel: 65}\n" + OUTPUT, 5, 46,
         "layers[0].kernel", "out of range", "1 to 64"},
        {"a list for a number", LAYERS + "  - {name: a, type: dense, units: [4]}\n" + OUTPUT, 5, 35,
         "layers[0].units", "a list where a whole number is expected", ""},
        {"layers are a map", HEAD + "layers: {a: 1}\n", 4, 9, "layers",
         "a group of keys where a list is expected", ""},
        {"a layer is a text", LAYERS + "  - conv2d\n", 5, 5, "layers[0]", "conv2d", ""},
        {"input is a number", "name: net\nvariant: modern\ninput: 28\nlayers:\n" + OUTPUT, 3, 8,
         "input", "28", ""},
        {"a fraction of 16 bits", HEAD + "formats: {weight_fraction: 16}\nlayers:\n" + OUTPUT, 4,
         28, "formats.weight_fraction", "out of range", "8 to 15"},
    };
    for (const wrong &w : all) {
        expect_refused(w);
    }
}

TEST(NetworkFile, TheHeadIsWrong)
{
    const std::vector<wrong> all = {
        {"no input", "name: net\nvariant: modern\nlayers:\n" + OUTPUT, 1, 1, "", "input is missing",
         "give input: {channels: 1"},
        {"no layers", HEAD, 1, 1, "", "layers is missing", "give layers: a list"},
        {"an empty list", HEAD + "layers: []\n", 4, 9, "layers", "has no layers", ""},
        {"unknown key", HEAD + "layer:\n" + OUTPUT, 4, 1, "layer", "unknown key", "layers"},
        {"unknown key of the input",
         "name: net\nvariant: modern\ninput: {channels: 1, hight: 28, width: 28}\nlayers:\n" +
             OUTPUT,
         3, 22, "input.hight", "unknown key", "height"},
        {"no width", "name: net\nvariant: modern\ninput: {channels: 1, height: 28}\n", 3, 8,
         "input", "width is missing", ""},
        {"unknown data set", HEAD + "weights: {cifar: x.npz}\nlayers:\n" + OUTPUT, 4, 11,
         "weights.cifar", "unknown key", "mnist"},
        {"not YAML", "name: [\n", 2, 1, "", "", ""},
    };
    for (const wrong &w : all) {
        expect_refused(w);
    }
}

TEST(NetworkFile, TheGraphIsWrong)
{
    const std::string a = "  - {name: a, type: dense, units: 4, from: ";
    const std::string b = "  - {name: b, type: dense, units: 4, from: ";
    const std::string out = "  - {name: out, type: dense, units: 10, activation: softmax, from: ";
    const std::vector<wrong> all = {
        {"a layer that is not there", LAYERS + a + "c}\n" + OUTPUT, 5, 5, "a",
         "there is no layer c", "a layer of this file, or input"},
        {"a layer that feeds itself", LAYERS + a + "a}\n" + OUTPUT, 5, 5, "a", "a cycle through a",
         "executed once"},
        {"a cycle of two", LAYERS + a + "b}\n" + b + "a}\n" + OUTPUT, 5, 5, "a",
         "layer a: feeds itself: a cycle through b", "executed once"},
        /* out hangs on the cycle, it is not in it. */
        {"a cycle behind another layer", LAYERS + out + "b}\n" + a + "b}\n" + b + "a}\n", 6, 5, "a",
         "layer a: feeds itself: a cycle through b", "executed once"},
        {"two layers of one name",
         LAYERS +
             "  - {name: a, type: dense, units: 4}\n"
             "  - {name: a, type: dense, units: 4}\n" +
             OUTPUT,
         6, 5, "a", "the name is taken", ""},
        {"a layer named input", LAYERS + "  - {name: input, type: dense, units: 4}\n" + OUTPUT, 5,
         5, "input", "the name is taken", ""},
        {"nobody uses a layer",
         LAYERS + "  - {name: a, type: dense, units: 4}\n" + out + "input}\n", 5, 5, "a",
         "used by nobody", "one branch"},
        {"two use a layer",
         LAYERS + "  - {name: a, type: dense, units: 4}\n" + b + "a}\n" + out + "a}\n", 5, 5, "a",
         "used more than once", "one branch"},
        {"softmax in the middle",
         LAYERS + "  - {name: a, type: dense, units: 4, activation: softmax}\n" + OUTPUT, 5, 5, "a",
         "softmax belongs to the last layer", ""},
        {"no softmax at the end", LAYERS + "  - {name: a, type: dense, units: 4}\n", 5, 5, "a",
         "must be dense with activation: softmax", ""},
        {"a convolution at the end",
         LAYERS + "  - {name: a, type: conv2d, maps: 10, kernel: 28, activation: softmax}\n", 5, 5,
         "a", "must be dense", ""},
    };
    for (const wrong &w : all) {
        expect_refused(w);
    }
}

TEST(NetworkFile, ShapesThatDoNotFit)
{
    const std::vector<wrong> all = {
        {"a window larger than the image",
         LAYERS + "  - {name: a, type: conv2d, maps: 2, kernel: 29}\n" + OUTPUT, 5, 5, "a",
         "a window of 29 x 29 does not fit its input of 28 x 28", "1 maps of 28 x 28"},
        {"a window larger than what is left",
         LAYERS +
             "  - {name: a, type: max_pool2d, size: 20}\n"
             "  - {name: b, type: max_pool2d, size: 2}\n" +
             OUTPUT,
         6, 5, "b", "a window of 2 x 2 does not fit its input of 1 x 1", ""},
        {"an image too large",
         "name: net\nvariant: modern\ninput: {channels: 4096, height: 1024, width: 1024}\n"
         "layers:\n" +
             OUTPUT,
         5, 5, "out", "its input of 4096 maps of 1024 x 1024 is too large", "16777216"},
        {"an output too large",
         "name: net\nvariant: modern\ninput: {channels: 1, height: 1024, width: 1024}\nlayers:\n"
         "  - {name: a, type: conv2d, maps: 4096, kernel: 1}\n" +
             OUTPUT,
         5, 5, "a", "its output of 4096 maps of 1024 x 1024 is too large", "16777216"},
    };
    for (const wrong &w : all) {
        expect_refused(w);
    }
}

TEST(NetworkFile, TooManyLayers)
{
    std::string yaml = LAYERS;
    for (int i = 0; i < NETWORK_LAYERS; i++) {
        yaml += "  - {name: a" + std::to_string(i) + ", type: dense, units: 4}\n";
    }
    expect_refused({"33 layers", yaml + OUTPUT, 37, 5, "layers[32]", "more than 32 layers", ""});
}

TEST(NetworkFile, AFileThatIsNotThere)
{
    struct network network;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(network_load("/no/such/net.yaml", &network, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/net.yaml");
    network_deinit(&network);
}

TEST(NetworkFile, WhatIsLeftOutHasADefault)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 9, width: 9}\nlayers:\n"
                               "  - {name: a, type: max_pool2d, size: 3}\n"
                               "  - {name: b, type: conv2d, maps: 2, kernel: 2}\n" +
                               OUTPUT);
    EXPECT_EQ(network->weight_fraction, 13u);
    EXPECT_EQ(network->activation_fraction, 11u);
    EXPECT_EQ(network->input_shift, 3u);
    EXPECT_EQ(network.layer(0).stride, 3u);
    EXPECT_EQ(network.layer(0).output.width, 3u);
    EXPECT_EQ(network.layer(1).stride, 1u);
    EXPECT_EQ(network.layer(1).activation, NETWORK_IDENTITY);
    EXPECT_EQ(network->weights_mnist, nullptr);
}

TEST(NetworkFile, PaddingAndAverages)
{
    const test_network network(
        LAYERS +
        "  - {name: a, type: conv2d, maps: 2, kernel: 5, padding: same}\n"
        "  - {name: b, type: average_pool2d, size: 3, stride: 4}\n"
        "  - {name: c, type: conv2d, maps: 3, kernel: 3, stride: 2, padding: 2}\n"
        "  - {name: d, type: conv2d, maps: 3, kernel: 2, padding: 0, activation: sigmoid}\n" +
        OUTPUT);
    EXPECT_EQ(network.layer(0).padding, 2u);
    EXPECT_EQ(network.layer(0).output.height, 28u);
    EXPECT_EQ(network.layer(1).output.height, 7u);
    EXPECT_EQ(network.layer(1).outputs, 2u);
    EXPECT_EQ(network_layer_biases(&network.layer(1)), 0u);
    EXPECT_EQ(network.layer(2).output.width, 5u);
    EXPECT_EQ(network.layer(3).output.width, 4u);
    EXPECT_EQ(network.table->frame, 2);
    EXPECT_EQ(network.table->layer[0].input.height, 32);
    EXPECT_EQ(network.table->layer[0].padding, 0) << "the image has a frame";
    EXPECT_EQ(network.table->layer[1].kind, NN_AVERAGE_POOL2D);
    EXPECT_EQ(network.table->layer[2].padding, 2);
    EXPECT_EQ(network.table->layer[3].activation, NN_SIGMOID);
    EXPECT_EQ(network.table->layer[4].activation, NN_IDENTITY);
}

/* A window may be larger than its input, where zeros make room. */
TEST(NetworkFile, AWindowThatFitsWithItsZerosOnly)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 3, width: 3}\nlayers:\n"
                               "  - {name: a, type: conv2d, maps: 2, kernel: 5, padding: 1}\n" +
                               OUTPUT);
    EXPECT_EQ(network.layer(0).output.height, 1u);
}

} // namespace

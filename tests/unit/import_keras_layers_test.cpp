/* Keras' layers as nodes of ONNX, and what is refused; TensorFlow.js carries them. */
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>

namespace
{

const std::string DENSE = layer_of("Dense", "d", R"("units": 1, "use_bias": false)");

layer_weight dense_of(size_t inputs)
{
    return {"d", "kernel", {inputs, 1}, ramp(inputs)};
}

/* The nodes of a model of an input, these layers, and a dense layer of `inputs` inputs. */
std::string nodes_of(const std::string &input, std::vector<std::string> layers, size_t inputs,
                     std::vector<layer_weight> weights = {})
{
    const temporary_folder folder;
    layers.insert(layers.begin(), input_of(input));
    layers.push_back(DENSE);
    weights.push_back(dense_of(inputs));
    const read_model read(write_tfjs(folder, sequential_of(layers), weights));
    EXPECT_EQ(read.status, STATUS_OK) << read.said();
    return read.nodes();
}

const std::string FLAT = "Transpose() perm=0,2,3,1\nFlatten() axis=1\nGemm(d/kernel)\n";

void expect_layer_refused(const std::string &input, const std::vector<std::string> &layers,
                          const std::string &text, const std::string &hint,
                          const std::vector<layer_weight> &weights = {},
                          const std::string &key = "x")
{
    const temporary_folder folder;
    std::vector<std::string> all = {input_of(input)};
    all.insert(all.end(), layers.begin(), layers.end());
    expect_refused(write_tfjs(folder, sequential_of(all), weights), text, key, hint);
}

TEST(KerasLayers, Pools)
{
    EXPECT_EQ(nodes_of("6, 4, 2",
                       {layer_of("MaxPooling2D", "p", R"("pool_size": [3, 2], "strides": null)"),
                        layer_of("Flatten", "f")},
                       8),
              "MaxPool() kernel_shape=3,2 strides=3,2 pads=0,0,0,0\n" + FLAT);
    EXPECT_EQ(nodes_of("5, 5, 2",
                       {layer_of("AveragePooling2D", "p",
                                 R"("pool_size": 3, "strides": 2, "padding": "same")"),
                        layer_of("Flatten", "f")},
                       18),
              "AveragePool() kernel_shape=3,3 strides=2,2 pads=1,1,1,1 count_include_pad=0\n" +
                  FLAT);
    EXPECT_EQ(nodes_of("5, 5, 2", {layer_of("GlobalAveragePooling2D", "p")}, 2),
              "GlobalAveragePool()\nFlatten() axis=1\nGemm(d/kernel)\n");
    EXPECT_EQ(nodes_of("5, 5, 2",
                       {layer_of("GlobalAveragePooling2D", "p", R"("keepdims": true)"),
                        layer_of("Flatten", "f")},
                       2),
              "GlobalAveragePool()\nFlatten() axis=1\nGemm(d/kernel)\n");
}

TEST(KerasLayers, PaddingSameIsTakenWhereItIsEven)
{
    const auto pool = [](const std::string &more) {
        return std::vector<std::string>{
            layer_of("MaxPooling2D", "x", more + R"(, "padding": "same")"),
            layer_of("Flatten", "f")};
    };
    EXPECT_EQ(nodes_of("8, 8, 2", pool(R"("pool_size": 2, "strides": 2)"), 32),
              "MaxPool() kernel_shape=2,2 strides=2,2 pads=0,0,0,0\n" + FLAT);
    EXPECT_EQ(nodes_of("8, 8, 2", pool(R"("pool_size": 5, "strides": 1)"), 128),
              "MaxPool() kernel_shape=5,5 strides=1,1 pads=2,2,2,2\n" + FLAT);
    expect_layer_refused("8, 8, 2", pool(R"("pool_size": 3, "strides": 2)"),
                         "image of 8 x 8 pads unevenly: 0 before, 1 behind", "pads evenly");
    expect_layer_refused("8, 8, 2", pool(R"("pool_size": 2, "strides": 1)"),
                         "image of 8 x 8 pads unevenly: 0 before, 1 behind", "odd window");
}

TEST(KerasLayers, ZeroPaddingBecomesPartOfTheConvolution)
{
    const std::string conv = layer_of("Conv2D", "c", R"("filters": 1, "kernel_size": [1, 1])");
    const std::vector<layer_weight> weights = {{"c", "kernel", {1, 1, 1, 1}, {2}},
                                               {"c", "bias", {1}, {3}}};
    for (const auto &[padding, pads] : std::map<std::string, std::string>{
             {"1", "1,1,1,1"}, {"[2, 1]", "2,1,2,1"}, {"[[0, 0], [3, 3]]", "0,3,0,3"}}) {
        const temporary_folder folder;
        const read_model read(write_tfjs(
            folder,
            sequential_of({input_of("2, 2, 1"),
                           layer_of("ZeroPadding2D", "x", "\"padding\": " + padding), conv}),
            weights));
        ASSERT_EQ(read.status, STATUS_OK) << read.said();
        EXPECT_EQ(read.nodes(),
                  "Conv(c/kernel, c/bias) kernel_shape=1,1 strides=1,1 pads=" + pads + "\n");
    }
    const auto padded = [](const std::string &padding) {
        return layer_of("ZeroPadding2D", "x", "\"padding\": " + padding);
    };
    expect_layer_refused("2, 2, 1", {padded("[[0, 1], [0, 1]]"), conv},
                         "pads 0 before and 1 behind", "pads evenly", weights);
    expect_layer_refused("2, 2, 1", {padded("1"), layer_of("Flatten", "f")},
                         "no convolution follows", "a part of convolutions");
    expect_layer_refused("2, 2, 1", {padded("-1"), conv}, "no number of rows", "");
    expect_layer_refused("2, 2, 1", {padded("1")}, "the model ends here", "Dense");
}

TEST(KerasLayers, FlattenRunsOverChannelsLast)
{
    EXPECT_EQ(nodes_of("3, 4, 2", {layer_of("Flatten", "f")}, 24), FLAT);
    EXPECT_EQ(nodes_of("3, 4, 2", {layer_of("Reshape", "f", R"("target_shape": [-1])")}, 24), FLAT);
    /* With one channel, or one pixel, there is nothing to transpose. */
    const std::string plain = "Flatten() axis=1\nGemm(d/kernel)\n";
    EXPECT_EQ(nodes_of("3, 4, 1", {layer_of("Flatten", "f")}, 12), plain);
    EXPECT_EQ(nodes_of("1, 1, 5", {layer_of("Flatten", "f")}, 5), plain);
    EXPECT_EQ(nodes_of("3, 4", {layer_of("Flatten", "f")}, 12), plain);
    EXPECT_EQ(nodes_of("12", {layer_of("Flatten", "f")}, 12), "Gemm(d/kernel)\n");
}

TEST(KerasLayers, ReshapesOfOneChannel)
{
    const auto reshape = [](const std::string &shape) {
        return layer_of("Reshape", "x", "\"target_shape\": [" + shape + "]");
    };
    const std::string flat = "Flatten() axis=1\nGemm(d/kernel)\n";
    EXPECT_EQ(nodes_of("3, 4", {reshape("3, 4, 1"), layer_of("Flatten", "f")}, 12), flat);
    EXPECT_EQ(nodes_of("3, 4, 1", {reshape("3, -1"), layer_of("Flatten", "f")}, 12), flat);
    EXPECT_EQ(nodes_of("12", {reshape("3, 4, 1"), layer_of("Flatten", "f")}, 12),
              "Reshape(x/shape)\n" + flat);
    expect_layer_refused("12", {reshape("2, 2, 3"), DENSE}, "only a vector to an image",
                         "the shape of the images");
    expect_layer_refused("3, 4", {reshape("4, 3"), DENSE}, "only a vector to an image",
                         "the shape of the images");
    expect_layer_refused("12", {reshape("3, 5"), DENSE}, "does not fit its 12 inputs", "");
    expect_layer_refused("12", {reshape("-1, -1"), DENSE}, "does not fit its 12 inputs", "");
    expect_layer_refused("12", {reshape("5, -1"), DENSE}, "does not fit its 12 inputs", "");
}

TEST(KerasLayers, ShapesOfTheInput)
{
    const temporary_folder folder;
    const auto shape_of = [&folder](const std::string &topology, size_t inputs) {
        const read_model read(write_tfjs(folder, topology, {dense_of(inputs)}));
        EXPECT_EQ(read.status, STATUS_OK) << read.said();
        return read.input_shape();
    };
    const std::string flat = layer_of("Flatten", "f");
    EXPECT_EQ(shape_of(sequential_of({input_of("12"), DENSE}), 12), (std::vector<int64_t>{-1, 12}));
    EXPECT_EQ(shape_of(sequential_of({input_of("3, 4"), flat, DENSE}), 12),
              (std::vector<int64_t>{-1, 1, 3, 4}));
    EXPECT_EQ(shape_of(sequential_of({input_of("3, 4, 2"), flat, DENSE}), 24),
              (std::vector<int64_t>{-1, 2, 3, 4}));
    /* Without an InputLayer: with the first layer, or with the model. */
    EXPECT_EQ(shape_of(sequential_of({layer_of("Dense", "d",
                                               R"("units": 1, "use_bias": false,
                                                  "batch_input_shape": [null, 7])")}),
                       7),
              (std::vector<int64_t>{-1, 7}));
    EXPECT_EQ(shape_of(R"({"class_name": "Sequential", "config": {"build_input_shape": [null, 5],
                          "layers": [)" +
                           DENSE + "]}}",
                       5),
              (std::vector<int64_t>{-1, 5}));
    expect_refused(write_tfjs(folder, sequential_of({DENSE})), "has no shape of the input", "d",
                   "an image");
    expect_refused(write_tfjs(folder, sequential_of({input_of("null, 28, 1"), DENSE})),
                   "side 1 of the input's shape is not known", "in", "without None");
    expect_refused(write_tfjs(folder, sequential_of({input_of("4097, 28, 1"), DENSE})),
                   "side 1 of the input's shape is not known, or too large", "in", "");
}

TEST(KerasLayers, Activations)
{
    const auto with = [](const std::string &activation) {
        return nodes_of("3", {layer_of("Activation", "x", "\"activation\": " + activation)}, 3);
    };
    EXPECT_EQ(with("\"linear\""), "Gemm(d/kernel)\n");
    EXPECT_EQ(with("null"), "Gemm(d/kernel)\n");
    EXPECT_EQ(with("\"relu\""), "Relu()\nGemm(d/kernel)\n");
    EXPECT_EQ(with("\"tanh\""), "Tanh()\nGemm(d/kernel)\n");
    EXPECT_EQ(with("\"sigmoid\""), "Sigmoid()\nGemm(d/kernel)\n");
    EXPECT_EQ(with("\"softmax\""), "Softmax() axis=1\nGemm(d/kernel)\n");
    EXPECT_EQ(with(R"({"class_name": "function", "config": "relu", "module": "builtins"})"),
              "Relu()\nGemm(d/kernel)\n");
    for (const std::string &activation :
         {std::string("\"gelu\""), std::string("3"),
          std::string(R"({"class_name": "LeakyReLU", "config": {}})")}) {
        expect_layer_refused("3",
                             {layer_of("Activation", "x", "\"activation\": " + activation), DENSE},
                             "its activation cannot be read", "relu, tanh, sigmoid, softmax");
    }
}

TEST(KerasLayers, LayersOfActivations)
{
    EXPECT_EQ(nodes_of("3",
                       {layer_of("ReLU", "r", R"("max_value": null, "negative_slope": 0.0)"),
                        layer_of("Dropout", "o", R"("rate": 0.25)"),
                        layer_of("Softmax", "s", R"("axis": -1)")},
                       3),
              "Relu()\nDropout(o/ratio)\nSoftmax() axis=1\nGemm(d/kernel)\n");
    expect_layer_refused("3", {layer_of("ReLU", "x", R"("max_value": 6.0)")}, "has a max_value",
                         "a plain ReLU");
    expect_layer_refused("3", {layer_of("ReLU", "x", R"("negative_slope": 0.1)")},
                         "negative_slope is not 0", "a plain ReLU");
    expect_layer_refused("3, 3, 2", {layer_of("Softmax", "x", R"("axis": 1)")},
                         "its axis is not the last one", "axis=-1");
    expect_layer_refused("3", {layer_of("Dropout", "x", R"("rate": 1)")}, "rate is not", "");
}

TEST(KerasLayers, Rescaling)
{
    const temporary_folder folder;
    const read_model read(write_tfjs(
        folder,
        sequential_of(
            {input_of("3"), layer_of("Rescaling", "r", R"("scale": 0.5, "offset": -1)"), DENSE}),
        {dense_of(3)}));
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    EXPECT_EQ(read.nodes(), "Mul(r/scale)\nAdd(r/offset)\nGemm(d/kernel)\n");
    EXPECT_EQ(read.tensor("r/scale"), std::vector<double>{0.5});
    EXPECT_EQ(read.tensor("r/offset"), std::vector<double>{-1});
    EXPECT_EQ(nodes_of("3", {layer_of("Rescaling", "r", R"("scale": 2, "offset": 0)")}, 3),
              "Mul(r/scale)\nGemm(d/kernel)\n");
    expect_layer_refused("3", {layer_of("Rescaling", "x", R"("scale": [1, 2, 3])")},
                         "is not a number", "one number");
}

TEST(KerasLayers, BatchNormalization)
{
    const temporary_folder folder;
    const auto topology = [](const std::string &more) {
        return sequential_of({input_of("2"), layer_of("BatchNormalization", "x", more), DENSE});
    };
    const layer_weight mean = {"x", "moving_mean", {2}, {1, 2}},
                       variance = {"x", "moving_variance", {2}, {3, 4}};
    const read_model plain(write_tfjs(
        folder, topology(R"("axis": [1], "epsilon": 0.25)"),
        {{"x", "gamma", {2}, {5, 6}}, {"x", "beta", {2}, {7, 8}}, mean, variance, dense_of(2)}));
    ASSERT_EQ(plain.status, STATUS_OK) << plain.said();
    EXPECT_EQ(plain.nodes(),
              "BatchNormalization(x/gamma, x/beta, x/moving_mean, x/moving_variance) "
              "epsilon=0.25\nGemm(d/kernel)\n");
    EXPECT_EQ(plain.tensor("x/gamma"), (std::vector<double>{5, 6}));
    EXPECT_EQ(plain.tensor("x/moving_variance"), (std::vector<double>{3, 4}));
    const read_model bare(write_tfjs(folder,
                                     topology(R"("epsilon": 1, "scale": false, "center": false)"),
                                     {mean, variance, dense_of(2)}));
    ASSERT_EQ(bare.status, STATUS_OK) << bare.said();
    EXPECT_EQ(bare.tensor("x/gamma"), (std::vector<double>{1, 1}));
    EXPECT_EQ(bare.tensor("x/beta"), (std::vector<double>{0, 0}));
    EXPECT_EQ(bare.tensor("x/moving_mean"), (std::vector<double>{1, 2}));
    expect_refused(write_tfjs(folder, topology(R"("epsilon": 1)"), {mean, variance}),
                   "the file has no weights named gamma", "x", "do not belong");
    expect_refused(write_tfjs(folder, topology(R"("epsilon": 1, "axis": 2)")),
                   "its axis is not the last one", "x", "axis=-1");
}

TEST(KerasLayers, ThatAreRefused)
{
    const struct {
        std::string input, layer, text, hint;
    } rows[] = {
        {"3", layer_of("KerasQuantizationWrapper", "x"), "layers of this class cannot be read",
         "another quantisation"},
        {"3", layer_of("LSTM", "x"), "layer \"x\" (LSTM): layers of this class", "recurrent"},
        {"3", layer_of("Add", "x"), "layers of this class cannot be read", "chains"},
        {"3", layer_of("Sequential", "x"), "layers of this class cannot be read",
         "a model inside a model"},
        {"3", layer_of("MyLayer", "x"), "layers of this class cannot be read", "classes that can"},
        {"3",
         R"({"class_name": "Dense", "module": "mine.layers", "config": {"name": "x", "units": 1}})",
         "comes from another package", "Keras itself"},
        {"3, 3, 1", layer_of("Dense", "x", R"("units": 2)"), "its input is an image", "Flatten"},
        {"3", layer_of("Dense", "x", R"("units": 0)"), "units is no number", ""},
        {"3", layer_of("Dense", "x", R"("units": 1, "use_bias": 1)"),
         "use_bias is neither true nor false", ""},
        {"3, 3", layer_of("Conv2D", "x", R"("filters": 1, "kernel_size": 2)"),
         "no image with channels", "Reshape"},
        {"3, 3, 1",
         layer_of("Conv2D", "x",
                  R"("filters": 1, "kernel_size": 2, "data_format": "channels_first")"),
         "only the data_format channels_last", "build the model"},
        {"3, 3, 1", layer_of("Conv2D", "x", R"("filters": 1, "kernel_size": 2, "groups": 2)"),
         "has groups", "train without"},
        {"3, 3, 1",
         layer_of("Conv2D", "x", R"("filters": 1, "kernel_size": 2, "dilation_rate": [1, 2])"),
         "has a dilation_rate", "train without"},
        {"3, 3, 1", layer_of("Conv2D", "x", R"("filters": 1, "kernel_size": 4)"),
         "its window is larger than its input of 3 x 3", ""},
        {"3, 3, 1", layer_of("Conv2D", "x", R"("filters": 1, "kernel_size": [2, 2, 2])"),
         "kernel_size or strides are no numbers", ""},
        {"3, 3, 1", layer_of("MaxPooling2D", "x", R"("pool_size": 2, "padding": "causal")"),
         "its padding cannot be read", "valid, same"},
        {"3, 3", layer_of("BatchNormalization", "x", R"("epsilon": 1)"),
         "the columns of an image without channels", "channel axis"},
    };
    for (const auto &row : rows) {
        expect_layer_refused(row.input, {row.layer, DENSE}, row.text, row.hint);
    }
}

TEST(KerasLayers, WeightsThatDoNotFit)
{
    const std::string x = layer_of("Dense", "x", R"("units": 2)");
    const layer_weight kernel = {"x", "kernel", {3, 2}, ramp(6)}, bias = {"x", "bias", {2}, {0, 0}};
    expect_layer_refused("3", {x}, "the file has no weights named kernel", "do not belong");
    expect_layer_refused("3", {x}, "kernel has the shape 2 x 3, expected 3 x 2", "do not belong",
                         {{"x", "kernel", {2, 3}, ramp(6)}, bias});
    expect_layer_refused("3", {x}, "the file has 3 variables, expected 2", "do not belong",
                         {kernel, bias, {"x", "more", {1}, {0}}});
    expect_layer_refused("3", {x}, "bias has a value that is not finite", "train again",
                         {kernel, {"x", "bias", {2}, {0, std::numeric_limits<float>::infinity()}}});
    /* In names of Keras 3 the model stands before the layer. */
    const temporary_folder folder;
    const read_model read(write_tfjs(
        folder, sequential_of({input_of("3"), x}),
        {{"sequential/x", "kernel", {3, 2}, ramp(6)}, {"sequential/x", "bias", {2}, {0, 0}}}));
    EXPECT_EQ(read.status, STATUS_OK) << read.said();
}

/* ---- which layer feeds which ---- */

std::string functional_of(const std::vector<std::string> &layers, const std::string &inputs,
                          const std::string &outputs)
{
    std::string text;
    for (const std::string &layer : layers) {
        text += (text.empty() ? "" : ", ") + layer;
    }
    return R"({"class_name": "Functional", "config": {"layers": [)" + text +
           R"(], "input_layers": )" + inputs + R"(, "output_layers": )" + outputs + "}}";
}

/* A layer with the calls of a Functional model. */
std::string called(const std::string &layer, const std::string &calls)
{
    return layer.substr(0, layer.size() - 1) + ", \"inbound_nodes\": " + calls + "}";
}

std::string history(const std::string &name)
{
    return R"({"class_name": "__keras_tensor__", "config": {"shape": [null, 3],
              "keras_history": [")" +
           name + R"(", 0, 0]}})";
}

TEST(KerasGraph, CallsInTheFormsOfKeras2And3)
{
    const std::string relu = layer_of("ReLU", "r");
    const struct {
        std::string of_relu, of_dense, ends;
    } forms[] = {
        {R"([[["in", 0, 0, {}]]])", R"([[["r", 0, 0, {}]]])", "[[\"NAME\", 0, 0]]"},
        {R"([["in", 0, 0, {}]])", R"([["r", 0, 0, {}]])", "[[\"NAME\", 0, 0]]"},
        {R"([{"args": [)" + history("in") + R"(], "kwargs": {}}])",
         R"([{"args": [[)" + history("r") + R"(]], "kwargs": {}}])", "[\"NAME\", 0, 0]"},
    };
    for (const auto &form : forms) {
        const temporary_folder folder;
        const auto end = [&form](const char *name) {
            std::string text = form.ends;
            return text.replace(text.find("NAME"), 4, name);
        };
        /* The order in the file does not count. */
        const read_model read(
            write_tfjs(folder,
                       functional_of({called(DENSE, form.of_dense), called(input_of("3"), "[]"),
                                      called(relu, form.of_relu)},
                                     end("in"), end("d")),
                       {dense_of(3)}));
        ASSERT_EQ(read.status, STATUS_OK) << read.said();
        EXPECT_EQ(read.nodes(), "Relu()\nGemm(d/kernel)\n");
    }
}

TEST(KerasGraph, GraphsThatAreNoChain)
{
    const temporary_folder folder;
    const std::string in = called(input_of("3"), "[]"), relu = layer_of("ReLU", "r"),
                      to_dense = R"([[["r", 0, 0, {}]]])", to_relu = R"([[["in", 0, 0, {}]]])",
                      ends = R"([["in", 0, 0]])", out = R"([["d", 0, 0]])";
    const struct {
        std::string topology, text, key, hint;
    } rows[] = {
        {functional_of({in, called(relu, R"([[["in", 0, 0, {}], ["in", 0, 0, {}]]])"),
                        called(DENSE, to_dense)},
                       ends, out),
         "joins 2 values", "r", "chains"},
        {functional_of(
             {in, called(relu, R"([{"args": [[)" + history("in") + ", " + history("in") + "]]}]"),
              called(DENSE, to_dense)},
             ends, out),
         "joins 2 values", "r", "chains"},
        {functional_of({in, called(relu, R"([[["in", 0, 0, {}]], [["in", 0, 0, {}]]])"),
                        called(DENSE, to_dense)},
                       ends, out),
         "is called 2 times", "r", "chains"},
        {functional_of({in, called(relu, to_relu), called(DENSE, to_relu)}, ends, out),
         "1 layers are not on the way", "", "chains"},
        {functional_of({in, called(relu, to_dense), called(DENSE, to_dense)}, ends, out),
         "feeds itself", "r", "damaged"},
        {functional_of({in, called(relu, R"([[["who", 0, 0, {}]]])"), called(DENSE, to_dense)},
                       ends, out),
         "is called with no known layer's output", "r", "damaged"},
        {functional_of({in, called(relu, to_relu), called(DENSE, to_dense)}, ends,
                       R"([["d", 0, 0], ["r", 0, 0]])"),
         "the model has 2 output_layers", "", "chains"},
        {functional_of({in, called(relu, to_relu), called(DENSE, to_dense)}, ends, "[]"),
         "output_layers of the model's description names no layer", "", "damaged"},
        {sequential_of({input_of("3"), relu, relu, DENSE}), "two layers have this name", "r",
         "damaged"},
        {sequential_of({}), "has 0 layers", "", "damaged"},
        {sequential_of({R"({"class_name": "Dense"})"}), "layer 1 of the model's description", "",
         "damaged"},
        {R"({"class_name": "MyModel", "config": {}})", "of the class MyModel", "", "of one's own"},
        {"{}", "no class_name or no config", "", "damaged"},
    };
    for (const auto &row : rows) {
        expect_refused(write_tfjs(folder, row.topology), row.text, row.key, row.hint);
    }
}

} // namespace

/* import_keras_fixture.cpp - see import_keras_fixture.h. */
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace
{

template <typename container> std::string list(const container &values, const char *between)
{
    std::ostringstream text;
    const char *before = "";
    for (const auto &value : values) {
        text << before << value;
        before = between;
    }
    return text.str();
}

} // namespace

std::string layer_of(const std::string &class_name, const std::string &name,
                     const std::string &more)
{
    return R"({"class_name": ")" + class_name + R"(", "config": {"name": ")" + name + "\"" +
           (more.empty() ? "" : ", " + more) + "}}";
}

std::string input_of(const std::string &shape, const std::string &name)
{
    return layer_of("InputLayer", name, "\"batch_input_shape\": [null, " + shape + "]");
}

std::string sequential_of(const std::vector<std::string> &layers)
{
    return R"({"class_name": "Sequential", "config": {"name": "m", "layers": [)" +
           list(layers, ", ") + "]}}";
}

std::vector<float> ramp(size_t count, float first, float step)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++) {
        values[i] = first + step * static_cast<float>(i);
    }
    return values;
}

std::string write_tfjs(const temporary_folder &folder, const std::string &topology,
                       const std::vector<layer_weight> &weights)
{
    byte_string bytes;
    std::vector<std::string> entries;
    for (const layer_weight &weight : weights) {
        entries.push_back(R"({"name": ")" + weight.layer + "/" + weight.name + R"(", "shape": [)" +
                          list(weight.shape, ", ") + R"(], "dtype": "float32"})");
        const auto *at = reinterpret_cast<const uint8_t *>(weight.value.data());
        bytes.insert(bytes.end(), at, at + weight.value.size() * sizeof(float));
    }
    const std::string text = R"({"format": "layers-model", "modelTopology": )" + topology +
                             R"(, "weightsManifest": [{"paths": ["w.bin"], "weights": [)" +
                             list(entries, ", ") + "]}]}";
    (void)folder.write("w.bin", bytes);
    return folder.write("model.json", byte_string(text.begin(), text.end()));
}

std::string read_model::nodes() const
{
    std::ostringstream text;
    for (size_t i = 0; i < model.node_count; i++) {
        const struct model_node &node = model.node[i];
        text << node.op << "("
             << list(std::vector<std::string>(node.input + 1, node.input + node.input_count), ", ")
             << ")";
        for (size_t j = 0; j < node.attribute_count; j++) {
            const struct model_attribute &attribute = node.attribute[j];
            text << " " << attribute.name << "="
                 << list(std::vector<double>(attribute.number, attribute.number + attribute.count),
                         ",");
        }
        text << "\n";
        const std::string before = i == 0 ? model.input : model.node[i - 1].output[0];
        EXPECT_EQ(node.input[0], before);
    }
    return text.str();
}

std::vector<double> read_model::tensor(const std::string &name) const
{
    const struct model_tensor *tensor = model_find_tensor(&model, name.c_str());
    return tensor == nullptr ? std::vector<double>{}
                             : std::vector<double>(tensor->value, tensor->value + tensor->count);
}

std::vector<int64_t> read_model::shape(const std::string &name) const
{
    const struct model_tensor *tensor = model_find_tensor(&model, name.c_str());
    return tensor == nullptr ? std::vector<int64_t>{-1}
                             : std::vector<int64_t>(tensor->shape, tensor->shape + tensor->rank);
}

std::vector<int64_t> read_model::input_shape() const
{
    return std::vector<int64_t>(model.input_shape, model.input_shape + model.input_rank);
}

void expect_refused(const std::string &path, const std::string &text, const std::string &key,
                    const std::string &hint)
{
    const read_model read(path);
    EXPECT_EQ(read.status, STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(read.diagnostic.text, text)) << read.said();
    EXPECT_EQ(read.diagnostic.key, key) << read.said();
    EXPECT_TRUE(contains(read.diagnostic.hint, hint)) << read.said();
    EXPECT_EQ(read.diagnostic.file, path);
    EXPECT_EQ(read.model.arena, nullptr);
}

/* ---- the small network ---- */

std::string small_layers_json()
{
    return input_of("6, 6, 1") + ", " +
           layer_of("Conv2D", "first",
                    R"("filters": 2, "kernel_size": [2, 2], "activation": "relu")") +
           ", " +
           layer_of(
               "Conv2D", "second",
               R"("filters": 3, "kernel_size": [2, 2], "strides": [2, 2], "use_bias": false)") +
           ", " + layer_of("Flatten", "flat") + ", " +
           layer_of("Dense", "hidden", R"("units": 2, "activation": "tanh")") + ", " +
           layer_of("Dense", "out", R"("units": 2, "activation": "softmax")");
}

std::vector<layer_weight> small_weights()
{
    return {{"first", "kernel", {2, 2, 1, 2}, ramp(8)},
            {"first", "bias", {2}, {0.5F, -0.5F}},
            {"second", "kernel", {2, 2, 2, 3}, ramp(24)},
            {"hidden", "kernel", {12, 2}, ramp(24, 0, 0.25F)},
            {"hidden", "bias", {2}, {8, 9}},
            {"out", "kernel", {2, 2}, {1, 2, 3, 4}},
            {"out", "bias", {2}, {-1, -2}}};
}

void expect_small(const read_model &read)
{
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    EXPECT_EQ(read.input_shape(), (std::vector<int64_t>{-1, 1, 6, 6}));
    EXPECT_EQ(read.model.opset, 13);
    EXPECT_EQ(read.nodes(),
              "Conv(first/kernel, first/bias) kernel_shape=2,2 strides=1,1 pads=0,0,0,0\n"
              "Relu()\n"
              "Conv(second/kernel) kernel_shape=2,2 strides=2,2 pads=0,0,0,0\n"
              "Transpose() perm=0,2,3,1\n"
              "Flatten() axis=1\n"
              "Gemm(hidden/kernel, hidden/bias)\n"
              "Tanh()\n"
              "Gemm(out/kernel, out/bias)\n"
              "Softmax() axis=1\n");
    EXPECT_STREQ(read.model.output, read.model.node[8].output[0]);
    /* [row][column][input][map] has become [map][input][row][column]. */
    EXPECT_EQ(read.shape("first/kernel"), (std::vector<int64_t>{2, 1, 2, 2}));
    EXPECT_EQ(read.tensor("first/kernel"), (std::vector<double>{1, 3, 5, 7, 2, 4, 6, 8}));
    EXPECT_EQ(read.tensor("first/bias"), (std::vector<double>{0.5, -0.5}));
    EXPECT_EQ(read.shape("second/kernel"), (std::vector<int64_t>{3, 2, 2, 2}));
    EXPECT_EQ(read.tensor("second/kernel"),
              (std::vector<double>{1, 7,  13, 19, 4, 10, 16, 22, 2, 8,  14, 20,
                                   5, 11, 17, 23, 3, 9,  15, 21, 6, 12, 18, 24}));
    EXPECT_EQ(read.shape("hidden/kernel"), (std::vector<int64_t>{12, 2}));
    EXPECT_EQ(read.tensor("hidden/kernel")[23], 5.75);
    EXPECT_EQ(read.tensor("out/kernel"), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(read.tensor("out/bias"), (std::vector<double>{-1, -2}));
}

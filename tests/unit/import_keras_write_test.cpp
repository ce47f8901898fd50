/* Weights for Keras: what keras_export() writes is what the reader of .keras gives back. */
#include "tests/unit/data_zip_builder.h"
#include "tests/unit/import_keras_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/import/keras_write.h"
}

#include <gtest/gtest.h>

namespace
{

/* 2 maps of 2 x 2 from 3 x 3, pooled, then 3 units and 2 classes. */
const std::string SMALL = "name: small\n"
                          "variant: modern\n"
                          "input: {channels: 1, height: 5, width: 5}\n"
                          "formats: {weight_fraction: 13, activation_fraction: 11}\n"
                          "layers:\n"
                          "  - {name: c, type: conv2d, maps: 2, kernel: 2, activation: relu}\n"
                          "  - {name: p, type: max_pool2d, size: 2}\n"
                          "  - {name: h, type: dense, units: 3, activation: relu}\n"
                          "  - {name: out, type: dense, units: 2, activation: softmax}\n";

/* The same network as Keras describes it. */
std::string small_config()
{
    return sequential_of(
        {input_of("5, 5, 1"),
         layer_of("Conv2D", "c", R"("filters": 2, "kernel_size": 2, "activation": "relu")"),
         layer_of("MaxPooling2D", "p", R"("pool_size": 2)"), layer_of("Flatten", "f"),
         layer_of("Dense", "h", R"("units": 3, "activation": "relu")"),
         layer_of("Dense", "out", R"("units": 2, "activation": "softmax")")});
}

/* 1, 2, 3, ... in the network's order. */
std::vector<double> counted(const struct network &network)
{
    std::vector<double> parameters(network_parameters(&network));
    for (size_t i = 0; i < parameters.size(); i++) {
        parameters[i] = static_cast<double>(i + 1);
    }
    return parameters;
}

TEST(KerasWrite, KerasFindsEachWeightInItsPlace)
{
    const temporary_folder folder;
    const test_network network(SMALL);
    const std::vector<double> parameters = counted(network.network);
    struct diagnostic diagnostic = {};
    const std::string path = folder.file("m.weights.h5");
    ASSERT_EQ(keras_export(path.c_str(), &network.network, parameters.data(), &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    zip_entry config, weights;
    const std::string text = small_config();
    config.name = "config.json";
    config.content = byte_string(text.begin(), text.end());
    weights.name = "model.weights.h5";
    weights.content = read_file(path);
    const read_model read(folder.write("m.keras", zip_of({config, weights})));
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    /* Convolutions have ONNX's order here as they have in the network: [map][input][row][column].
     */
    EXPECT_EQ(read.tensor("c/kernel"), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(read.tensor("c/bias"), (std::vector<double>{9, 10}));
    /* Ours [output][channel][row][column], 3 x 2 x 2 x 2 from 11; Keras' rows run over (row,
     * column, channel), its columns over the outputs. */
    const std::vector<double> kernel = read.tensor("h/kernel");
    ASSERT_EQ(kernel.size(), 24u);
    for (size_t i = 0; i < 24; i++) {
        const size_t output = i % 3, channel = i / 3 % 2, pixel = i / 6;
        EXPECT_EQ(kernel[i], static_cast<double>(11 + (output * 2 + channel) * 4 + pixel)) << i;
    }
    EXPECT_EQ(read.tensor("h/bias"), (std::vector<double>{35, 36, 37}));
    EXPECT_EQ(read.tensor("out/kernel"), (std::vector<double>{38, 41, 39, 42, 40, 43}));
    EXPECT_EQ(read.tensor("out/bias"), (std::vector<double>{44, 45}));
}

TEST(KerasWrite, TwoFilesAreEqualToTheByte)
{
    const temporary_folder folder;
    const test_network network(SMALL);
    const std::vector<double> parameters = counted(network.network);
    struct diagnostic diagnostic = {};
    for (const char *name : {"a.weights.h5", "b.weights.h5"}) {
        ASSERT_EQ(keras_export(folder.file(name).c_str(), &network.network, parameters.data(),
                               &diagnostic),
                  STATUS_OK)
            << said(diagnostic);
    }
    EXPECT_EQ(read_file(folder.file("a.weights.h5")), read_file(folder.file("b.weights.h5")));
}

TEST(KerasWrite, WhatKerasHasNotIsRefused)
{
    const temporary_folder folder;
    struct diagnostic diagnostic = {};
    const test_network small(SMALL);
    const std::vector<double> parameters = counted(small.network);
    const std::string other = folder.file("m.h5");
    EXPECT_EQ(keras_export(other.c_str(), &small.network, parameters.data(), &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.text, "ends in .weights.h5")) << said(diagnostic);
    const test_network trained("name: t\n"
                               "variant: modern\n"
                               "input: {channels: 1, height: 4, width: 4}\n"
                               "formats: {weight_fraction: 13, activation_fraction: 11}\n"
                               "layers:\n"
                               "  - {name: s, type: subsample2d, size: 2, activation: tanh}\n"
                               "  - {name: out, type: dense, units: 2, activation: softmax}\n");
    const std::string path = folder.file("m.weights.h5");
    EXPECT_EQ(
        keras_export(path.c_str(), &trained.network, counted(trained.network).data(), &diagnostic),
        STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "layer s: Keras has no class for it");
    EXPECT_STREQ(diagnostic.key, "s");
    EXPECT_TRUE(folder.names().empty());
}

} // namespace

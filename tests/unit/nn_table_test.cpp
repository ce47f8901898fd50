/* Layer tables: what is counted, and that nothing lies on anything else. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

struct extent {
    uint32_t begin, end;
};

void expect_apart(std::vector<extent> extents, uint32_t bytes)
{
    std::sort(extents.begin(), extents.end(),
              [](const extent &a, const extent &b) { return a.begin < b.begin; });
    for (size_t i = 0; i < extents.size(); i++) {
        EXPECT_EQ(extents[i].begin % 4, 0u) << "not on a word";
        EXPECT_LE(extents[i].end, i + 1 < extents.size() ? extents[i + 1].begin : bytes);
    }
}

uint32_t values_of(const struct nn_shape &shape)
{
    return uint32_t{shape.channels} * shape.height * shape.width;
}

void expect_sound(const test_network &network)
{
    const struct nn_table &table = *network.table;
    std::vector<extent> parameters;
    EXPECT_EQ(table.magic, NN_TABLE_MAGIC);
    EXPECT_EQ(table.version, static_cast<uint32_t>(NN_TABLE_VERSION));
    EXPECT_EQ(table.bytes, sizeof table + table.layers * sizeof table.layer[0]);
    ASSERT_EQ(table.layers, network->layer_count);
    EXPECT_EQ(table.image_pixels, values_of(table.layer[0].input));
    for (uint32_t i = 0; i < table.layers; i++) {
        const struct nn_layer &layer = table.layer[i];
        const struct network_layer &source = network.layer(i);
        const auto weights = static_cast<uint32_t>(2 * network_layer_weights(&source));
        const uint32_t biases = 2 * network_layer_biases(&source);
        EXPECT_STREQ(layer.name, source.name);
        EXPECT_EQ(layer.is_last, i + 1 == table.layers);
        EXPECT_EQ(layer.padding, 0);
        EXPECT_EQ(values_of(layer.output), network_values(source.output));
        if (weights > 0) {
            parameters.push_back({layer.weights, layer.weights + weights});
            parameters.push_back({layer.biases, layer.biases + biases});
        }
        const uint32_t in = 2 * values_of(layer.input);
        const uint32_t out = (layer.is_last ? 4 : 2) * values_of(layer.output);
        expect_apart({{layer.from, layer.from + in}, {layer.to, layer.to + out}},
                     table.activation_bytes);
        if (i > 0) {
            EXPECT_EQ(layer.from, table.layer[i - 1].to);
            EXPECT_EQ(values_of(layer.input), values_of(table.layer[i - 1].output));
        }
    }
    expect_apart(parameters, table.parameter_bytes);
}

TEST(LayerTable, LeNet1)
{
    const auto network = lenet1();
    expect_sound(*network);
    const struct nn_table &table = *network->table;
    EXPECT_STREQ(table.name, "lenet1");
    EXPECT_EQ(table.parameter_bytes, 2u * 3246);
    EXPECT_EQ(table.activation_bytes, 2u * (784 + 4 * 24 * 24));
    EXPECT_EQ(table.classes, 10u);
    EXPECT_EQ(table.image_pixels, 784u);
    EXPECT_EQ(table.input_shift, 3u);
    for (uint32_t i = 0; i < table.layers; i++) {
        EXPECT_EQ(table.layer[i].weight_fraction, 13);
        EXPECT_EQ(table.layer[i].input_fraction, 11);
        EXPECT_EQ(table.layer[i].output_fraction, 11);
    }
}

/* The counts of the literature for the network of today: networks of this shape have 3,246 free
 * parameters. */
TEST(Network, CountsLeNet1)
{
    const auto network = lenet1();
    EXPECT_EQ(network_parameters(&network->network), 3246u);
    EXPECT_EQ(network_macs(&network->network), 136320u);
    const uint64_t weights[] = {100, 0, 1200, 0, 1920};
    const uint32_t biases[] = {4, 0, 12, 0, 10};
    const uint64_t macs[] = {57600, 0, 76800, 0, 1920};
    for (size_t i = 0; i < 5; i++) {
        EXPECT_EQ(network_layer_weights(&network->layer(i)), weights[i]);
        EXPECT_EQ(network_layer_biases(&network->layer(i)), biases[i]);
        EXPECT_EQ(network_layer_macs(&network->layer(i)), macs[i]);
    }
}

/* Odd numbers of everything: each block still begins on a word. */
TEST(LayerTable, OddSizes)
{
    random_source random(1);
    for (int i = 0; i < 100; i++) {
        const std::string yaml =
            "name: odd\nvariant: modern\ninput: {channels: " +
            std::to_string(random.between(1u, 3u)) + ", height: 17, width: 19}\nlayers:\n" +
            "  - {name: a, type: conv2d, maps: " + std::to_string(random.between(1u, 7u)) +
            ", kernel: " + std::to_string(random.between(1u, 5u)) + "}\n" +
            "  - {name: b, type: max_pool2d, size: 3}\n" +
            "  - {name: c, type: dense, units: " + std::to_string(random.between(1u, 2000u)) +
            "}\n  - {name: d, type: dense, units: " + std::to_string(random.between(1u, 64u)) +
            ", activation: softmax}\n";
        expect_sound(test_network(yaml));
    }
}

/* Layers may stand in any order in the file. */
TEST(LayerTable, FollowsTheFeeders)
{
    const test_network network(
        "name: order\nvariant: modern\n"
        "input: {channels: 1, height: 8, width: 8}\n"
        "layers:\n"
        "  - {name: c, type: dense, units: 10, activation: softmax, from: b}\n"
        "  - {name: a, type: conv2d, maps: 2, kernel: 3, from: input}\n"
        "  - {name: b, type: max_pool2d, size: 2, from: a}\n");
    expect_sound(network);
    EXPECT_STREQ(network.layer(0).name, "a");
    EXPECT_STREQ(network.layer(1).name, "b");
    EXPECT_STREQ(network.layer(2).name, "c");
    EXPECT_EQ(network.layer(0).from, static_cast<int>(NETWORK_INPUT));
    EXPECT_EQ(network.layer(2).from, 1);
}

void expect_too_large(const std::string &yaml, int line, const std::string &text)
{
    struct network network;
    struct nn_table *table = nullptr;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(network_parse("big.yaml", yaml.data(), yaml.size(), &network, &diagnostic), STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(layer_table_make(&network, &table, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(table, nullptr);
    EXPECT_EQ(diagnostic.line, line);
    EXPECT_STREQ(diagnostic.file, "big.yaml");
    EXPECT_TRUE(contains(said(diagnostic), text)) << said(diagnostic);
    network_deinit(&network);
}

TEST(LayerTable, RefusesWhatDoesNotFitItsFields)
{
    const std::string head = "name: big\nvariant: modern\n"
                             "input: {channels: 1, height: 1024, width: 1024}\nlayers:\n";
    expect_too_large(head + "  - {name: a, type: dense, units: 4096}\n"
                            "  - {name: b, type: dense, units: 10, activation: softmax}\n",
                     6, "too large");
    expect_too_large(head + "  - {name: a, type: dense, units: 257, activation: softmax}\n", 5,
                     "at most 256 outputs");
}

} // namespace

/* A type of layer is a file and a row: layer_global_pool2d.c and toy_layers.def.  Everything else
 * takes it from there: its keys, its shape, its row of the layer table, doubles and integers. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace
{

const std::string HEAD = "name: toy\nvariant: modern\ninput: {channels: 2, height: 6, width: 6}\n"
                         "layers:\n  - {name: c, type: conv2d, maps: 3, kernel: 3}\n";
const std::string OUT = "  - {name: out, type: dense, units: 4, activation: softmax}\n";
const std::string TOY = HEAD + "  - {name: g, type: global_pool2d}\n" + OUT;

TEST(ToyLayer, HasShapesAndARowOfTheTable)
{
    const test_network network(TOY);
    const struct network_layer &layer = network.layer(1);
    EXPECT_EQ(layer.output.channels, 3u);
    EXPECT_EQ(layer.output.height, 1u);
    EXPECT_EQ(layer.output.width, 1u);
    EXPECT_TRUE(network_is_pool(&layer));
    EXPECT_EQ(network.table->layer[1].kind, NN_AVERAGE_POOL2D);
    EXPECT_EQ(network.table->layer[1].kernel, 4);
    EXPECT_EQ(network.parameters(), 3u * 2 * 9 + 3 + 4 * 3 + 4);
}

std::string refused(const std::string &layer)
{
    const std::string yaml = HEAD + layer + OUT;
    struct network network;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(network_parse("toy.yaml", yaml.data(), yaml.size(), &network, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.line, 6);
    return std::string(diagnostic.text) + " (" + diagnostic.hint + ")";
}

TEST(ToyLayer, IsRefusedLikeAnyOther)
{
    EXPECT_TRUE(contains(refused("  - {name: g, type: globl_pool2d}\n").c_str(),
                         "did you mean \"global_pool2d\"?"));
    EXPECT_TRUE(contains(refused("  - {name: g, type: global_pool2d, size: 2}\n").c_str(),
                         "unknown key (known here: name, type, from)"));
}

/* The gradient of each parameter against a central difference. */
TEST(ToyLayer, HasTheLossesSlopeInDoubles)
{
    constexpr double H = 1e-5;
    const test_network network(TOY);
    random_source random(4);
    std::vector<double> parameters = random.units(network.parameters(), 0.5);
    std::vector<double> gradients(parameters.size());
    byte_string image(72);
    for (uint8_t &pixel : image) {
        pixel = static_cast<uint8_t>(random.between(0u, 255u));
    }
    struct reference_pass pass;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(reference_pass_init(&pass, &network.network, &diagnostic), STATUS_OK);
    const auto loss = [&] {
        return reference_cross_entropy(reference_forward(&pass, parameters.data(), image.data()), 4,
                                       1);
    };
    (void)loss();
    reference_backward(&pass, parameters.data(), 1, gradients.data());
    for (size_t i = 0; i < parameters.size(); i++) {
        const double at = parameters[i];
        parameters[i] = at + H;
        const double above = loss();
        parameters[i] = at - H;
        EXPECT_NEAR(gradients[i], (above - loss()) / (2 * H), 1e-8) << i;
        parameters[i] = at;
    }
    reference_pass_deinit(&pass);
}

/* The integers are those of the average that its row is. */
TEST(ToyLayer, IsComputedByTheKernelOfItsRow)
{
    const test_network toy(TOY);
    const test_network average(HEAD + "  - {name: g, type: average_pool2d, size: 4}\n" + OUT);
    random_source random(5);
    std::vector<int16_t> parameters = random.int16s(toy.table->parameter_bytes / 2, 4000);
    const byte_string image(72, 100);
    EXPECT_EQ(integer_run(toy, parameters, image.data()).logits,
              integer_run(average, parameters, image.data()).logits);
}

} // namespace

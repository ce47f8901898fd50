/* A type of layer is a file, layer_global_pool2d.c, and one with kernels of its own two:
 * layer_depthwise2d.c and depthwise2d.c.  Everything else takes it from there: its keys, its shape,
 * its row of the layer table, doubles, integers and programs. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

extern "C" {
#include "sim/mapping/program_recipe.h"
#include "sim/mapping/program_table.h"
#include "sim/networks/operators.h"
#include "workloads/nn/layers/layer_kernels.h"
}

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
void has_the_losses_slope(const std::string &yaml)
{
    constexpr double H = 1e-5;
    const test_network network(yaml);
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

TEST(ToyLayer, HasTheLossesSlopeInDoubles)
{
    has_the_losses_slope(TOY);
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

/* ---- with kernels of its own ---- */

const std::string PARTS = "  - {name: g, type: depthwise2d, activation: relu}\n";
const std::string DEPTHWISE = HEAD + PARTS + OUT;
/* The same sums by a convolution with links. */
const std::string LINKED =
    HEAD +
    "  - {name: g, type: conv2d, maps: 3, kernel: 3, activation: relu, links: [[0], [1], [2]]}\n" +
    OUT;

TEST(ToyKernels, AreInTheRowOfTheTable)
{
    const test_network network(DEPTHWISE);
    const struct nn_layer &row = network.table->layer[1];
    EXPECT_EQ(row.kind, NN_CONV2D);
    EXPECT_EQ(nn_kernels_of(&row), NN_KERNELS_DEPTHWISE2D);
    EXPECT_EQ(nn_kernels_of(&network.table->layer[0]), NN_KERNELS_NONE);
    EXPECT_EQ(operators_in(&network.layer(1)), OPERATORS_FEW);
    EXPECT_EQ(row.output.height, 2u);
    EXPECT_EQ(network.parameters(), 3u * 2 * 9 + 3 + 3 * 9 + 3 + 4 * 12 + 4);
}

TEST(ToyKernels, HaveTheLossesSlopeInDoubles)
{
    has_the_losses_slope(DEPTHWISE);
}

/* Forward and back, in integers: as a convolution with the same links, to the bit. */
TEST(ToyKernels, AreThoseOfTheHost)
{
    const test_network toy(DEPTHWISE);
    const test_network linked(LINKED);
    random_source random(6);
    const size_t count = toy.table->parameter_bytes / 2;
    ASSERT_EQ(count, linked.table->parameter_bytes / 2);
    const std::vector<int16_t> parameters = random.int16s(count, 4000);
    byte_string image(72);
    for (uint8_t &pixel : image) {
        pixel = static_cast<uint8_t>(random.between(0u, 255u));
    }
    std::vector<int32_t> gradients[2] = {std::vector<int32_t>(count), std::vector<int32_t>(count)};
    std::vector<int32_t> logits[2];
    const test_network *const of[] = {&toy, &linked};
    for (size_t i = 0; i < std::size(of); i++) {
        struct integer_pass pass;
        struct diagnostic diagnostic = {};
        uint32_t loss = 0;
        ASSERT_EQ(integer_pass_init(&pass, of[i]->table, 9, &diagnostic), STATUS_OK);
        (void)integer_forward(&pass, parameters.data(), image.data(), 1, &loss);
        integer_backward(&pass, parameters.data(), gradients[i].data());
        logits[i].assign(pass.logits, pass.logits + 4);
        integer_pass_deinit(&pass);
    }
    EXPECT_EQ(logits[0], logits[1]);
    EXPECT_EQ(gradients[0], gradients[1]);
    EXPECT_NE(gradients[0], std::vector<int32_t>(count));
}

bool has(const char (*list)[PROGRAM_TEXT_CHARS], const std::string &text)
{
    bool found = false;
    for (size_t i = 0; i < PROGRAM_SYMBOLS; i++) {
        found = found || text == list[i];
    }
    return found;
}

TEST(ToyKernels, AreLinkedWhereTheyAreNeeded)
{
    struct sim_config config = {};
    const auto recipe = std::make_unique<struct program_recipe>();
    const test_network toy(DEPTHWISE);
    const struct mapping_program program = {"infer", "a.c", false};
    program_recipe_make(&config, &toy.network, toy.table, &program, recipe.get());
    EXPECT_TRUE(has(recipe->wanted, "nn_kernels_depthwise2d"));
    EXPECT_TRUE(has(recipe->defined, "NN_KERNELS_FIRST=nn_kernels_depthwise2d"));
    EXPECT_TRUE(has(recipe->defined, "nn_conv2d_int16=nn_conv2d_chosen_int16"));
    EXPECT_EQ(program_places_of(toy.table).kernel_count, 1u);
    const test_network linked(LINKED);
    program_recipe_make(&config, &linked.network, linked.table, &program, recipe.get());
    EXPECT_FALSE(has(recipe->wanted, "nn_kernels_depthwise2d"));
    EXPECT_TRUE(has(recipe->defined, "nn_conv2d_int16=nn_conv2d_linked_int16"));
}

} // namespace

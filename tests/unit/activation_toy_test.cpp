/* An activation more costs a file and a row: toy_activation.c and toy_activations.def.  Networks,
 * doubles, integers and programs take it from there. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

extern "C" {
#include "sim/mapping/program_recipe.h"
#include "sim/mapping/program_table.h"
#include "sim/networks/activation.h"
#include "sim/networks/operators.h"
#include "workloads/nn/activation.h"
}

namespace
{

constexpr double TABLE_BOUND = 0x1p-8;

std::string network_of(const std::string &activation)
{
    return "name: toy\nvariant: modern\ninput: {channels: 1, height: 5, width: 5}\n"
           "layers:\n  - {name: c, type: conv2d, maps: 2, kernel: 3, activation: " +
           activation +
           "}\n  - {name: d, type: dense, units: 5, activation: softplus}\n"
           "  - {name: out, type: dense, units: 4, activation: softmax}\n";
}

TEST(ToyActivation, HasARow)
{
    const struct activation *row = activation_of(NETWORK_SOFTPLUS);
    EXPECT_STREQ(row->name, "softplus");
    EXPECT_EQ(row->row, NN_SCALED_TANH + 1);
    EXPECT_EQ(activation_of_row(NN_SOFTPLUS), row);
    const test_network network(network_of("softplus"));
    EXPECT_EQ(network.table->layer[0].activation, NN_SOFTPLUS);
    EXPECT_EQ(network.table->layer[2].activation, NN_IDENTITY);
    EXPECT_EQ(operators_in(&network.layer(0)), OPERATORS_FEW);
}

TEST(ToyActivation, StandsInMessages)
{
    const std::string yaml = network_of("softpluss");
    struct network network;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(network_parse("toy.yaml", yaml.data(), yaml.size(), &network, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.hint, "did you mean \"softplus\"?")) << diagnostic.hint;
}

TEST(ToyActivation, IsInIntegersWhatItIsInDoubles)
{
    std::vector<int16_t> values;
    for (int32_t value = INT16_MIN; value <= INT16_MAX; value += 7) {
        values.push_back(static_cast<int16_t>(value));
    }
    for (const uint32_t fraction : {8u, 11u, 13u}) {
        const double unit = std::ldexp(1, -static_cast<int>(fraction));
        const auto count = static_cast<uint32_t>(values.size());
        std::vector<int16_t> outputs = values;
        std::vector<int16_t> errors(values.size(), 1000);
        nn_activate(NN_SOFTPLUS, fraction, outputs.data(), count);
        nn_activation_back(NN_SOFTPLUS, fraction, outputs.data(), errors.data(), count);
        for (size_t i = 0; i < values.size(); i++) {
            double y = values[i] * unit;
            double error = 1000;
            activation_of(NETWORK_SOFTPLUS)->forward(&y, 1);
            ASSERT_NEAR(outputs[i] * unit, std::min(y, INT16_MAX * unit), unit / 2 + TABLE_BOUND);
            y = outputs[i] * unit;
            activation_of(NETWORK_SOFTPLUS)->backward(&y, &error, 1);
            ASSERT_NEAR(errors[i], error, 0.5 + 1000 * TABLE_BOUND);
        }
    }
}

/* The gradient of each parameter against a central difference. */
TEST(ToyActivation, HasTheLossesSlopeInDoubles)
{
    constexpr double H = 1e-5;
    const test_network network(network_of("softplus"));
    random_source random(4);
    std::vector<double> parameters = random.units(network.parameters(), 0.5);
    std::vector<double> gradients(parameters.size());
    const byte_string image(25, 100);
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

TEST(ToyActivation, RunsBehindALayersKernel)
{
    const test_network toy(network_of("softplus"));
    const test_network relu(network_of("relu"));
    random_source random(5);
    std::vector<int16_t> parameters = random.int16s(toy.table->parameter_bytes / 2, 4000);
    const byte_string image(25, 100);
    EXPECT_NE(integer_run(toy, parameters, image.data()).logits,
              integer_run(relu, parameters, image.data()).logits);
}

bool has(const char (*list)[PROGRAM_TEXT_CHARS], const std::string &text)
{
    bool found = false;
    for (size_t i = 0; i < PROGRAM_SYMBOLS; i++) {
        found = found || text == list[i];
    }
    return found;
}

/* A program has the activations of its network, at places of its own. */
TEST(ToyActivation, IsLinkedWhereItIsNeeded)
{
    struct sim_config config = {};
    const auto recipe = std::make_unique<struct program_recipe>();
    const test_network network(network_of("sigmoid"));
    const struct mapping_program program = {"infer", "a.c", false};
    program_recipe_make(&config, &network.network, network.table, &program, recipe.get());
    EXPECT_TRUE(has(recipe->wanted, "nn_activation_softplus"));
    EXPECT_TRUE(has(recipe->defined, "NN_ACTIVATION_FIRST=nn_activation_sigmoid"));
    EXPECT_TRUE(has(recipe->defined, "NN_ACTIVATION_SECOND=nn_activation_softplus"));
    EXPECT_FALSE(has(recipe->wanted, "nn_activation_tanh"));
    const struct program_places places = program_places_of(network.table);
    EXPECT_EQ(places.activations, 2u);
    EXPECT_EQ(places.activation[0], NN_SIGMOID);
    EXPECT_EQ(places.activation[1], NN_SOFTPLUS);
}

TEST(ToyActivation, IsRefusedWhereAProgramHasNoPlace)
{
    const test_network network(
        "name: toy\nvariant: modern\ninput: {channels: 1, height: 5, width: 5}\nlayers:\n"
        "  - {name: a, type: dense, units: 5, activation: softplus}\n"
        "  - {name: b, type: dense, units: 5, activation: tanh}\n"
        "  - {name: c, type: dense, units: 5, activation: sigmoid}\n"
        "  - {name: d, type: dense, units: 5, activation: scaled_tanh}\n"
        "  - {name: out, type: dense, units: 4, activation: softmax}\n");
    struct diagnostic diagnostic = {};
    uint32_t check;
    EXPECT_EQ(program_table_check(network.table, &check, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_TRUE(
        contains(diagnostic.text, "more activations beside identity and relu than a program has"));
}

} // namespace

/* From a configuration to the numbers of a training, and the first weights. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/config/config.h"
#include "sim/networks/learning.h"
}

#include <gtest/gtest.h>

#include <cmath>

namespace
{

const std::string TRAINING = "name: test\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n"
                             "mode: train\nseed: 5\n";

struct config_of {
    explicit config_of(const std::string &text)
    {
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        status = config_load(&request, &config, &diagnostic);
    }
    ~config_of()
    {
        config_deinit(&config);
    }
    config_of(const config_of &) = delete;
    config_of &operator=(const config_of &) = delete;

    struct sim_config config = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

struct learning_from {
    explicit learning_from(const std::string &train, uint32_t images = 60000)
        : config(TRAINING + "train: {" + train + "}\n")
    {
        EXPECT_EQ(config.status, STATUS_OK) << said(config.diagnostic);
        const std::unique_ptr<test_network> network = lenet1();
        status = learning_of(&config.config, &network->network, images, &learning, &diagnostic);
    }
    const struct learning *operator->() const
    {
        return &learning;
    }

    config_of config;
    struct learning learning = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

TEST(Learning, TheErrorsFormatFollowsTheBatch)
{
    const std::vector<std::pair<uint32_t, uint32_t>> known = {
        {1, 12},  {16, 12},  {17, 11},  {32, 11},   {33, 10},   {96, 9},
        {128, 9}, {129, 8},  {192, 8},  {256, 8},   {257, 7},   {384, 7},
        {768, 6}, {1024, 6}, {1025, 5}, {32768, 1}, {32769, 0}, {60000, 0}};
    for (const auto &[batch, fraction] : known) {
        EXPECT_EQ(training_error_fraction(batch), fraction) << batch;
    }
}

TEST(Learning, TheErrorsFormatMayBeGiven)
{
    const learning_from made("error_fraction: 11");
    ASSERT_EQ(made.status, STATUS_OK);
    EXPECT_EQ(made->rule.error_fraction, 11);
    const config_of config(TRAINING + "train: {error_fraction: 11}\n");
    const std::unique_ptr<test_network> network = lenet1();
    network_use(&network->network, NETWORK_S1615);
    struct learning learning = {};
    struct diagnostic diagnostic = {};
    EXPECT_EQ(learning_of(&config.config, &network->network, 60000, &learning, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_NE(std::string(diagnostic.text).find("fractional bits of its own"), std::string::npos);
}

TEST(Learning, TheRecipeIsTheDefault)
{
    const learning_from made("epochs: 5");
    ASSERT_EQ(made.status, STATUS_OK);
    EXPECT_EQ(made->epochs, 5u);
    EXPECT_EQ(made->batch, 192u);
    EXPECT_EQ(made->updates_per_epoch, 313u);
    EXPECT_EQ(learning_batch_of(&made.learning, 0), 192u);
    EXPECT_EQ(learning_batch_of(&made.learning, 311), 192u);
    EXPECT_EQ(learning_batch_of(&made.learning, 312), 96u);
    EXPECT_EQ(made->order.seed, 5u);
    EXPECT_EQ(made->order.images, 60000u);
    EXPECT_EQ(made->order.shards, 48u);
    EXPECT_EQ(made->schedule.decay, static_cast<uint32_t>(NN_DECAY_LINEAR));
    EXPECT_EQ(made->schedule.updates, 1565u);
    EXPECT_EQ(made->schedule.warm_up, 94u);
    EXPECT_EQ(made->rule.optimizer, NN_MOMENTUM);
    EXPECT_EQ(made->rule.rounding, NN_NEAREST);
    EXPECT_EQ(made->rule.weight_fraction, 13);
    EXPECT_EQ(made->rule.error_fraction, 8);
    EXPECT_EQ(made->rule.activation_fraction, 11);
    EXPECT_EQ(made->rule.rate_shift, 11);
    EXPECT_EQ(made->rule.rate_scale, 1);
    EXPECT_EQ(made->rule.one_less_momentum, 3277u);
    EXPECT_EQ(made->rule.seed, 5u);
}

TEST(Learning, TheOtherFormatHasOneFractionForAll)
{
    const config_of config(TRAINING + "train: {global_batch: 96}\n");
    const std::unique_ptr<test_network> network = lenet1();
    network_use(&network->network, NETWORK_S1615);
    EXPECT_EQ(network->network.input_shift, 7u);
    struct learning learning = {};
    struct diagnostic diagnostic = {};
    ASSERT_EQ(learning_of(&config.config, &network->network, 60000, &learning, &diagnostic),
              STATUS_OK);
    EXPECT_EQ(learning.rule.weight_fraction, 15);
    EXPECT_EQ(learning.rule.error_fraction, 15) << "whatever the batch";
    EXPECT_EQ(learning.rule.activation_fraction, 0) << "products are rounded";
}

/* The same draws as of int16, times 4: bounds and draws are rounded anew. */
TEST(Learning, WeightsOfTheOtherFormatFillTheSameRange)
{
    const std::unique_ptr<test_network> network = lenet1();
    std::vector<int16_t> narrow(weights_places(network->table));
    learning_draw(&network->network, network->table, CONFIG_INITIALIZER_HE, 3, narrow.data());
    network_use(&network->network, NETWORK_S1615);
    std::vector<int32_t> wide(weights_places(network->table));
    ASSERT_EQ(weights_block_bytes(&network->network, network->table), wide.size() * 4);
    learning_draw(&network->network, network->table, CONFIG_INITIALIZER_HE, 3, wide.data());
    for (size_t i = 0; i < wide.size(); i++) {
        EXPECT_NEAR(wide[i], 4.0 * narrow[i], 6.0) << i;
    }
}

/* To 2^-20, all of which a single holds. */
TEST(Learning, SinglesFillTheSameRange)
{
    const std::unique_ptr<test_network> network = lenet1();
    std::vector<int16_t> narrow(weights_places(network->table));
    learning_draw(&network->network, network->table, CONFIG_INITIALIZER_HE, 3, narrow.data());
    network_use(&network->network, NETWORK_FLOAT32);
    std::vector<float> singles(weights_places(network->table));
    ASSERT_EQ(weights_block_bytes(&network->network, network->table), singles.size() * 4);
    learning_draw(&network->network, network->table, CONFIG_INITIALIZER_HE, 3, singles.data());
    for (size_t i = 0; i < singles.size(); i++) {
        EXPECT_NEAR(singles[i], narrow[i] / 8192.0, 1.5 / 8192) << i;
        EXPECT_EQ(singles[i], std::round(singles[i] * 1048576) / 1048576) << i;
    }
}

TEST(Learning, ARateIsAScaleAndAShift)
{
    const learning_from one("learning_rate: 1");
    EXPECT_EQ(one->rule.rate_scale, 1);
    EXPECT_EQ(one->rule.rate_shift, 0);
    const learning_from odd("learning_rate: 0.0029296875"); /* 3 / 1024 */
    EXPECT_EQ(odd->rule.rate_scale, 3);
    EXPECT_EQ(odd->rule.rate_shift, 10);
    for (const char *rate : {"0.001", "0.3333", "0.00001", "0.99999"}) {
        const learning_from made(std::string("learning_rate: ") + rate);
        EXPECT_NEAR(std::ldexp(made->rule.rate_scale, -made->rule.rate_shift) / std::stod(rate), 1,
                    0x1p-15)
            << rate;
        EXPECT_LE(made->rule.rate_scale, 1 << 15);
    }
}

/* The mean of a batch of 192 at 0.09375 is the sum at 2^-11; the last, short batch counts the same
 * for each image. */
TEST(Learning, AMeanDividesTheRateByTheBatch)
{
    const learning_from made("reduction: mean, learning_rate: 0.09375");
    EXPECT_EQ(made->rule.rate_scale, 1);
    EXPECT_EQ(made->rule.rate_shift, 11);
}

TEST(Learning, OptimizersAndSchedulesByName)
{
    const learning_from sgd("optimizer: sgd, decay: none, warm_up: 0, rounding: stochastic");
    EXPECT_EQ(sgd->rule.optimizer, NN_SGD);
    EXPECT_EQ(sgd->rule.rounding, NN_STOCHASTIC);
    EXPECT_EQ(sgd->schedule.decay, static_cast<uint32_t>(NN_DECAY_NONE));
    EXPECT_EQ(sgd->schedule.warm_up, 0u);
    const learning_from adam("optimizer: adam, decay: step, halve_every: 2, epochs: 4");
    EXPECT_EQ(adam->rule.optimizer, NN_ADAM);
    EXPECT_EQ(adam->rule.one_less_momentum, 3277u);
    EXPECT_EQ(adam->rule.one_less_decay, 1049u);
    EXPECT_EQ(adam->rule.epsilon, 1u);
    EXPECT_EQ(adam->schedule.decay, static_cast<uint32_t>(NN_DECAY_STEP));
    EXPECT_EQ(adam->schedule.step_updates, 626u);
    EXPECT_EQ(adam->schedule.step_shift, 1u);
}

TEST(Learning, WhatMakesNoTrainingIsRefused)
{
    const learning_from endless("momentum: 1");
    EXPECT_EQ(endless.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(endless.diagnostic.key, "train.momentum");
    EXPECT_EQ(endless.diagnostic.line, 6);
    const learning_from nothing("learning_rate: 0");
    EXPECT_EQ(nothing.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(nothing.diagnostic.key, "train.learning_rate");
    const learning_from most("global_batch: 1, epochs: 69");
    EXPECT_EQ(most.status, STATUS_OK);
    const learning_from many("global_batch: 1, epochs: 70");
    EXPECT_EQ(many.status, STATUS_CONFIGURATION) << "70 x 60,000 > 2^22";
    EXPECT_STREQ(many.diagnostic.key, "train.epochs");
}

TEST(Learning, KeysWithoutEffectAreRefused)
{
    const auto refused = [](const std::string &train, const std::string &key,
                            const std::string &why) {
        const config_of made(TRAINING + "train: {" + train + "}\n");
        return made.status == STATUS_CONFIGURATION && made.diagnostic.key == key &&
               std::string(made.diagnostic.text).find(why) != std::string::npos;
    };
    EXPECT_TRUE(refused("halve_every: 2", "train.halve_every", "train.decay: step"));
    EXPECT_TRUE(refused("optimizer: adam, reduction: sum", "train.reduction", "gradient descent"));
    EXPECT_TRUE(refused("optimizer: adam, momentum: 0.5", "train.momentum", "momentum"));
    const config_of reals("name: t\ndata: {set: synthetic}\nmode: train\nbackend: host\n"
                          "network: {name: lenet1, number_format: float64}\ntrain: {shards: 2}\n");
    EXPECT_EQ(reals.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(reals.diagnostic.key, "train.shards");
}

/* ---- initial weights ---- */

/* conv1 25 -> 4 x 25, conv2 100 -> 12 x 25, output 192 -> 10 */
TEST(Learning, BoundsOfTheInitializers)
{
    const std::unique_ptr<test_network> network = lenet1();
    const auto bound = [&](size_t layer, enum config_initializer name) {
        return learning_bound(&network->network, layer, name);
    };
    EXPECT_DOUBLE_EQ(bound(0, CONFIG_INITIALIZER_HE), std::sqrt(6 / 25.0));
    EXPECT_DOUBLE_EQ(bound(2, CONFIG_INITIALIZER_HE), std::sqrt(6 / 100.0));
    EXPECT_DOUBLE_EQ(bound(4, CONFIG_INITIALIZER_HE), std::sqrt(3 / 192.0)) << "the output";
    EXPECT_DOUBLE_EQ(bound(0, CONFIG_INITIALIZER_LECUN), std::sqrt(3 / 25.0));
    EXPECT_DOUBLE_EQ(bound(4, CONFIG_INITIALIZER_LECUN), std::sqrt(3 / 192.0));
    EXPECT_DOUBLE_EQ(bound(0, CONFIG_INITIALIZER_GLOROT), std::sqrt(6 / 125.0));
    EXPECT_DOUBLE_EQ(bound(2, CONFIG_INITIALIZER_GLOROT), std::sqrt(6 / 400.0));
    EXPECT_DOUBLE_EQ(bound(4, CONFIG_INITIALIZER_GLOROT), std::sqrt(6 / 202.0));
    EXPECT_EQ(bound(1, CONFIG_INITIALIZER_HE), 0) << "a pool has no weights";
}

std::vector<int16_t> drawn(const test_network &network, enum config_initializer initializer,
                           uint64_t seed)
{
    std::vector<int16_t> block(network.table->parameter_bytes / 2, 1);
    learning_draw(&network.network, network.table, initializer, seed, block.data());
    return block;
}

TEST(Learning, WeightsFillTheirRangeAndBiasesAreZero)
{
    const std::unique_ptr<test_network> network = lenet1();
    for (const auto initializer :
         {CONFIG_INITIALIZER_HE, CONFIG_INITIALIZER_GLOROT, CONFIG_INITIALIZER_LECUN}) {
        const std::vector<int16_t> block = drawn(*network, initializer, 1);
        for (size_t i = 0; i < network->network.layer_count; i++) {
            const size_t weights = network_layer_weights(&network->layer(i));
            if (weights == 0) {
                continue;
            }
            const double most =
                std::floor(8192 * learning_bound(&network->network, i, initializer) + 0.5);
            const int16_t *weight = &block[network->table->layer[i].weights / 2];
            double sum = 0;
            double largest = 0;
            for (size_t j = 0; j < weights; j++) {
                ASSERT_LE(std::abs(weight[j]), most);
                largest = std::max<double>(largest, std::abs(weight[j]));
                sum += weight[j];
            }
            const double n = static_cast<double>(weights);
            EXPECT_GT(largest, most * (1 - 8 / n)) << i;
            EXPECT_LT(std::abs(sum / n), 4 * most / std::sqrt(3 * n)) << i;
            const int16_t *bias = &block[network->table->layer[i].biases / 2];
            for (uint32_t j = 0; j < network_layer_biases(&network->layer(i)); j++) {
                EXPECT_EQ(bias[j], 0);
            }
        }
    }
}

TEST(Learning, WeightsDependOnTheSeedAlone)
{
    const std::unique_ptr<test_network> network = lenet1();
    const std::vector<int16_t> block = drawn(*network, CONFIG_INITIALIZER_HE, 1);
    EXPECT_EQ(block, drawn(*network, CONFIG_INITIALIZER_HE, 1));
    EXPECT_NE(block, drawn(*network, CONFIG_INITIALIZER_HE, 2));
    const std::vector<int16_t> first(block.begin(), block.begin() + 4);
    EXPECT_EQ(first, (std::vector<int16_t>{-1744, -806, -998, 3523}));
}

} // namespace

/* An optimizer more costs a file and a row: toy_optimizer.c and toy_optimizers.def.  Keys,
 * trainings and checkpoints take it from there. */
#include "tests/unit/host_job.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

extern "C" {
#include "sim/networks/optimizer.h"
}

namespace
{

const std::string TRAINING = HOST + "mode: train\nnetwork: {name: lenet1}\n"
                                    "data: {set: synthetic, train_images: 960, test_images: 200}\n";

TEST(ToyOptimizer, HasARowAndItsState)
{
    const struct optimizer *row = optimizer_of(CONFIG_OPTIMIZER_AGREE);
    EXPECT_STREQ(row->name, "agree");
    EXPECT_STREQ(config_optimizer_text(CONFIG_OPTIMIZER_AGREE), "agree");
    EXPECT_EQ(optimizer_of_rule(NN_AGREE), row);
    EXPECT_EQ(row->state_words, 1);
    struct nn_rule rule = {};
    rule.optimizer = NN_AGREE;
    EXPECT_EQ(nn_rule_state_words(&rule), 1u);
    const char *what = "";
    EXPECT_TRUE(row->is_state(0, -1, &what));
    EXPECT_FALSE(row->is_state(0, 2, &what));
    EXPECT_STREQ(what, "sign");
}

TEST(ToyOptimizer, MovesIntegersAndDoublesAlike)
{
    struct nn_rule rule = {}; /* a full rate of 2^-6 is 128 units of a weight */
    rule.optimizer = NN_AGREE;
    rule.weight_fraction = 13;
    rule.rate_shift = 6;
    rule.rate_scale = 1;
    struct nn_update_note note = {};
    const struct optimizer_step exact = {0, 0x1p-6, 0};
    nn_value parameter = 500;
    int32_t sign = 0;
    double real = 500;
    double state = 0;
    const int32_t gradients[] = {7, 9, 1, -3, -1, 0, 0};
    const nn_value expected[] = {500, 372, 244, 244, 372, 372, 372};
    for (uint32_t i = 0; i < std::size(gradients); i++) {
        nn_update(&rule, i, 256, 0, 1, 1, &gradients[i], &sign, &parameter, &note);
        EXPECT_EQ(parameter, expected[i]) << i;
        const double gradient = gradients[i];
        double moved = real / 8192;
        optimizer_of(CONFIG_OPTIMIZER_AGREE)->doubles(&exact, 1, &gradient, &state, &moved);
        real = moved * 8192;
        EXPECT_EQ(real, expected[i]) << i;
        EXPECT_EQ(state, sign) << i;
    }
}

TEST(ToyOptimizer, TrainsByItsKey)
{
    const std::string keys = "train: {optimizer: agree, epochs: 2, global_batch: 48, "
                             "learning_rate: 0.015625}\n";
    for (const char *format : {"network.number_format=int16", "network.number_format=float64"}) {
        host_job j(TRAINING + keys, {format});
        ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
        EXPECT_EQ(j.outcome.updates, 40u);
        EXPECT_GE(j.outcome.right, 160u) << format << ": of 200";
    }
}

TEST(ToyOptimizer, StandsInMessages)
{
    for (const auto &[keys, text, hint] :
         {std::tuple{"{optimizer: agreee}", "", "did you mean \"agree\"?"},
          std::tuple{"{optimizer: agree, momentum: 0.5}", "no effect without", ""}}) {
        const std::string yaml = TRAINING + "train: " + keys + "\n";
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = yaml.data();
        request.text_bytes = yaml.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        struct sim_config config;
        struct diagnostic said_of = {};
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_CONFIGURATION);
        EXPECT_TRUE(contains((said_of.text + std::string(said_of.hint)).c_str(), text) &&
                    contains((said_of.text + std::string(said_of.hint)).c_str(), hint))
            << said(said_of);
        config_deinit(&config);
    }
}

} // namespace

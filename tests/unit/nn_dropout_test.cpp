/* Dropout: which values are left out, and what becomes of the rest. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/integer_fixture.h"

extern "C" {
#include "workloads/nn/dropout.h"
}

#include <gtest/gtest.h>

namespace
{

/* A fifth, the rest times 1.25. */
struct nn_layer fifth()
{
    struct nn_layer layer = {};
    layer.dropout_share = 51;
    layer.dropout_gain = 64;
    return layer;
}

std::vector<nn_value> dropped(uint32_t key, uint32_t first, std::vector<nn_value> values,
                              uint32_t *cuts = nullptr)
{
    const struct nn_layer layer = fifth();
    uint32_t own = 0;
    nn_dropout(&layer, key, first, static_cast<uint32_t>(values.size()), values.data(),
               cuts == nullptr ? &own : cuts);
    EXPECT_EQ(own, 0u);
    return values;
}

TEST(NnDropout, LeavesOutAFifthAndEnlargesTheRest)
{
    enum { COUNT = 100000 };
    const std::vector<nn_value> made = dropped(5, 0, std::vector<nn_value>(COUNT, 1000));
    uint32_t out = 0;
    for (const nn_value value : made) {
        ASSERT_TRUE(value == 0 || value == 1250);
        out += value == 0;
    }
    EXPECT_NEAR(out, COUNT * 51 / 256.0, 5 * 126); /* five deviations */
}

/* v + ((v + 2) >> 2), ties upwards: with a floor the mean would fall. */
TEST(NnDropout, RoundsToNearest)
{
    const std::vector<nn_value> values = {-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6};
    const std::vector<nn_value> expected = {-7, -6, -5, -4, -2, -1, 0, 1, 3, 4, 5, 6, 8};
    for (size_t i = 0; i < values.size(); i++) {
        uint32_t key = 0;
        while (dropped(key, 0, {1000})[0] == 0) {
            key++;
        }
        EXPECT_EQ(dropped(key, 0, {values[i]})[0], expected[i]) << values[i];
    }
}

TEST(NnDropout, CutsAndCounts)
{
    uint32_t key = 0;
    while (dropped(key, 0, {1000, 1000}) != std::vector<nn_value>(2, 1250)) {
        key++;
    }
    uint32_t cuts = 0;
    EXPECT_EQ(dropped(key, 0, {26213, -26214}, &cuts), (std::vector<nn_value>{32766, -32767}));
    EXPECT_EQ(cuts, 0u);
    EXPECT_EQ(dropped(key, 0, {26214, -26215}, &cuts), (std::vector<nn_value>{32767, -32768}));
    EXPECT_EQ(cuts, 2u);
}

TEST(NnDropout, WithoutAShareNothingHappens)
{
    const struct nn_layer layer = {};
    std::vector<nn_value> values = {1, -2, 32767};
    uint32_t cuts = 0;
    nn_dropout(&layer, 3, 0, 3, values.data(), &cuts);
    EXPECT_EQ(values, (std::vector<nn_value>{1, -2, 32767}));
}

/* Parts of a layer, on several cores, are the whole. */
TEST(NnDropout, PartsAreTheWhole)
{
    const std::vector<nn_value> whole = dropped(7, 0, std::vector<nn_value>(128, 100));
    std::vector<nn_value> parts;
    for (const uint32_t count : {1u, 40u, 87u}) {
        const std::vector<nn_value> part =
            dropped(7, static_cast<uint32_t>(parts.size()), std::vector<nn_value>(count, 100));
        parts.insert(parts.end(), part.begin(), part.end());
    }
    EXPECT_EQ(parts, whole);
}

/* Of two images 68 % of the units agree by chance (0.8^2 + 0.2^2); with one mask for all images, or
 * for all replicas, all would. */
uint32_t agreeing(uint32_t key, uint32_t other)
{
    const std::vector<nn_value> a = dropped(key, 0, std::vector<nn_value>(10000, 100));
    const std::vector<nn_value> b = dropped(other, 0, std::vector<nn_value>(10000, 100));
    uint32_t count = 0;
    for (size_t i = 0; i < a.size(); i++) {
        count += a[i] == b[i];
    }
    return count;
}

TEST(NnDropout, IsAnotherOneForEachSeedEpochImageAndLayer)
{
    const uint32_t key = nn_dropout_key(1, 2, 3, 4);
    EXPECT_EQ(nn_dropout_key(1, 2, 3, 4), key);
    for (const uint32_t other : {nn_dropout_key(2, 2, 3, 4), nn_dropout_key(1, 3, 3, 4),
                                 nn_dropout_key(1, 2, 4, 4), nn_dropout_key(1, 2, 3, 5)}) {
        EXPECT_NEAR(agreeing(key, other), 6800, 300);
    }
    EXPECT_EQ(agreeing(key, key), 10000u);
}

TEST(NnDropout, KeysArePinned)
{
    EXPECT_EQ(nn_dropout_key(1, 0, 0, 0), 1391380922u);
    EXPECT_EQ(nn_dropout_key(1, 4, 59999, 2), 843648692u);
}

/* ---- in a training ---- */

const std::string DROPPING =
    HEAD + "  - {name: h, type: dense, units: 24, activation: relu, dropout: 0.2}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";

TEST(NnDropout, TheNetworksTableSaysHowMuch)
{
    const test_network network(DROPPING);
    EXPECT_EQ(network.table->layer[0].dropout_share, 51);
    EXPECT_EQ(network.table->layer[0].dropout_gain, 64);
    EXPECT_EQ(network.table->layer[1].dropout_share, 0);
    EXPECT_TRUE(network_has_dropout(&network.network));
    const test_network other(SMALL);
    EXPECT_FALSE(network_has_dropout(&other.network));
}

/* A unit that is left out has no gradient; one that is not has 1.25 times the error, and its
 * output counts 1.25 times in the layer behind. */
TEST(NnDropout, ChangesValuesAndErrorsAlike)
{
    training t(DROPPING, 8, 10, 8);
    t.request.threads = 1;
    struct integer_pass pass;
    ASSERT_EQ(integer_pass_init(&pass, t.network.table, 8, &t.said_of), STATUS_OK);
    const struct nn_layer kept = t.network.table->layer[0];
    struct nn_layer *hidden = &t.network.table->layer[0];
    uint32_t out = 0;
    for (uint32_t image = 0; image < 8; image++) {
        pass.draw = {1, 0, image};
        hidden->dropout_share = 0;
        uint32_t loss;
        (void)integer_forward(&pass, t.initial.data(), t.train.image(image), 3, &loss);
        const std::vector<nn_value> before(pass.value[1], pass.value[1] + 24);
        *hidden = kept;
        (void)integer_forward(&pass, t.initial.data(), t.train.image(image), 3, &loss);
        const std::vector<nn_value> after(pass.value[1], pass.value[1] + 24);
        EXPECT_EQ(after, dropped(nn_dropout_key(1, 0, image, 0), 0, before));
        std::vector<int32_t> gradients(t.initial.size());
        const std::vector<nn_value> errors(pass.error[2], pass.error[2] + 10);
        integer_backward(&pass, t.initial.data(), gradients.data());
        const int16_t *weights = &t.initial[t.network.table->layer[1].weights / 2];
        for (size_t u = 0; u < 24; u++) {
            int32_t sum = 0;
            for (size_t c = 0; c < 10; c++) {
                sum += weights[c * 24 + u] * errors[c];
            }
            const int32_t error = (sum + (1 << 12)) >> 13;
            const int32_t bias = gradients[t.network.table->layer[0].biases / 2 + u];
            EXPECT_EQ(bias, after[u] > 0 ? error + ((error + 2) >> 2) : 0);
            out += after[u] == 0 && before[u] > 0;
        }
    }
    EXPECT_GT(out, 5u);
    integer_pass_deinit(&pass);
}

TEST(NnDropout, ATrainingWithItIsTheSameOnAnyNumberOfThreads)
{
    std::vector<std::vector<int16_t>> all;
    for (const unsigned threads : {1u, 3u}) {
        training t(DROPPING, 60, 20, 24);
        t.request.threads = threads;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        all.push_back(t.trained());
    }
    EXPECT_EQ(all[0], all[1]);
    training without(DROPPING, 60, 20, 24);
    without.network.table->layer[0].dropout_share = 0;
    ASSERT_EQ(without.run(), STATUS_OK) << said(without.said_of);
    EXPECT_NE(without.trained(), all[0]);
}

} // namespace

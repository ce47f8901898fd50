/* Training in integers on the host: its gradients against doubles, its steps against the rule, the
 * same bits on any number of threads, and what ends it. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/integer_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace
{

/* ---- gradients ---- */

struct gradient_case {
    const std::string &yaml;
    double most;
    enum nn_loss loss;
};

/* Fractional bits of errors.  Errors go beyond +-2 with the square loss, behind bitmaps beyond +-8.
 */
int error_bits(const gradient_case &c)
{
    if (c.yaml == BITMAPS) {
        return 10;
    }
    return c.loss == NN_SQUARE ? 12 : 14;
}

/* The gradients of a layer's weights or biases, `count` integers with `bits` fractional bits. */
std::vector<double> as_doubles(const int32_t *made, size_t count, int bits)
{
    std::vector<double> result;
    for (size_t j = 0; j < count; j++) {
        result.push_back(std::ldexp(made[j], -bits));
    }
    return result;
}

/* Compares the gradients of layer i, its weights or its biases, with those of doubles. */
void compare_gradients(const training &t, const std::vector<double> &exact, size_t i, bool biases,
                       const gradient_case &c)
{
    const struct weights_place place = weights_place(&t.network.network, i);
    const struct nn_layer &row = t.network.table->layer[i];
    const size_t count = biases ? network_layer_biases(&t.network.layer(i))
                                : network_layer_weights(&t.network.layer(i));
    const std::vector<double> integers =
        as_doubles(&t.gradients[0][(biases ? row.biases : row.weights) / 2], count,
                   error_bits(c) + (biases ? 0 : 11));
    if (row.kind == NN_RBF) {
        EXPECT_EQ(integers, std::vector<double>(count)) << "it is not trained";
    } else if (count > 0) {
        const auto at = exact.begin() + static_cast<long>(biases ? place.biases : place.weights);
        EXPECT_LT(distance(integers, std::vector<double>(at, at + static_cast<long>(count))),
                  c.most)
            << t.network.layer(i).name << (biases ? " biases" : " weights");
    }
}

/* Each layer's weights and biases apart, so that a wrong sign or scale of a small part shows. What
 * remains is the rounding of activations (2^-12 of at most 16) and of errors (2^-15): a few
 * thousandths; more where a rounding opens or closes a unit, and where errors become small: an
 * average divides them by the values of its window, and tanh by more. */
TEST(IntegerTrain, GradientsAreTheDoubles)
{
    const gradient_case cases[] = {{ALL_KINDS, 0.01, NN_SOFTMAX_CROSS_ENTROPY},
                                   {SMALL, 0.01, NN_SOFTMAX_CROSS_ENTROPY},
                                   {AVERAGES, 0.02, NN_SOFTMAX_CROSS_ENTROPY},
                                   {OPERATORS, 0.06, NN_SOFTMAX_CROSS_ENTROPY},
                                   {BITMAPS, 0.02, NN_COMPETITIVE},
                                   {BITMAPS, 0.02, NN_SOFTMAX_CROSS_ENTROPY},
                                   {ALL_KINDS, 0.01, NN_SQUARE},
                                   {SMALL, 0.01, NN_SQUARE}};
    for (const gradient_case &c : cases) {
        training t(c.yaml, 64, 10, 16);
        t.use_loss(c.loss);
        t.stop_after = 1;
        t.learning.rule.error_fraction = static_cast<uint8_t>(error_bits(c));
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        const std::vector<double> exact = double_gradients(t, t.batch(0));
        for (size_t i = 0; i < t.network.network.layer_count; i++) {
            compare_gradients(t, exact, i, false, c);
            compare_gradients(t, exact, i, true, c);
        }
    }
}

/* The bitmaps are what they were, and the other layers learn with either loss. */
TEST(IntegerTrain, BitmapsAreNotTrained)
{
    for (const enum nn_loss loss : {NN_COMPETITIVE, NN_SOFTMAX_CROSS_ENTROPY}) {
        training t(BITMAPS, 480, 100, 16);
        t.use_loss(loss);
        t.learning.rule.rate_shift = 12;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        const std::vector<int16_t> trained = t.trained();
        const size_t first = t.network.table->layer[3].weights / 2;
        EXPECT_EQ(
            std::vector<int16_t>(trained.begin() + static_cast<long>(first), trained.end()),
            std::vector<int16_t>(t.initial.begin() + static_cast<long>(first), t.initial.end()));
        for (size_t i = 0; i < 840; i++) {
            ASSERT_EQ(std::abs(trained[first + i]), 1 << 13);
        }
        EXPECT_GT(t.result.test_accuracy, 0.3);
    }
}

/* ---- steps ---- */

/* Each update is nn_update() of the sums that the listener saw, with the schedule's rate. */
TEST(IntegerTrain, FollowsItsRule)
{
    training t(SMALL, 40, 10, 16);
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    ASSERT_EQ(t.gradients.size(), 3u);
    std::vector<int16_t> parameters = t.initial;
    std::vector<int32_t> state(parameters.size());
    struct nn_update_note note = {};
    for (uint32_t update = 0; update < 3; update++) {
        const uint32_t rate = nn_rate(&t.learning.schedule, update);
        EXPECT_EQ(rate, (std::vector<uint32_t>{128, 256, 256})[update]);
        for (size_t i = 0; i < t.network.network.layer_count; i++) {
            const struct nn_layer &row = t.network.table->layer[i];
            const uint32_t weights = row.weights / 2;
            const uint32_t biases = row.biases / 2;
            const auto count = static_cast<uint32_t>(network_layer_weights(&t.network.layer(i)));
            nn_update(&t.learning.rule, update, rate, weights, count, UINT32_MAX,
                      &t.gradients[update][weights], &state[weights], &parameters[weights], &note);
            nn_update(&t.learning.rule, update, rate, biases,
                      network_layer_biases(&t.network.layer(i)), 0, &t.gradients[update][biases],
                      &state[biases], &parameters[biases], &note);
        }
        EXPECT_EQ(parameters, t.parameters[update]) << update;
    }
    EXPECT_EQ(t.trained(), parameters);
    EXPECT_NE(parameters, t.initial);
    EXPECT_EQ(t.result.met.largest_sum, note.largest);
    EXPECT_EQ(t.result.updates, 3u);
    EXPECT_EQ(t.result.images, 40u);
}

/* A short last batch is no special case: its sum is the sum over its images. */
TEST(IntegerTrain, SumsOfBatchesAddUp)
{
    training parts(SMALL, 20, 10, 16);
    training whole(SMALL, 20, 10, 20);
    for (training *t : {&parts, &whole}) {
        t->learning.rule.error_fraction = 10;
        t->learning.rule.rate_scale = 0; /* nothing moves */
        ASSERT_EQ(t->run(), STATUS_OK) << said(t->said_of);
    }
    ASSERT_EQ(parts.gradients.size(), 2u);
    ASSERT_EQ(whole.gradients.size(), 1u);
    for (size_t i = 0; i < parts.gradients[0].size(); i++) {
        ASSERT_EQ(parts.gradients[0][i] + parts.gradients[1][i], whole.gradients[0][i]);
    }
    EXPECT_EQ(parts.trained(), parts.initial);
}

TEST(IntegerTrain, IsTheSameOnAnyNumberOfThreads)
{
    std::vector<std::vector<int16_t>> all;
    for (const unsigned threads : {1u, 2u, 3u, 7u, 40u}) {
        training t(ALL_KINDS, 60, 20, 24);
        t.request.threads = threads;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        all.push_back(t.trained());
        EXPECT_EQ(all.back(), all.front()) << threads;
        EXPECT_EQ(t.result.test_loss, t.progress.back().loss);
    }
}

TEST(IntegerTrain, BitsArePinned)
{
    training t(ALL_KINDS, 60, 20, 24);
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_EQ(sha256_of(t.trained().data(), t.network.table->parameter_bytes),
              "75a36559961a7d704423bdbfa2e04df3f5adee1fdf71b2d440b00c7fc4640098");
}

/* ---- progress ---- */

TEST(IntegerTrain, TellsOfUpdatesAndTests)
{
    training t(SMALL, 40, 20, 16);
    t.learning.epochs = 3;
    t.learning.schedule.updates = 9;
    t.request.test_every_epochs = 2;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    std::string rows;
    for (const struct trainer_news &p : t.progress) {
        rows += std::to_string(p.update) + "/" + std::to_string(p.epoch) + "/" +
                std::to_string(p.images) + (p.event == TRAINER_TESTED ? "t " : " ");
        EXPECT_EQ(p.updates, 9u);
        EXPECT_GT(p.loss, 0);
    }
    EXPECT_EQ(rows, "1/1/16 2/1/32 3/1/40 4/2/56 5/2/72 6/2/80 6/2/80t 7/3/96 8/3/112 9/3/120 "
                    "9/3/120t ");
    EXPECT_EQ(t.result.test_loss, t.progress.back().loss);
    EXPECT_EQ(t.result.test_accuracy, t.progress.back().accuracy);
}

/* The listener fails. */
TEST(IntegerTrain, StopsAfterSoManyUpdates)
{
    training t(SMALL, 40, 20, 16);
    t.learning.epochs = 2;
    t.learning.schedule.updates = 6;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    const std::vector<int16_t> fourth = t.parameters[3];
    t.stop_after = 4;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_EQ(t.result.updates, 4u);
    EXPECT_EQ(t.result.images, 56u);
    EXPECT_EQ(t.trained(), fourth);
    EXPECT_EQ(t.progress.size(), 4u) << "no test";
}

TEST(IntegerTrain, LearnsTheGeneratedDigits)
{
    training t(LENET1, 3000, 500, 48);
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_GT(t.result.test_accuracy, 0.8);
    EXPECT_EQ(t.result.met.error_saturations, 0u);
    EXPECT_EQ(t.result.met.weight_saturations, 0u);
    EXPECT_EQ(t.result.met.overflows, 0u);
}

/* ---- what ends it ---- */

TEST(IntegerTrain, RoomIsHalfOfThirtyTwoBits)
{
    EXPECT_TRUE(learning_has_room(UINT32_C(1) << 30));
    EXPECT_FALSE(learning_has_room((UINT32_C(1) << 30) + 1));
    EXPECT_FALSE(learning_has_room(UINT32_C(1) << 31));
}

/* Errors with 14 fractional bits over 192 images: the sums leave their room, and which one, when
 * and how large is said. With the recipe's 8 they keep it. */
TEST(IntegerTrain, ASumWithoutRoomEndsTheRun)
{
    training t(LENET1, 1920, 10, 192);
    t.learning.rule.rate_shift = 11;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_EQ(t.learning.rule.error_fraction, 8);
    EXPECT_GT(t.result.met.largest_sum, 0u);
    EXPECT_LT(t.result.met.largest_sum, UINT32_C(1) << 28) << "the head-room is 8 or more";
    t.learning.rule.error_fraction = 14;
    ASSERT_EQ(t.run(), STATUS_CONFIGURATION);
    EXPECT_TRUE(t.parameters.empty());
    EXPECT_STREQ(t.said_of.key, "train.learning_rate");
    EXPECT_TRUE(contains(t.said_of.text,
                         "layer output, update 1: the gradient of weight 277 adds up "
                         "to 2116150946"))
        << t.said_of.text;
}

TEST(IntegerTrain, RefusesWhatDoesNotFit)
{
    training t(SMALL, 40, 10, 16);
    struct dataset none = {};
    t.request.train = &none;
    EXPECT_EQ(t.run(), STATUS_CONFIGURATION);
    t.request.train = &t.train.dataset;
    t.request.test = &none;
    EXPECT_EQ(t.run(), STATUS_CONFIGURATION);
}

/* Errors go back through a pool with the convolution in front of it, not through two pools. */
TEST(IntegerTrain, RefusesAPoolOnAPool)
{
    training t(HEAD + "  - {name: a, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
                      "  - {name: q, type: max_pool2d, size: 2}\n"
                      "  - {name: second, type: max_pool2d, size: 2}\n"
                      "  - {name: out, type: dense, units: 10, activation: softmax}\n",
               20, 10, 16);
    EXPECT_EQ(t.run(), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(t.said_of.text, "layer second")) << t.said_of.text;
    EXPECT_TRUE(contains(t.said_of.hint, "must follow a convolution"));
}

} // namespace

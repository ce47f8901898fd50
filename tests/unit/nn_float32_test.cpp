/* The kernels on singles: against doubles within the roundings of their sums, gradients within half
 * a unit of their words, the exponential within three units of its last place; and what of it is
 * exact. */
extern "C" {
#include "models/common/draw.h"
#include "workloads/nn/backward.h"
#include "workloads/nn/dropout.h"
#include "workloads/nn/loss.h"
#include "workloads/nn/update.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace
{

using values = std::vector<float>;

/* Half a unit of the last place of 1: what a rounding is away, relatively. */
const double ROUNDING = std::ldexp(1, -24);

class random_source
{
  public:
    explicit random_source(uint64_t seed) : seed_(seed)
    {
    }
    values many(size_t count, double most)
    {
        values made(count);
        for (float &value : made) {
            const auto word = static_cast<int32_t>(draw_word(seed_, 0, taken_++));
            value = static_cast<float>(std::ldexp(word, -31) * most);
        }
        return made;
    }

  private:
    uint64_t seed_, taken_ = 0;
};

struct nn_layer dense_layer(uint16_t inputs, uint16_t outputs)
{
    struct nn_layer layer = {};
    layer.kind = NN_DENSE;
    layer.input = {inputs, 1, 1, 0};
    layer.output = {outputs, 1, 1, 0};
    return layer;
}

/* A sum of n products is 2 n roundings away from the exact one at most, each relative to a sum that
 * is no larger than that of the magnitudes (and a little, for roundings of roundings). */
TEST(NnFloat32, DenseIsTheSumOfDoublesWithinItsRoundings)
{
    random_source random(1);
    for (const uint16_t inputs : {1, 7, 120, 784}) {
        struct nn_layer layer = dense_layer(inputs, 6);
        const values weights = random.many(size_t{6} * inputs, 0.5);
        const values biases = random.many(6, 1);
        const values input = random.many(inputs, 4);
        for (const bool last : {false, true}) {
            layer.is_last = last;
            layer.activation = last ? NN_IDENTITY : NN_RELU;
            values output(6);
            struct nn_numerics numerics = {};
            const struct nn_arguments arguments = {&layer,       weights.data(), biases.data(),
                                                   input.data(), output.data(),  &numerics};
            nn_dense(&arguments);
            for (size_t o = 0; o < 6; o++) {
                double exact = biases[o];
                double size = std::fabs(exact);
                for (size_t i = 0; i < inputs; i++) {
                    const double product = double{weights[o * inputs + i]} * input[i];
                    exact += product;
                    size += std::fabs(product);
                }
                exact = last || exact > 0 ? exact : 0;
                EXPECT_NEAR(output[o], exact, 2.01 * inputs * ROUNDING * size) << inputs;
            }
        }
    }
}

TEST(NnFloat32, ErrorsGoBackAsTheSumsOfDoubles)
{
    random_source random(2);
    const struct nn_layer layer = dense_layer(30, 10);
    const values weights = random.many(300, 1);
    const values errors = random.many(10, 1);
    values sums(30);
    nn_dense_input_sums(&layer, weights.data(), errors.data(), sums.data());
    values back(30);
    struct nn_numerics numerics = {};
    nn_round_errors(sums.data(), back.data(), 30, 13, &numerics);
    EXPECT_EQ(back, sums) << "nothing is rounded again";
    for (size_t i = 0; i < 30; i++) {
        double exact = 0;
        double size = 0;
        for (size_t o = 0; o < 10; o++) {
            exact += double{weights[o * 30 + i]} * errors[o];
            size += std::fabs(double{weights[o * 30 + i]} * errors[o]);
        }
        EXPECT_NEAR(sums[i], exact, 2.01 * 10 * ROUNDING * size);
    }
}

/* Each image adds a product that is half a unit away at most, and its single's rounding. */
TEST(NnFloat32, GradientsAreWordsWithinHalfAUnitAnImage)
{
    random_source random(3);
    const struct nn_layer layer = dense_layer(40, 3);
    enum { IMAGES = 9 };
    const values input = random.many(size_t{40} * IMAGES, 2);
    const values errors = random.many(size_t{4} * IMAGES, 1);
    std::vector<int32_t> weights(120, 5);
    std::vector<int32_t> biases(3, -7);
    std::vector<int32_t> parts = weights;
    std::vector<int32_t> part_biases = biases;
    nn_dense_gradient_of(&layer, input.data(), 40, errors.data(), 4, IMAGES, weights.data(),
                         biases.data());
    for (const size_t n : {8, 2, 0, 1, 3, 4, 7, 6, 5}) {
        nn_dense_gradient(&layer, &input[40 * n], &errors[4 * n], parts.data(), part_biases.data());
    }
    EXPECT_EQ(parts, weights) << "images in any order";
    EXPECT_EQ(part_biases, biases);
    const double unit = std::ldexp(1, -NN_ERROR_FRACTION);
    for (size_t o = 0; o < 3; o++) {
        double bias = -7 * unit;
        for (size_t n = 0; n < IMAGES; n++) {
            bias += errors[4 * n + o];
        }
        EXPECT_NEAR(biases[o] * unit, bias, IMAGES * unit / 2);
        for (size_t i = 0; i < 40; i++) {
            double exact = 5 * unit;
            for (size_t n = 0; n < IMAGES; n++) {
                exact += double{input[40 * n + i]} * errors[4 * n + o];
            }
            EXPECT_NEAR(weights[40 * o + i] * unit, exact, IMAGES * (unit / 2 + 2 * ROUNDING));
        }
    }
}

TEST(NnFloat32, WordsAreRoundedToNearestAndCutAtTheirRange)
{
    EXPECT_EQ(nn_float_word(0, 20), 0);
    EXPECT_EQ(nn_float_word(1, 20), 1 << 20);
    EXPECT_EQ(nn_float_word(-1, 20), -(1 << 20));
    EXPECT_EQ(nn_float_word(0.5F, 0), 1) << "ties away from 0";
    EXPECT_EQ(nn_float_word(-0.5F, 0), -1);
    EXPECT_EQ(nn_float_word(std::nextafter(0.5F, 0.0F), 0), 0);
    EXPECT_EQ(nn_float_word(1.5F, 0), 2);
    EXPECT_EQ(nn_float_word(2.5F, 0), 3);
    EXPECT_EQ(nn_float_word(std::nextafter(2.5F, 0.0F), 0), 2);
    EXPECT_EQ(nn_float_word(8388609, 0), 8388609) << "all bits in use";
    EXPECT_EQ(nn_float_word(std::ldexp(1.0F, -21), 20), 1);
    EXPECT_EQ(nn_float_word(std::ldexp(0.99F, -21), 20), 0);
    EXPECT_EQ(nn_float_word(std::numeric_limits<float>::denorm_min(), 20), 0);
    const float below = std::nextafter(2048.0F, 0.0F);
    EXPECT_EQ(nn_float_word(below, 20), INT32_MAX - 127);
    EXPECT_EQ(nn_float_word(2048, 20), INT32_MAX);
    EXPECT_EQ(nn_float_word(-2048, 20), -INT32_MAX);
    EXPECT_EQ(nn_float_word(std::numeric_limits<float>::infinity(), 20), INT32_MAX);
    EXPECT_EQ(nn_float_word(-std::numeric_limits<float>::infinity(), 20), -INT32_MAX);
    EXPECT_EQ(nn_float_word(std::nanf(""), 20), INT32_MAX);
    EXPECT_EQ(nn_float_word(-std::nanf(""), 20), INT32_MAX);
}

TEST(NnFloat32, TheExponentialIsWithinThreeUnitsOfItsLastPlace)
{
    EXPECT_EQ(nn_float_exp(0), 1);
    EXPECT_EQ(nn_float_exp(std::nextafter(-87.0F, -88.0F)), 0);
    EXPECT_EQ(nn_float_exp(-std::numeric_limits<float>::infinity()), 0);
    EXPECT_EQ(nn_float_exp(std::nanf("")), 0);
    double worst = 0;
    for (uint32_t i = 0; i <= 87 * 4096; i++) {
        const float value = -static_cast<float>(i) / 4096;
        const double exact = std::exp(double{value});
        const double unit = std::ldexp(1, std::ilogb(exact) - 23);
        worst = std::fmax(worst, std::fabs(nn_float_exp(value) - exact) / unit);
    }
    EXPECT_LT(worst, 3);
    EXPECT_GT(worst, 0.5) << "it is not exact, so this test can see it";
}

TEST(NnFloat32, SoftmaxItsErrorsAndItsLoss)
{
    random_source random(4);
    for (uint32_t label = 0; label < 10; label++) {
        const values logits = random.many(10, label % 2 == 0 ? 3 : 60);
        values errors(10);
        uint32_t loss;
        uint32_t probability[10];
        const uint32_t best =
            nn_softmax_error(logits.data(), 10, 0, nullptr, label, 0, errors.data(), &loss);
        EXPECT_EQ(nn_softmax(logits.data(), 10, 0, nullptr, probability), best);
        double sum = 0;
        for (const float logit : logits) {
            EXPECT_LE(logit, logits[best]);
            sum += std::exp(double{logit} - logits[best]);
        }
        for (uint32_t c = 0; c < 10; c++) {
            const double p = std::exp(double{logits[c]} - logits[best]) / sum;
            EXPECT_NEAR(errors[c], p - (c == label ? 1 : 0), 1e-6);
            EXPECT_NEAR(probability[c], p * 65536, 0.6);
        }
        const double exact = std::log(sum) + logits[best] - logits[label];
        EXPECT_NEAR(loss / 65536.0, exact, 5e-5);
    }
}

TEST(NnFloat32, SquareErrorIsTheDifference)
{
    const values outputs = {2.5F, 0.75F, -1};
    values errors(3);
    uint32_t loss;
    EXPECT_EQ(nn_square_error(outputs.data(), 3, 0, nullptr, 1, 0, errors.data(), &loss), 0u);
    EXPECT_EQ(errors, (values{2.5F, -0.25F, -1}));
    EXPECT_EQ(loss, 239616u); /* (6.25 + 0.0625 + 1) / 2 x 65536 */
}

TEST(NnFloat32, WrongClassesKeepTheirErrorHoweverSure)
{
    const values logits = {0, 500, 0};
    values errors(3);
    uint32_t loss;
    EXPECT_EQ(nn_softmax_error(logits.data(), 3, 0, nullptr, 0, 0, errors.data(), &loss), 1u);
    EXPECT_EQ(errors, (values{-1, 1, 0}));
    EXPECT_EQ(loss, 500u << 16);
}

TEST(NnFloat32, AnUpdateIsThatOfDoublesWithinItsRoundings)
{
    struct nn_rule rule = {};
    rule.optimizer = NN_MOMENTUM;
    rule.rate_scale = 3;
    rule.rate_shift = 10;
    rule.one_less_momentum = 3277;
    EXPECT_EQ(nn_rule_state_words(&rule), 1u);
    random_source random(5);
    const values before = random.many(50, 1);
    const values velocity = random.many(50, 0.01);
    values weights = before;
    std::vector<int32_t> state(50);
    std::vector<int32_t> gradient(50);
    for (size_t i = 0; i < 50; i++) {
        state[i] = static_cast<int32_t>(nn_float_bits(velocity[i]));
        gradient[i] = static_cast<int32_t>(i * i * 7919) - 9000000;
    }
    struct nn_update_note note = {};
    nn_update(&rule, 0, 200, 100, 50, 120, gradient.data(), state.data(), weights.data(), &note);
    for (size_t i = 0; i < 50; i++) {
        const double exact = velocity[i] * (1 - 3277.0 / 32768) +
                             std::ldexp(gradient[i], -20) * (3.0 / 1024) * (200.0 / 256);
        const double v = nn_float_of(static_cast<uint32_t>(state[i]));
        EXPECT_NEAR(v, exact, 0.06 * 4 * ROUNDING);
        EXPECT_EQ(weights[i], static_cast<float>(before[i] - v));
    }
    EXPECT_EQ(note.largest, 10013519u);
    EXPECT_EQ(note.largest_at, 149u);
    rule.optimizer = NN_SGD;
    EXPECT_EQ(nn_rule_state_words(&rule), 0u);
    values plain = {1};
    const int32_t one = 1 << 20;
    nn_update(&rule, 0, 256, 0, 1, 1, &one, nullptr, plain.data(), &note);
    EXPECT_EQ(plain[0], 1 - 3.0F / 1024);
}

TEST(NnFloat32, PixelsReluAndDropoutAreExact)
{
    struct nn_table table = {};
    table.image_pixels = 256;
    table.input_shift = 8;
    uint8_t image[256];
    for (size_t i = 0; i < 256; i++) {
        image[i] = static_cast<uint8_t>(i);
    }
    values loaded(256);
    nn_load_image(&table, image, loaded.data());
    for (size_t i = 0; i < 256; i++) {
        EXPECT_EQ(loaded[i], static_cast<float>(i) / 256);
    }
    const values output = {-1, 0, 1};
    values errors = {5, 6, 7};
    nn_relu_back(output.data(), errors.data(), 3);
    EXPECT_EQ(errors, (values{0, 0, 7}));
    struct nn_layer layer = {};
    layer.dropout_share = 51;
    layer.dropout_gain = 64;
    values many(200, 2);
    uint32_t cuts = 0;
    nn_dropout(&layer, 9, 0, 200, many.data(), &cuts);
    size_t kept = 0;
    for (const float value : many) {
        EXPECT_TRUE(value == 0 || value == 2.5F);
        kept += value != 0;
    }
    EXPECT_GT(kept, 130u);
    EXPECT_LT(kept, 190u);
}

} // namespace

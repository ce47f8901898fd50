/* Activations, average pooling and the squared error: integers against doubles within
 * stated bounds, and against differences. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/activation.h"
#include "workloads/nn/average_pool.h"
#include "workloads/nn/loss.h"
#include "workloads/nn/rbf.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace
{

constexpr int DISTANCE_OF_NONE = 64; /* of the competitive loss */

constexpr enum nn_activation OF_TABLE[] = {NN_TANH, NN_SIGMOID, NN_SCALED_TANH};

double exact(enum nn_activation activation, double x)
{
    return activation == NN_TANH      ? std::tanh(x)
           : activation == NN_SIGMOID ? 1 / (1 + std::exp(-x))
                                      : 1.7159 * std::tanh(2 * x / 3);
}

double slope_by_output(enum nn_activation activation, double y)
{
    return activation == NN_TANH      ? 1 - y * y
           : activation == NN_SIGMOID ? y * (1 - y)
                                      : (1.7159 - y * y / 1.7159) * 2 / 3;
}

double table_bound(enum nn_activation activation)
{
    return activation == NN_TANH ? 1.05e-4 : activation == NN_SIGMOID ? 5.2e-5 : 1.8e-4;
}

std::vector<int16_t> every_value()
{
    std::vector<int16_t> made;
    for (int32_t value = INT16_MIN; value <= INT16_MAX; value++) {
        made.push_back(static_cast<int16_t>(value));
    }
    return made;
}

TEST(NnActivation, IsTheExactOneWithinHalfAUnitAndTheTablesBound)
{
    for (const enum nn_activation activation : OF_TABLE) {
        for (const uint32_t fraction : {8u, 11u, 13u, 15u}) {
            const std::vector<int16_t> inputs = every_value();
            std::vector<int16_t> values = inputs;
            nn_activate(activation, fraction, values.data(), static_cast<uint32_t>(values.size()));
            const double unit = std::ldexp(1, -static_cast<int>(fraction));
            double worst = 0;
            for (size_t i = 0; i < values.size(); i++) {
                /* With 15 bits there is no 1. */
                const double most = INT16_MAX * unit;
                const double y = exact(activation, inputs[i] * unit);
                const double wanted = y < -most ? -most : std::min(y, most);
                worst = std::max(worst, std::abs(values[i] * unit - wanted));
                ASSERT_TRUE(i == 0 || values[i] >= values[i - 1]);
            }
            EXPECT_LE(worst, unit / 2 + table_bound(activation)) << fraction;
            EXPECT_GE(worst, unit / 2 * 0.99) << "a bound that nothing comes near bounds nothing";
        }
    }
}

TEST(NnActivation, TanhIsOddAndSigmoidAtZeroIsAHalf)
{
    for (const enum nn_activation activation : {NN_TANH, NN_SCALED_TANH}) {
        std::vector<int16_t> values = every_value();
        nn_activate(activation, 11, values.data(), static_cast<uint32_t>(values.size()));
        for (size_t i = 1; i < values.size(); i++) {
            ASSERT_EQ(values[i], -values[values.size() - i]);
        }
    }
    int16_t ends[] = {INT16_MIN, 0, INT16_MAX};
    nn_activate(NN_SIGMOID, 11, ends, 3);
    EXPECT_EQ(ends[0], 0);
    EXPECT_EQ(ends[1], 1024);
    EXPECT_EQ(ends[2], 2048);
}

TEST(NnActivation, IdentityAndReluAreLeftToTheLayer)
{
    int16_t values[] = {-5, 7};
    int16_t errors[] = {3, -4};
    nn_activate(NN_IDENTITY, 11, values, 2);
    nn_activate(NN_RELU, 11, values, 2);
    nn_activation_back(NN_IDENTITY, 11, values, errors, 2);
    nn_activation_back(NN_RELU, 11, values, errors, 2);
    EXPECT_EQ(values[0], -5);
    EXPECT_EQ(values[1], 7);
    EXPECT_EQ(errors[0], 3);
    EXPECT_EQ(errors[1], -4);
}

/* f(1) = 1 and f(-1) = -1, for which LeCun et al. chose the scale; its largest is 1.7159. */
TEST(NnActivation, ScaledTanhKeepsOne)
{
    int16_t values[] = {2048, -2048, 0, INT16_MAX, INT16_MIN};
    nn_activate(NN_SCALED_TANH, 11, values, 5);
    EXPECT_EQ(values[0], 2048);
    EXPECT_EQ(values[1], -2048);
    EXPECT_EQ(values[2], 0);
    EXPECT_EQ(values[3], 3514);
    EXPECT_EQ(values[4], -3514);
    int16_t errors[] = {INT16_MAX, INT16_MIN, 1000, -1000};
    const int16_t outputs[] = {0, 0, 3514, 3514};
    nn_activation_back(NN_SCALED_TANH, 11, outputs, errors, 4);
    EXPECT_EQ(errors[0], INT16_MAX) << "x 1.144 is cut";
    EXPECT_EQ(errors[1], INT16_MIN);
    EXPECT_EQ(errors[2], 0);
    EXPECT_EQ(errors[3], 0);
}

/* error x slope: the slope of an output that is `d` away is at most 2 d away, and half a unit. */
TEST(NnActivation, BackIsTheCentralDifference)
{
    random_source random(1);
    for (const enum nn_activation activation : OF_TABLE) {
        const std::vector<int16_t> inputs = random.int16s(4000, 8000);
        const std::vector<int16_t> errors = random.int16s(inputs.size(), 28000);
        std::vector<int16_t> outputs = inputs;
        nn_activate(activation, 11, outputs.data(), static_cast<uint32_t>(outputs.size()));
        std::vector<int16_t> back = errors;
        nn_activation_back(activation, 11, outputs.data(), back.data(),
                           static_cast<uint32_t>(back.size()));
        const double away = std::ldexp(1, -12) + table_bound(activation);
        for (size_t i = 0; i < inputs.size(); i++) {
            const double x = std::ldexp(inputs[i], -11);
            const double slope = (exact(activation, x + 1e-5) - exact(activation, x - 1e-5)) / 2e-5;
            ASSERT_NEAR(back[i], errors[i] * slope, std::abs(errors[i]) * 2 * away + 0.501);
            /* And exactly, by the output that is there. */
            const double y = std::ldexp(outputs[i], -11);
            const double exactly = errors[i] * slope_by_output(activation, y);
            if (activation == NN_SCALED_TANH) { /* its slope is rounded to 2^-22 */
                ASSERT_NEAR(back[i], exactly, 0.52);
            } else {
                ASSERT_EQ(back[i], std::floor(exactly + 0.5));
            }
        }
    }
}

/* ---- average pooling ---- */

struct nn_layer random_pool(random_source *random)
{
    struct nn_layer layer = {};
    const uint32_t side = random->between(1u, 5u);
    layer.kernel = static_cast<uint8_t>(side);
    layer.stride = static_cast<uint8_t>(random->between(1u, 4u));
    layer.input = {static_cast<uint16_t>(random->between(1u, 4u)),
                   static_cast<uint16_t>(random->between(side, side + 8)),
                   static_cast<uint16_t>(random->between(side, side + 8)), 0};
    layer.output = {layer.input.channels,
                    static_cast<uint16_t>((layer.input.height - side) / layer.stride + 1),
                    static_cast<uint16_t>((layer.input.width - side) / layer.stride + 1), 0};
    return layer;
}

/* Calls with each output and each of the values of its window. */
template <typename Function> void each_of_window(const struct nn_layer &l, Function function)
{
    size_t o = 0;
    for (uint32_t c = 0; c < l.output.channels; c++) {
        for (uint32_t y = 0; y < l.output.height; y++) {
            for (uint32_t x = 0; x < l.output.width; x++, o++) {
                for (uint32_t w = 0; w < uint32_t{l.kernel} * l.kernel; w++) {
                    const uint32_t row = y * l.stride + w / l.kernel;
                    const uint32_t column = x * l.stride + w % l.kernel;
                    function(o, (c * l.input.height + row) * l.input.width + column);
                }
            }
        }
    }
}

TEST(NnAveragePool, IsTheMeanRoundedAndItsErrorsAreShared)
{
    random_source random(2);
    for (int i = 0; i < 300; i++) {
        const struct nn_layer layer = random_pool(&random);
        const int32_t most = i % 2 == 0 ? 32767 : 9;
        const std::vector<int16_t> input = random.int16s(nn_values(layer.input), most);
        const std::vector<int16_t> errors = random.int16s(nn_values(layer.output), most);
        std::vector<int16_t> output(errors.size()), back(input.size());
        std::vector<int32_t> sums(input.size(), 77);
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&layer,       nullptr,       nullptr,
                                               input.data(), output.data(), &numerics};
        nn_average_pool2d(&arguments);
        nn_average_pool2d_back(&layer, errors.data(), sums.data(), back.data());
        std::vector<double> mean(errors.size()), shared(input.size());
        const double count = layer.kernel * layer.kernel;
        each_of_window(layer, [&](size_t o, size_t at) {
            mean[o] += input[at] / count;
            shared[at] += errors[o] / count;
        });
        for (size_t o = 0; o < mean.size(); o++) {
            ASSERT_EQ(output[o], std::floor(mean[o] + 0.5 + 1e-9));
        }
        for (size_t at = 0; at < shared.size(); at++) {
            ASSERT_EQ(back[at], std::floor(shared[at] + 0.5 + 1e-9));
        }
    }
}

/* ---- squared error ---- */

TEST(NnSquareError, IsTheDifferenceAndItsLossTheHalfSquare)
{
    random_source random(4);
    for (int i = 0; i < 500; i++) {
        const uint32_t classes = random.between(2u, 10u);
        const uint32_t label = random.between(0u, classes - 1);
        std::vector<int32_t> outputs;
        for (uint32_t c = 0; c < classes; c++) {
            outputs.push_back(random.between(-(1 << 27), 1 << 27)); /* +-8 */
        }
        std::vector<int16_t> errors(classes);
        uint32_t loss;
        const uint32_t best =
            nn_square_error(outputs.data(), classes, 24, nullptr, label, 8, errors.data(), &loss);
        double sum = 0;
        for (uint32_t c = 0; c < classes; c++) {
            const double difference = std::ldexp(outputs[c], -24) - (c == label ? 1 : 0);
            ASSERT_EQ(errors[c], std::floor(std::ldexp(difference, 8) + 0.5));
            sum += difference * difference / 2;
        }
        ASSERT_EQ(best, std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
        /* A difference is cut by less than 2^-16, twice its size of that in the square. */
        ASSERT_NEAR(std::ldexp(loss, -16), sum,
                    classes * (9 * std::ldexp(1, -16) + std::ldexp(1, -16)));
        /* The loss's slope by an output is its error. */
        const uint32_t c = random.between(0u, classes - 1);
        uint32_t above, below;
        outputs[c] += 1 << 21;
        (void)nn_square_error(outputs.data(), classes, 24, nullptr, label, 8,
                              std::vector<int16_t>(classes).data(), &above);
        outputs[c] -= 1 << 22;
        (void)nn_square_error(outputs.data(), classes, 24, nullptr, label, 8,
                              std::vector<int16_t>(classes).data(), &below);
        const double slope = (std::ldexp(above, -16) - std::ldexp(below, -16)) / 0.25;
        ASSERT_NEAR(slope, std::ldexp(errors[c], -8), std::ldexp(1, -9) + 9 * std::ldexp(1, -13));
    }
}

/* 3.5, 0.75 and -1 less 0, 1 and 0 in units of 2^-8; half of 12.25 + 0.0625 + 1. */
TEST(NnSquareError, ByHand)
{
    const int32_t outputs[] = {7 << 23, 3 << 22, -(1 << 24)};
    int16_t errors[3];
    uint32_t loss;
    EXPECT_EQ(nn_square_error(outputs, 3, 24, nullptr, 1, 8, errors, &loss), 0u);
    EXPECT_EQ(errors[0], 896);
    EXPECT_EQ(errors[1], -64);
    EXPECT_EQ(errors[2], -256);
    EXPECT_EQ(loss, 436224u); /* 6.65625 x 65536 */
}

/* Halves of a unit go up, on both sides of 0. */
TEST(NnSquareError, RoundsToNearest)
{
    const int32_t half = 1 << 15;
    const int32_t outputs[] = {half, half - 1, -half, -half - 1};
    int16_t errors[4];
    (void)nn_square_error(outputs, 4, 24, nullptr, 4, 8, errors, nullptr);
    EXPECT_EQ(errors[0], 1);
    EXPECT_EQ(errors[1], 0);
    EXPECT_EQ(errors[2], 0);
    EXPECT_EQ(errors[3], -1);
}

TEST(NnLossKernel, IsTheOneThatIsAskedFor)
{
    EXPECT_EQ(nn_loss_kernel_of(NN_SOFTMAX_CROSS_ENTROPY), &nn_softmax_error);
    EXPECT_EQ(nn_loss_kernel_of(NN_SQUARE), &nn_square_error);
    EXPECT_EQ(nn_loss_kernel_of(NN_COMPETITIVE), &nn_competitive_error);
}

TEST(NnSquareError, CutsErrorsAndLoss)
{
    const int32_t outputs[] = {INT32_MAX, INT32_MIN, INT32_MAX};
    int16_t errors[3];
    uint32_t loss;
    EXPECT_EQ(nn_square_error(outputs, 3, 16, nullptr, 1, 14, errors, &loss), 0u);
    EXPECT_EQ(errors[0], INT16_MAX);
    EXPECT_EQ(errors[1], INT16_MIN);
    EXPECT_EQ(loss, UINT32_MAX);
}

/* ---- bitmaps ---- */

struct rbf_case {
    explicit rbf_case(random_source *random)
    {
        layer.kind = NN_RBF;
        layer.input = {84, 1, 1, 0};
        layer.output = {10, 1, 1, 0};
        layer.input_fraction = 11;
        layer.weight_fraction = 10;
        weights = random->int16s(840, 8192);
        input = random->int16s(84, 3514);
    }
    std::vector<int32_t> outputs(size_t first, size_t count) const
    {
        struct nn_layer part = layer;
        part.input.channels = static_cast<uint16_t>(count);
        std::vector<int16_t> own;
        for (size_t o = 0; o < 10; o++) {
            for (size_t i = first; i < first + count; i++) {
                own.push_back(weights[84 * o + i]);
            }
        }
        std::vector<int32_t> made(10);
        struct nn_arguments arguments = {};
        arguments.layer = &part;
        arguments.weights = own.data();
        arguments.input = &input[first];
        arguments.output = made.data();
        nn_rbf(&arguments);
        return made;
    }
    struct nn_layer layer = {};
    std::vector<int16_t> weights, input;
};

TEST(NnRbf, IsMinusTheSquaredDistanceFromTheSigns)
{
    random_source random(8);
    for (int i = 0; i < 50; i++) {
        const rbf_case c(&random);
        const std::vector<int32_t> made = c.outputs(0, 84);
        const std::vector<int32_t> left = c.outputs(0, 30);
        const std::vector<int32_t> right = c.outputs(30, 54);
        const std::vector<int16_t> errors = random.int16s(10, 4096);
        std::vector<int32_t> sums(84);
        nn_rbf_input_sums(&c.layer, c.weights.data(), c.input.data(), errors.data(), sums.data());
        std::vector<double> slope(84);
        for (size_t o = 0; o < 10; o++) {
            double sum = 0;
            for (size_t j = 0; j < 84; j++) {
                const double d = std::ldexp(c.input[j], -11) - (c.weights[84 * o + j] < 0 ? -1 : 1);
                sum -= d * d;
                slope[j] -= 2 * d * errors[o];
            }
            ASSERT_NEAR(std::ldexp(made[o], -21), sum, 84 * std::ldexp(1, -21));
            ASSERT_EQ(made[o], left[o] + right[o]) << "in parts";
        }
        for (size_t j = 0; j < 84; j++) {
            ASSERT_EQ(std::ldexp(sums[j], -10), slope[j]);
        }
    }
}

TEST(NnCompetitiveError, IsTheSoftmaxWithNoneOfTheClasses)
{
    random_source random(9);
    std::vector<uint32_t> table(NN_EXP_STEPS + 1);
    nn_exp_table(table.data());
    size_t between = 0;
    for (int i = 0; i < 500; i++) {
        std::vector<int32_t> outputs(10);
        std::vector<double> all;
        for (int32_t &output : outputs) {
            output = -static_cast<int32_t>(random.between(60u << 21, 70u << 21));
            all.push_back(std::exp(std::ldexp(output, -21) + DISTANCE_OF_NONE));
        }
        const uint32_t label = random.between(0u, 9u);
        std::vector<int16_t> errors(10);
        uint32_t loss;
        const uint32_t best = nn_competitive_error(outputs.data(), 10, 21, table.data(), label, 10,
                                                   errors.data(), &loss);
        double sum = 1;
        for (const double one : all) {
            sum += one;
        }
        for (size_t c = 0; c < 10; c++) {
            const double p = all[c] / sum;
            between += p > 0.1 && p < 0.9;
            ASSERT_NEAR(errors[c], 1024 * (p - (c == label ? 1 : 0)), 0.8);
        }
        ASSERT_EQ(best, std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
        ASSERT_NEAR(std::ldexp(loss, -16), -std::log(all[label] / sum), 2e-3);
    }
    EXPECT_GT(between, 200u);
}

} // namespace

/* The kernels on s16.15 values: against a naive statement of their rules, bit for bit; against
 * doubles within half a unit of 2^-15 for each rounding; and the same bits from parts as from a
 * whole. */
extern "C" {
#include "models/common/draw.h"
#include "workloads/nn/backward.h"
#include "workloads/nn/dropout.h"
#include "workloads/nn/loss.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace
{

using values = std::vector<int32_t>;

class random_source
{
  public:
    explicit random_source(uint64_t seed) : seed_(seed)
    {
    }
    int32_t between(int32_t least, int32_t most)
    {
        const auto bound = static_cast<uint32_t>(most - least) + 1;
        return least + static_cast<int32_t>(draw_below(draw_word(seed_, 0, taken_++), bound));
    }
    values many(size_t count, int32_t most)
    {
        values made(count);
        for (int32_t &value : made) {
            value = between(-most, most);
        }
        return made;
    }

  private:
    uint64_t seed_, taken_ = 0;
};

/* exact / 2^15 to nearest, ties upwards */
int64_t rounded(int64_t exact)
{
    return static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(exact), -15) + 0.5));
}

double real(int64_t value)
{
    return std::ldexp(static_cast<double>(value), -15);
}

const double HALF_UNIT = std::ldexp(1, -16);

struct conv_case {
    explicit conv_case(random_source *random)
    {
        const int32_t side = random->between(1, 6);
        layer.kind = NN_CONV2D;
        layer.activation = NN_RELU;
        layer.kernel = static_cast<uint8_t>(side);
        layer.stride = static_cast<uint8_t>(random->between(1, 2));
        layer.input = {static_cast<uint16_t>(random->between(1, 3)),
                       static_cast<uint16_t>(random->between(side, side + 6)),
                       static_cast<uint16_t>(random->between(side, side + 6)), 0};
        layer.output = {static_cast<uint16_t>(random->between(1, 4)),
                        static_cast<uint16_t>((layer.input.height - side) / layer.stride + 1),
                        static_cast<uint16_t>((layer.input.width - side) / layer.stride + 1), 0};
        links = size_t{layer.input.channels} * layer.kernel * layer.kernel;
        places = size_t{layer.output.height} * layer.output.width;
        input = random->many(nn_values(layer.input), 100000);
        weights = random->many(links * layer.output.channels, 60000);
        biases = random->many(layer.output.channels, 60000);
        errors = random->many(nn_values(layer.output), 30000);
    }

    size_t input_of(size_t o, size_t w) const
    {
        const size_t side = layer.kernel;
        const size_t row = o % places / layer.output.width * layer.stride + w / side % side;
        const size_t column = o % layer.output.width * layer.stride + w % side;
        return (w / side / side * layer.input.height + row) * layer.input.width + column;
    }

    void make_events(const values &output)
    {
        events.resize(errors.size());
        counts.resize(layer.output.channels);
        nn_relu_events(&layer, output.data(), errors.data(), events.data(), counts.data());
    }

    struct nn_layer layer = {};
    size_t links, places;
    values input, weights, biases, errors;
    std::vector<struct nn_event> events;
    std::vector<uint16_t> counts;
};

TEST(NnS1615, ConvolutionRoundsOnceForwardAndOnceAnImage)
{
    random_source random(1);
    for (int i = 0; i < 200; i++) {
        conv_case c(&random);
        values output(c.errors.size());
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&c.layer,       c.weights.data(), c.biases.data(),
                                               c.input.data(), output.data(),    &numerics};
        nn_conv2d(&arguments);
        std::vector<int64_t> exact_gradient(c.weights.size());
        values inputs(c.input.size()), biases(c.biases.size());
        std::vector<double> inputs_real(c.input.size());
        for (size_t o = 0; o < output.size(); o++) {
            const size_t map = o / c.places;
            int64_t sum = int64_t{c.biases[map]} * (1 << 15);
            for (size_t w = 0; w < c.links; w++) {
                sum += int64_t{c.weights[map * c.links + w]} * c.input[c.input_of(o, w)];
            }
            ASSERT_EQ(output[o], std::max<int64_t>(rounded(sum), 0)) << i;
            const int32_t error = output[o] > 0 ? c.errors[o] : 0;
            biases[map] += error;
            for (size_t w = 0; w < c.links; w++) {
                const int32_t weight = c.weights[map * c.links + w];
                exact_gradient[map * c.links + w] += int64_t{error} * c.input[c.input_of(o, w)];
                inputs[c.input_of(o, w)] += static_cast<int32_t>(rounded(int64_t{error} * weight));
                inputs_real[c.input_of(o, w)] += real(error) * real(weight);
            }
        }
        EXPECT_EQ(numerics.saturations, 0u);
        c.make_events(output);
        values gradient(c.weights.size(), 3), gradient_of_biases(c.biases.size(), 4);
        values sums(c.input.size());
        nn_conv2d_gradient(&c.layer, c.input.data(), c.events.data(), c.counts.data(),
                           gradient.data(), gradient_of_biases.data());
        nn_conv2d_input_sums(&c.layer, c.weights.data(), c.events.data(), c.counts.data(),
                             sums.data());
        for (size_t w = 0; w < gradient.size(); w++) {
            ASSERT_EQ(gradient[w], 3 + rounded(exact_gradient[w])) << i;
        }
        for (size_t b = 0; b < biases.size(); b++) {
            ASSERT_EQ(gradient_of_biases[b], 4 + biases[b]);
        }
        ASSERT_EQ(sums, inputs) << i;
        const double roundings = static_cast<double>(c.links * c.layer.output.channels);
        for (size_t at = 0; at < sums.size(); at++) {
            ASSERT_NEAR(real(sums[at]), inputs_real[at], roundings * HALF_UNIT);
        }
    }
}

/* Rounded once over the image: the order of events cannot matter, and one by one they differ. */
TEST(NnS1615, AnImagesGradientHasOneRounding)
{
    struct nn_layer layer = {};
    layer.kernel = layer.stride = 1;
    layer.input = {1, 1, 2, 0};
    layer.output = {1, 1, 2, 0};
    const int32_t input[] = {1, 1};
    const struct nn_event events[] = {{0, 1 << 13}, {1, 1 << 13}};
    const uint16_t counts[] = {2};
    int32_t gradient = 0, bias = 0;
    nn_conv2d_gradient(&layer, input, events, counts, &gradient, &bias);
    EXPECT_EQ(gradient, 1); /* 2^-2 + 2^-2 of a unit, and not 0 + 0 */
    EXPECT_EQ(bias, 1 << 14);
}

TEST(NnS1615, ASumBeyond32BitsIsCutAndCounted)
{
    struct nn_layer layer = {};
    layer.kernel = layer.stride = 1;
    layer.input = layer.output = {1, 1, 1, 0};
    const int32_t large = INT32_MAX, bias = 0;
    int32_t output;
    struct nn_numerics numerics = {};
    const struct nn_arguments arguments = {&layer, &large, &bias, &large, &output, &numerics};
    nn_conv2d(&arguments);
    EXPECT_EQ(output, INT32_MAX);
    EXPECT_EQ(numerics.saturations, 1u);
}

struct dense_case {
    explicit dense_case(random_source *random)
    {
        layer.kind = NN_DENSE;
        layer.activation = NN_RELU;
        inputs = static_cast<size_t>(random->between(1, 40));
        outputs = static_cast<size_t>(random->between(1, 12));
        layer.input = {static_cast<uint16_t>(inputs), 1, 1, 0};
        layer.output = {static_cast<uint16_t>(outputs), 1, 1, 0};
        input = random->many(inputs, 100000);
        weights = random->many(inputs * outputs, 60000);
        biases = random->many(outputs, 60000);
        errors = random->many(outputs, 30000);
    }

    struct nn_layer layer = {};
    size_t inputs, outputs;
    values input, weights, biases, errors;
};

TEST(NnS1615, DenseRoundsEachProduct)
{
    random_source random(2);
    for (int i = 0; i < 300; i++) {
        dense_case c(&random);
        c.layer.is_last = i % 2;
        values output(c.outputs), gradient(c.weights.size(), 9), biases(c.outputs, 8);
        values sums(c.inputs, 77);
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&c.layer,       c.weights.data(), c.biases.data(),
                                               c.input.data(), output.data(),    &numerics};
        nn_dense(&arguments);
        nn_dense_gradient(&c.layer, c.input.data(), c.errors.data(), gradient.data(),
                          biases.data());
        nn_dense_input_sums(&c.layer, c.weights.data(), c.errors.data(), sums.data());
        for (size_t o = 0; o < c.outputs; o++) {
            int64_t sum = c.biases[o];
            double exact = real(c.biases[o]);
            for (size_t at = 0; at < c.inputs; at++) {
                const int32_t weight = c.weights[o * c.inputs + at];
                sum += rounded(int64_t{weight} * c.input[at]);
                exact += real(weight) * real(c.input[at]);
                ASSERT_EQ(gradient[o * c.inputs + at],
                          9 + rounded(int64_t{c.errors[o]} * c.input[at]));
            }
            ASSERT_EQ(output[o], c.layer.is_last ? sum : std::max<int64_t>(sum, 0));
            ASSERT_NEAR(real(sum), exact, static_cast<double>(c.inputs) * HALF_UNIT);
            ASSERT_EQ(biases[o], 8 + c.errors[o]);
        }
        for (size_t at = 0; at < c.inputs; at++) {
            int64_t sum = 0;
            for (size_t o = 0; o < c.outputs; o++) {
                sum += rounded(int64_t{c.weights[o * c.inputs + at]} * c.errors[o]);
            }
            ASSERT_EQ(sums[at], sum);
        }
        values errors(c.inputs);
        nn_round_errors(sums.data(), errors.data(), static_cast<uint32_t>(c.inputs), 15, &numerics);
        ASSERT_EQ(errors, sums);
    }
}

/* What makes every mapping give the same bits. */
TEST(NnS1615, PartsAddUpToTheWhole)
{
    random_source random(3);
    for (int i = 0; i < 200; i++) {
        dense_case c(&random);
        values whole(c.outputs), sums(c.outputs), finished(c.outputs);
        struct nn_numerics numerics = {};
        struct nn_arguments arguments = {&c.layer,       c.weights.data(), c.biases.data(),
                                         c.input.data(), whole.data(),     &numerics};
        nn_dense(&arguments);
        const auto first = static_cast<size_t>(random.between(0, static_cast<int32_t>(c.inputs)));
        for (int part = 0; part < 2; part++) {
            const size_t begin = part == 0 ? 0 : first;
            const size_t end = part == 0 ? first : c.inputs;
            struct nn_layer layer = c.layer;
            layer.input.channels = static_cast<uint16_t>(end - begin);
            layer.is_last = 1;
            values weights, made(c.outputs);
            for (size_t o = 0; o < c.outputs; o++) {
                for (size_t at = begin; at < end; at++) {
                    weights.push_back(c.weights[o * c.inputs + at]);
                }
            }
            arguments = {&layer,      weights.data(), nullptr, c.input.data() + begin,
                         made.data(), &numerics};
            nn_dense(&arguments);
            for (size_t o = 0; o < c.outputs; o++) {
                sums[o] += made[o];
            }
        }
        nn_finish_sums(&c.layer, sums.data(), c.biases.data(), finished.data(), &numerics);
        ASSERT_EQ(finished, whole);
    }
}

TEST(NnS1615, SumsThatGoBackAddUpOverMaps)
{
    random_source random(4);
    conv_case c(&random);
    const values open(c.errors.size(), 1);
    c.make_events(open);
    values whole(c.input.size()), parts(c.input.size());
    nn_conv2d_input_sums(&c.layer, c.weights.data(), c.events.data(), c.counts.data(),
                         whole.data());
    struct nn_layer one = c.layer;
    one.output.channels = 1;
    const struct nn_event *events = c.events.data();
    for (const uint16_t count : c.counts) {
        events += count;
    }
    for (size_t map = c.counts.size(); map-- > 0;) { /* the last map first */
        events -= c.counts[map];
        nn_conv2d_input_sums(&one, c.weights.data() + map * c.links, events, &c.counts[map],
                             parts.data());
    }
    EXPECT_EQ(parts, whole);
}

TEST(NnS1615, SoftmaxErrorIsTheReal)
{
    random_source random(5);
    std::vector<uint32_t> table(NN_EXP_STEPS + 1);
    nn_exp_table(table.data());
    for (int i = 0; i < 200; i++) {
        const values logits = random.many(10, 8 << 15);
        const auto label = static_cast<uint32_t>(random.between(0, 9));
        values errors(10);
        uint32_t loss;
        (void)nn_softmax_error(logits.data(), 10, 15, table.data(), label, 15, errors.data(),
                               &loss);
        double sum = 0;
        for (const int32_t logit : logits) {
            sum += std::exp(real(logit));
        }
        for (uint32_t c = 0; c < 10; c++) {
            const double p = std::exp(real(logits[c])) / sum;
            ASSERT_NEAR(real(errors[c]), p - (c == label ? 1 : 0), 1e-4);
        }
    }
}

/* An error has as many fractional bits as an output: it is exact, up to its cut. */
TEST(NnS1615, SquareErrorIsTheDifference)
{
    const values outputs = {5 << 14, 1 << 15, -3, INT32_MAX, INT32_MIN};
    values errors(5);
    uint32_t loss;
    EXPECT_EQ(nn_square_error(outputs.data(), 5, 15, nullptr, 4, 15, errors.data(), &loss), 3u);
    EXPECT_EQ(errors, (values{5 << 14, 1 << 15, -3, INT32_MAX, INT32_MIN}));
    EXPECT_EQ(loss, UINT32_MAX);
    EXPECT_EQ(nn_square_error(outputs.data(), 3, 15, nullptr, 1, 15, errors.data(), &loss), 0u);
    EXPECT_EQ(errors, (values{5 << 14, 0, -3, INT32_MAX, INT32_MIN}));
    EXPECT_EQ(loss, 204800u); /* 2.5 x 2.5 / 2 = 3.125 */
}

/* By 1.25; which ones, the hash says as it does of int16. */
TEST(NnS1615, DropoutEnlargesTheRestAndCuts)
{
    struct nn_layer layer = {};
    layer.dropout_share = 51;
    layer.dropout_gain = 64;
    const int32_t most = INT32_MAX / 5 * 4;
    const values before = {100000, -100000, most, most + 3, -most - 6};
    const values kept = {125000, -125000, most + (most + 2) / 4, INT32_MAX, INT32_MIN};
    const uint32_t cut[] = {0, 0, 0, 1, 1};
    int times_kept = 0;
    for (uint32_t key = 0; key < 50; key++) {
        for (size_t i = 0; i < before.size(); i++) {
            values one = {before[i]};
            uint32_t cuts = 0;
            nn_dropout(&layer, key, 0, 1, one.data(), &cuts);
            const bool dropped = one[0] == 0;
            times_kept += dropped ? 0 : 1;
            ASSERT_EQ(one[0], dropped ? 0 : kept[i]) << before[i];
            ASSERT_EQ(cuts, dropped ? 0 : cut[i]) << before[i];
        }
    }
    EXPECT_GT(times_kept, 125);
    EXPECT_LT(times_kept, 250);
}

TEST(NnS1615, PixelsAndReluBack)
{
    struct nn_table table = {};
    table.image_pixels = 3;
    table.input_shift = 7;
    const uint8_t image[] = {0, 1, 255};
    values loaded(3);
    nn_load_image(&table, image, loaded.data());
    EXPECT_EQ(loaded, (values{0, 128, 32640}));
    const values output = {-1, 0, 1};
    values errors = {5, 6, 7};
    nn_relu_back(output.data(), errors.data(), 3);
    EXPECT_EQ(errors, (values{0, 0, 7}));
}

} // namespace

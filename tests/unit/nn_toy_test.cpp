/* A format that no network has, int16 with 7 fractional bits, is a row and a header (toy_format):
 * the kernels that are compiled for it do what the rules of s16.15 say of 7 bits, cut to 16. */
extern "C" {
#include "models/common/draw.h"
#include "workloads/nn/backward.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace
{

using values = std::vector<int16_t>;

constexpr int64_t MOST = INT16_MAX, LEAST = INT16_MIN;

values many(uint64_t seed, size_t count, int32_t most)
{
    values made(count);
    for (size_t i = 0; i < count; i++) {
        const auto bound = static_cast<uint32_t>(2 * most + 1);
        made[i] = static_cast<int16_t>(
            static_cast<int32_t>(draw_below(draw_word(seed, 0, i), bound)) - most);
    }
    return made;
}

/* To nearest, ties upwards. */
int64_t rounded(int64_t exact)
{
    return (exact + 64) >> 7;
}

int64_t cut(int64_t value)
{
    return std::min(MOST, std::max(LEAST, value));
}

struct nn_layer layer_of(enum nn_layer_kind kind, bool last)
{
    struct nn_layer layer = {};
    layer.kind = static_cast<uint8_t>(kind);
    layer.activation = last ? NN_IDENTITY : NN_RELU;
    layer.is_last = last;
    return layer;
}

TEST(ToyFormat, IsARowAndAHeader)
{
    EXPECT_EQ(sizeof(nn_value), sizeof(int16_t));
    EXPECT_EQ(NN_FRACTION, 7);
    EXPECT_EQ(NN_VALUE_MOST, MOST);
    EXPECT_EQ(NN_HAS(nn_activate), 0);
}

/* Each product is rounded and added; hidden outputs are cut and counted, logits are the sums. */
TEST(ToyFormat, DenseForwardAndBack)
{
    constexpr uint32_t INPUTS = 23, OUTPUTS = 5;
    const values weights = many(1, INPUTS * OUTPUTS, 3000);
    const values biases = many(2, OUTPUTS, 3000);
    const values input = many(3, INPUTS, 3000);
    std::vector<int32_t> sums(OUTPUTS);
    values outputs(OUTPUTS);
    struct nn_numerics numerics = {};
    uint32_t cuts = 0;
    struct nn_layer layer = layer_of(NN_DENSE, true);
    layer.input = {INPUTS, 1, 1, 0};
    layer.output = {OUTPUTS, 1, 1, 0};
    struct nn_arguments arguments = {};
    arguments.layer = &layer;
    arguments.weights = weights.data();
    arguments.biases = biases.data();
    arguments.input = input.data();
    arguments.output = sums.data();
    arguments.numerics = &numerics;
    nn_dense(&arguments);
    layer.is_last = 0;
    layer.activation = NN_RELU;
    arguments.output = outputs.data();
    nn_dense(&arguments);
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        int64_t sum = biases[o];
        for (uint32_t i = 0; i < INPUTS; i++) {
            sum += rounded(int64_t{weights[o * INPUTS + i]} * input[i]);
        }
        EXPECT_EQ(sums[o], sum);
        EXPECT_EQ(outputs[o], cut(std::max<int64_t>(sum, 0)));
        cuts += sum > MOST ? 1 : 0;
    }
    EXPECT_GT(cuts, 0u);
    EXPECT_EQ(numerics.saturations, cuts);
    std::vector<int32_t> back(INPUTS);
    std::vector<int32_t> gradients(INPUTS * OUTPUTS);
    nn_dense_input_sums(&layer, weights.data(), biases.data(), back.data());
    nn_dense_gradient(&layer, input.data(), biases.data(), gradients.data(), nullptr);
    for (uint32_t i = 0; i < INPUTS; i++) {
        int64_t sum = 0;
        for (uint32_t o = 0; o < OUTPUTS; o++) {
            sum += rounded(int64_t{biases[o]} * weights[o * INPUTS + i]);
            EXPECT_EQ(gradients[o * INPUTS + i], rounded(int64_t{biases[o]} * input[i]));
        }
        EXPECT_EQ(back[i], sum);
    }
    values errors(INPUTS);
    nn_round_errors(back.data(), errors.data(), INPUTS, 13, &numerics);
    for (uint32_t i = 0; i < INPUTS; i++) {
        EXPECT_EQ(errors[i], cut(back[i]));
    }
}

/* An output's sum is rounded once. */
TEST(ToyFormat, ConvolutionAndPool)
{
    constexpr uint32_t SIDE = 6, KERNEL = 3, OUT = SIDE - KERNEL + 1;
    const values weights = many(4, KERNEL * KERNEL, 500);
    const values bias = many(5, 1, 500);
    const values input = many(6, SIDE * SIDE, 500);
    values outputs(OUT * OUT);
    values pooled(OUT * OUT / 4);
    struct nn_numerics numerics = {};
    struct nn_layer conv = layer_of(NN_CONV2D, false);
    conv.kernel = KERNEL;
    conv.stride = 1;
    conv.input = {1, SIDE, SIDE, 0};
    conv.output = {1, OUT, OUT, 0};
    struct nn_layer pool = layer_of(NN_MAX_POOL2D, false);
    pool.kernel = pool.stride = 2;
    pool.input = conv.output;
    pool.output = {1, OUT / 2, OUT / 2, 0};
    struct nn_arguments arguments = {};
    arguments.layer = &conv;
    arguments.weights = weights.data();
    arguments.biases = bias.data();
    arguments.input = input.data();
    arguments.output = outputs.data();
    arguments.numerics = &numerics;
    nn_conv2d(&arguments);
    arguments.layer = &pool;
    arguments.input = outputs.data();
    arguments.output = pooled.data();
    nn_max_pool2d(&arguments);
    for (uint32_t y = 0; y < OUT; y++) {
        for (uint32_t x = 0; x < OUT; x++) {
            int64_t sum = int64_t{bias[0]} * 128;
            for (uint32_t k = 0; k < KERNEL * KERNEL; k++) {
                sum += int64_t{weights[k]} * input[(y + k / KERNEL) * SIDE + x + k % KERNEL];
            }
            EXPECT_EQ(outputs[y * OUT + x], cut(std::max<int64_t>(rounded(sum), 0)));
        }
    }
    EXPECT_EQ(pooled[0], std::max({outputs[0], outputs[1], outputs[OUT], outputs[OUT + 1]}));
}

} // namespace

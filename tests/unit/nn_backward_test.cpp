/* The backward kernels against a naive statement of what they compute, in 64 bits, bit for bit.
 *
 * Gradients and sums that go back are exact: integers times powers of two, as long as nothing
 * wraps. */
#include "tests/unit/nn_backward_fixture.h"

namespace
{

TEST(NnBackward, ConvolutionBehindReluIsTheSum)
{
    random_source random(1);
    for (int i = 0; i < 400; i++) {
        const conv_case c(&random, RANGES[i % 2], i % 4 < 2);
        event_list list(c);
        nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                       list.counts.data());
        std::vector<int16_t> open = c.errors;
        nn_relu_back(c.output.data(), open.data(), static_cast<uint32_t>(open.size()));
        for (size_t o = 0; o < open.size(); o++) {
            ASSERT_EQ(open[o], c.output[o] > 0 ? c.errors[o] : 0);
        }
        ASSERT_EQ(list.count(), open.size() - std::count(open.begin(), open.end(), 0));
        ASSERT_EQ(list.events.back().error, 0x5a5a) << "written behind the events";
        expect_even_first(list);
        ASSERT_TRUE(run_events(c, list) == naive_conv2d(c, open)) << i;
    }
}

/* An identity's outputs are open, whatever their sign. */
TEST(NnBackward, OnlyReluCloses)
{
    random_source random(2);
    conv_case c(&random, 300, true);
    c.layer.activation = NN_IDENTITY;
    event_list list(c);
    nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                   list.counts.data());
    EXPECT_TRUE(run_events(c, list) == naive_conv2d(c, c.errors));
}

TEST(NnBackward, ConvolutionAdds)
{
    random_source random(3);
    const conv_case c(&random, 300, true);
    event_list list(c);
    nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                   list.counts.data());
    const sums once = run_events(c, list);
    sums twice = once;
    nn_conv2d_gradient(&c.layer, c.input.data(), list.events.data(), list.counts.data(),
                       twice.weights.data(), twice.biases.data());
    nn_conv2d_input_sums(&c.layer, c.weights.data(), list.events.data(), list.counts.data(),
                         twice.inputs.data());
    for (size_t i = 0; i < once.weights.size(); i++) {
        ASSERT_EQ(twice.weights[i], 2 * once.weights[i]);
    }
    for (size_t i = 0; i < once.biases.size(); i++) {
        ASSERT_EQ(twice.biases[i], 2 * once.biases[i]);
    }
    for (size_t i = 0; i < once.inputs.size(); i++) {
        ASSERT_EQ(twice.inputs[i], 2 * once.inputs[i]);
    }
}

/* ---- max pooling ---- */

struct pool_case {
    /* A pool on the outputs of a convolution.  Few different values: ties in most windows. */
    pool_case(random_source *random, conv_case *c)
    {
        const struct nn_shape in = c->layer.output;
        const uint32_t side = random->between(1u, std::min<uint32_t>({3, in.height, in.width}));
        layer.kind = NN_MAX_POOL2D;
        layer.kernel = static_cast<uint8_t>(side);
        layer.stride = static_cast<uint8_t>(random->between(1u, 3u));
        layer.input = in;
        layer.output = {in.channels, narrow((in.height - side) / layer.stride + 1),
                        narrow((in.width - side) / layer.stride + 1), 0};
        for (int16_t &value : c->output) {
            value = static_cast<int16_t>(random->between(-1, 2));
        }
        errors = random->int16s(count_of(layer.output), 300);
        errors[0] = 0;
    }

    struct nn_layer layer = {};
    std::vector<int16_t> errors, output;
    std::vector<uint8_t> choice;
};

void run_pool(const conv_case &c, pool_case *pool)
{
    struct nn_numerics numerics = {};
    pool->output.resize(count_of(pool->layer.output));
    pool->choice.resize(pool->output.size());
    std::vector<int16_t> plain(pool->output.size());
    struct nn_arguments arguments = {&pool->layer,        nullptr,  nullptr, c.output.data(),
                                     pool->output.data(), &numerics};
    nn_max_pool2d_choose(&arguments, pool->choice.data());
    arguments.output = plain.data();
    nn_max_pool2d(&arguments);
    ASSERT_EQ(pool->output, plain);
}

/* The pool's errors where its values came from: by the definition of the choice. */
std::vector<int16_t> unpool(const conv_case &c, const pool_case &pool)
{
    const struct nn_layer &l = pool.layer;
    std::vector<int32_t> made(c.output.size());
    size_t o = 0;
    for (uint32_t m = 0; m < l.output.channels; m++) {
        for (uint32_t y = 0; y < l.output.height; y++) {
            for (uint32_t x = 0; x < l.output.width; x++, o++) {
                size_t best = 0;
                int32_t largest = INT32_MIN;
                for (uint32_t w = 0; w < uint32_t{l.kernel} * l.kernel; w++) {
                    const size_t at =
                        (m * l.input.height + y * l.stride + w / l.kernel) * size_t{l.input.width} +
                        x * l.stride + w % l.kernel;
                    if (c.output[at] > largest) {
                        largest = c.output[at];
                        best = at;
                    }
                }
                made[best] += largest > 0 ? pool.errors[o] : 0;
            }
        }
    }
    return std::vector<int16_t>(made.begin(), made.end());
}

TEST(NnBackward, ConvolutionBehindAPoolIsTheSum)
{
    random_source random(4);
    size_t fewer = 0;
    for (int i = 0; i < 400; i++) {
        conv_case c(&random, 300, i % 4 < 2);
        pool_case pool(&random, &c);
        run_pool(c, &pool);
        event_list list(c);
        list.events.resize(pool.errors.size() + 1, {0xffff, 0x5a5a});
        nn_pool_events(&c.layer, &pool.layer, pool.output.data(), pool.choice.data(),
                       pool.errors.data(), list.events.data(), list.counts.data());
        const size_t open = list.count();
        ASSERT_LE(open, pool.errors.size() - 1); /* one is zero */
        ASSERT_EQ(list.events[pool.errors.size()].error, 0x5a5a) << "written behind the events";
        expect_even_first(list);
        fewer += open < pool.errors.size() - 1;
        ASSERT_TRUE(run_events(c, list) == naive_conv2d(c, unpool(c, pool))) << i;
    }
    EXPECT_GT(fewer, 200u);
}

TEST(NnBackward, OfEqualsThePoolTakesTheFirst)
{
    struct nn_layer layer = {};
    layer.kind = NN_MAX_POOL2D;
    layer.kernel = layer.stride = 2;
    layer.input = {1, 2, 8, 0};
    layer.output = {1, 1, 4, 0};
    const int16_t input[] = {7, 7, 1, 7, 1, 1, -3, -3, 7, 7, 7, 1, 1, 2, -3, -3};
    int16_t output[4];
    uint8_t choice[4];
    struct nn_numerics numerics = {};
    const struct nn_arguments arguments = {&layer, nullptr, nullptr, input, output, &numerics};
    nn_max_pool2d_choose(&arguments, choice);
    EXPECT_EQ(std::vector<int16_t>(output, output + 4), (std::vector<int16_t>{7, 7, 2, -3}));
    EXPECT_EQ(std::vector<uint8_t>(choice, choice + 4), (std::vector<uint8_t>{0, 1, 3, 0}));
}

/* ---- dense ---- */

TEST(NnBackward, DenseGradientsAreTheSumOverTheImages)
{
    random_source random(5);
    for (int i = 0; i < 400; i++) {
        const dense_case c(&random, RANGES[i % 2]);
        std::vector<int32_t> weights(c.weights.size() + 1, 5), biases(c.outputs + 1, 7);
        std::vector<int32_t> one_by_one = weights, biases_one_by_one = biases;
        std::vector<int32_t> no_biases = weights;
        const auto input_stride = static_cast<uint32_t>(c.input_stride);
        const auto error_stride = static_cast<uint32_t>(c.error_stride);
        nn_dense_gradient_of(&c.layer, c.input.data(), input_stride, c.errors.data(), error_stride,
                             c.images, weights.data(), biases.data());
        nn_dense_gradient_of(&c.layer, c.input.data(), input_stride, c.errors.data(), error_stride,
                             c.images, no_biases.data(), nullptr);
        for (uint32_t n = 0; n < c.images; n++) {
            nn_dense_gradient(&c.layer, &c.input[n * c.input_stride], &c.errors[n * c.error_stride],
                              one_by_one.data(), biases_one_by_one.data());
        }
        for (size_t w = 0; w < c.weights.size(); w++) {
            int64_t sum = 5;
            for (uint32_t n = 0; n < c.images; n++) {
                sum += int64_t{c.errors[n * c.error_stride + w / c.inputs]} *
                       c.input[n * c.input_stride + w % c.inputs];
            }
            ASSERT_EQ(weights[w], wrap(sum)) << i;
        }
        for (size_t o = 0; o < c.outputs; o++) {
            int64_t sum = 7;
            for (uint32_t n = 0; n < c.images; n++) {
                sum += c.errors[n * c.error_stride + o];
            }
            ASSERT_EQ(biases[o], wrap(sum)) << i;
        }
        ASSERT_EQ(one_by_one, weights);
        ASSERT_EQ(no_biases, weights);
        ASSERT_EQ(biases_one_by_one, biases);
        ASSERT_EQ(weights.back(), 5);
        ASSERT_EQ(biases.back(), 7);
    }
}

TEST(NnBackward, DenseSumsGoBackThroughTheWeights)
{
    random_source random(6);
    for (int i = 0; i < 400; i++) {
        const dense_case c(&random, RANGES[i % 2]);
        std::vector<int32_t> sums(c.inputs + 1, 0x5a5a5a5a);
        nn_dense_input_sums(&c.layer, c.weights.data(), c.errors.data(), sums.data());
        for (size_t at = 0; at < c.inputs; at++) {
            int64_t sum = 0;
            for (size_t o = 0; o < c.outputs; o++) {
                sum += int64_t{c.weights[o * c.inputs + at]} * c.errors[o];
            }
            ASSERT_EQ(sums[at], wrap(sum)) << i;
        }
        ASSERT_EQ(sums.back(), 0x5a5a5a5a);
    }
}

/* ---- rounding ---- */

TEST(NnBackward, ErrorsAreRoundedToNearestAndCutCounted)
{
    /* Half a unit of 2^13 on both sides of 0, ties upwards; both ends of 16 bits. */
    const std::vector<int32_t> sums = {4095,       4096,      -4096,     -4097,     12288,
                                       -12288,     -12289,    268431359, 268431360, -268439552,
                                       -268439553, INT32_MAX, INT32_MIN};
    const std::vector<int16_t> expected = {0,     1,     0,      -1,     2,     -1,    -2,
                                           32767, 32767, -32768, -32768, 32767, -32768};
    std::vector<int16_t> errors(sums.size());
    struct nn_numerics numerics = {};
    nn_round_errors(sums.data(), errors.data(), static_cast<uint32_t>(sums.size()), 13, &numerics);
    EXPECT_EQ(errors, expected);
    EXPECT_EQ(numerics.error_saturations, 4u); /* 268431360, -268439553, the last two */
    EXPECT_EQ(numerics.saturations, 0u);
}

/* A layer's inputs in parts: sums of the parts, added and finished, are the layer's output. */
TEST(NnBackward, ALayerInPartsIsTheWholeLayer)
{
    random_source random(7);
    for (int i = 0; i < 200; i++) {
        dense_case c(&random, 3000);
        c.layer.weight_fraction = 13;
        c.layer.input_fraction = static_cast<uint8_t>(random.between(8u, 15u));
        c.layer.output_fraction = 11;
        c.layer.activation = i % 2 == 0 ? NN_RELU : NN_IDENTITY;
        c.layer.is_last = i % 3 == 0;
        const std::vector<int16_t> biases = random.int16s(c.outputs, 3000);
        std::vector<int32_t> whole(c.outputs), finished(c.outputs), sums(c.outputs);
        struct nn_numerics numerics = {};
        struct nn_numerics of_parts = {};
        struct nn_arguments arguments = {&c.layer,       c.weights.data(), biases.data(),
                                         c.input.data(), whole.data(),     &numerics};
        nn_dense(&arguments);
        const size_t first = random.between(0u, static_cast<uint32_t>(c.inputs));
        for (int part = 0; part < 2; part++) {
            const size_t begin = part == 0 ? 0 : first;
            const size_t length = part == 0 ? first : c.inputs - first;
            struct nn_layer layer = c.layer;
            layer.input = {narrow(static_cast<uint32_t>(length)), 1, 1, 0};
            layer.is_last = 1;
            std::vector<int16_t> weights;
            for (size_t o = 0; o < c.outputs; o++) {
                const auto row = c.weights.begin() + static_cast<ptrdiff_t>(o * c.inputs + begin);
                weights.insert(weights.end(), row, row + static_cast<ptrdiff_t>(length));
            }
            std::vector<int32_t> made(c.outputs);
            arguments = {&layer,      weights.data(), nullptr, c.input.data() + begin,
                         made.data(), &of_parts};
            nn_dense(&arguments);
            for (size_t o = 0; o < c.outputs; o++) {
                sums[o] += made[o];
            }
        }
        nn_finish_sums(&c.layer, sums.data(), biases.data(), finished.data(), &of_parts);
        const size_t bytes = c.outputs * (c.layer.is_last ? sizeof(int32_t) : sizeof(int16_t));
        ASSERT_EQ(memcmp(whole.data(), finished.data(), bytes), 0) << i;
        ASSERT_EQ(numerics.saturations, of_parts.saturations) << i;
        ASSERT_EQ(nn_sum_overflow(&of_parts), 0u);
    }
}

TEST(NnBackward, FinishingNoticesAWrap)
{
    struct nn_layer layer = {};
    layer.weight_fraction = 13;
    layer.input_fraction = layer.output_fraction = 11;
    layer.output = {2, 1, 1, 0};
    layer.is_last = 1;
    const int16_t biases[] = {1, -1};
    int32_t output[2];
    struct nn_numerics numerics = {};
    const int32_t fits[] = {INT32_MAX - 2048, INT32_MIN + 2048};
    nn_sum_begin(&numerics);
    nn_finish_sums(&layer, fits, biases, output, &numerics);
    EXPECT_EQ(output[0], INT32_MAX);
    EXPECT_EQ(output[1], INT32_MIN);
    EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
    for (const bool first : {true, false}) {
        const int32_t wraps[] = {INT32_MAX - 2048 + first, INT32_MIN + 2048 - !first};
        nn_sum_begin(&numerics);
        nn_finish_sums(&layer, wraps, biases, output, &numerics);
        EXPECT_NE(nn_sum_overflow(&numerics), 0u);
    }
}

} // namespace

/* The backward kernels against a naive statement of what they compute, in 64 bits, bit for bit, and
 * against the double reference and differences of the loss.
 *
 * Gradients and sums that go back are exact: integers times powers of two, as long as nothing
 * wraps. The double reference, given the same numbers, gives the same values; errors that have been
 * rounded are at most half a unit away. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "workloads/nn/backward.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace
{

uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

int32_t wrap(int64_t value)
{
    return static_cast<int32_t>(static_cast<uint32_t>(value));
}

size_t count_of(const struct nn_shape &shape)
{
    return size_t{shape.channels} * shape.height * shape.width;
}

/* ---- a layer, and what goes through it ---- */

struct conv_case {
    conv_case(random_source *random, int32_t most, bool usual)
    {
        const uint32_t side = usual ? 5 : random->between(1u, 7u);
        layer.kind = NN_CONV2D;
        layer.activation = NN_RELU;
        layer.kernel = static_cast<uint8_t>(side);
        layer.stride = static_cast<uint8_t>(usual ? 1 : random->between(1u, 3u));
        layer.input = {narrow(random->between(1u, 5u)), narrow(random->between(side, side + 9)),
                       narrow(random->between(side, side + 9)), 0};
        layer.output = {narrow(random->between(1u, 6u)),
                        narrow((layer.input.height - side) / layer.stride + 1),
                        narrow((layer.input.width - side) / layer.stride + 1), 0};
        input = random->int16s(count_of(layer.input), most);
        weights = random->int16s(links() * layer.output.channels, most);
        output = random->int16s(count_of(layer.output), most);
        errors = random->int16s(count_of(layer.output), most);
        for (size_t i = 0; i < errors.size(); i += random->between(1u, 4u)) {
            errors[i] = 0;
        }
    }

    size_t links() const
    {
        return size_t{layer.input.channels} * layer.kernel * layer.kernel;
    }

    /* Of the weight w of output o: index in the input. */
    size_t input_of(size_t o, size_t w) const
    {
        const size_t column = w % layer.kernel;
        const size_t row = w / layer.kernel % layer.kernel;
        const size_t channel = w / layer.kernel / layer.kernel;
        const size_t x = o % layer.output.width;
        const size_t y = o / layer.output.width % layer.output.height;
        return (channel * layer.input.height + y * layer.stride + row) * layer.input.width +
               x * layer.stride + column;
    }

    struct nn_layer layer = {};
    std::vector<int16_t> input, weights, output, errors;
};

/* ---- the naive statement ---- */

struct sums {
    std::vector<int32_t> weights, biases, inputs;

    bool operator==(const sums &other) const
    {
        return weights == other.weights && biases == other.biases && inputs == other.inputs;
    }
};

/* errors: of all outputs, with those that ReLU has closed already cleared. */
sums naive_conv2d(const conv_case &c, const std::vector<int16_t> &errors)
{
    const size_t places = size_t{c.layer.output.height} * c.layer.output.width;
    std::vector<int64_t> weights(c.weights.size()), biases(c.layer.output.channels),
        inputs(c.input.size());
    for (size_t o = 0; o < errors.size(); o++) {
        const size_t map = o / places;
        biases[map] += errors[o];
        for (size_t w = 0; w < c.links(); w++) {
            weights[map * c.links() + w] += int64_t{errors[o]} * c.input[c.input_of(o, w)];
            inputs[c.input_of(o, w)] += int64_t{errors[o]} * c.weights[map * c.links() + w];
        }
    }
    sums made;
    std::transform(weights.begin(), weights.end(), std::back_inserter(made.weights), wrap);
    std::transform(biases.begin(), biases.end(), std::back_inserter(made.biases), wrap);
    std::transform(inputs.begin(), inputs.end(), std::back_inserter(made.inputs), wrap);
    return made;
}

/* ---- running the kernels ---- */

struct event_list {
    explicit event_list(const conv_case &c)
        : events(c.errors.size() + 1, {0xffff, 0x5a5a}), counts(c.layer.output.channels)
    {
    }

    size_t count() const
    {
        size_t all = 0;
        for (const uint16_t of_map : counts) {
            all += of_map;
        }
        return all;
    }

    std::vector<struct nn_event> events;
    std::vector<uint16_t> counts;
};

/* In each map events at even places stand before those at odd ones. */
void expect_even_first(const event_list &list)
{
    auto event = list.events.begin();
    for (const uint16_t of_map : list.counts) {
        const auto end = event + of_map;
        ASSERT_TRUE(std::is_partitioned(
            event, end, [](const struct nn_event &one) { return one.place % 2 == 0; }));
        event = end;
    }
}

sums run_events(const conv_case &c, const event_list &list)
{
    sums made;
    made.weights.resize(c.weights.size());
    made.biases.resize(c.layer.output.channels);
    made.inputs.resize(c.input.size());
    nn_conv2d_gradient(&c.layer, c.input.data(), list.events.data(), list.counts.data(),
                       made.weights.data(), made.biases.data());
    nn_conv2d_input_sums(&c.layer, c.weights.data(), list.events.data(), list.counts.data(),
                         made.inputs.data());
    return made;
}

/* Small values, and the whole range, whose sums wrap. */
constexpr int32_t RANGES[] = {300, 32767};

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

struct dense_case {
    dense_case(random_source *random, int32_t most)
    {
        layer.kind = NN_DENSE;
        layer.input = {narrow(random->between(1u, 7u)), narrow(random->between(1u, 5u)),
                       narrow(random->between(1u, 5u)), 0};
        layer.output = {narrow(random->between(1u, 21u)), 1, 1, 0};
        images = random->between(1u, 19u);
        inputs = count_of(layer.input);
        outputs = layer.output.channels;
        input_stride = inputs + (inputs & 1) + 2 * random->between(0u, 2u);
        error_stride = outputs + (outputs & 1) + 2 * random->between(0u, 2u);
        input = random->int16s(input_stride * images, most);
        errors = random->int16s(error_stride * images, most);
        weights = random->int16s(inputs * outputs, most);
    }

    struct nn_layer layer = {};
    uint32_t images;
    size_t inputs, outputs, input_stride, error_stride;
    std::vector<int16_t> input, errors, weights;
};

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

/* ---- against doubles ---- */

std::vector<double> scaled(const std::vector<int16_t> &values, int fraction)
{
    std::vector<double> made;
    for (const int16_t value : values) {
        made.push_back(std::ldexp(value, -fraction));
    }
    return made;
}

struct network_layer as_reference(const struct nn_layer &l)
{
    struct network_layer made = {};
    made.type = l.kind == NN_CONV2D ? NETWORK_CONV2D : NETWORK_DENSE;
    made.outputs = l.output.channels;
    made.kernel = l.kernel;
    made.stride = l.stride;
    made.input = {l.input.channels, l.input.height, l.input.width};
    made.output = {l.output.channels, l.output.height, l.output.width};
    return made;
}

/* Adds the gradients of a layer in double precision. */
void reference_backward_of(const struct network_layer &layer, const std::vector<double> &weights,
                           const std::vector<double> &input, const std::vector<double> &errors,
                           std::vector<double> *weight_gradients,
                           std::vector<double> *bias_gradients,
                           std::vector<double> *input_gradients)
{
    struct layer_pass pass = {};
    pass.layer = &layer;
    pass.weights = weights.data();
    pass.input = input.data();
    pass.output_gradient = errors.data();
    pass.weight_gradients = weight_gradients->data();
    pass.bias_gradients = bias_gradients->data();
    pass.input_gradient = input_gradients->data();
    layer_kind_of(layer.type)->backward(&pass);
}

/* W13 A11 E8: what was found, as a number, and within half a unit of 2^-8 after the rounding. */
void expect_equal(const std::vector<double> &expected, const std::vector<int32_t> &found,
                  int fraction)
{
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(expected[i], std::ldexp(found[i], -fraction));
    }
}

void expect_rounded(const std::vector<double> &expected, const std::vector<int32_t> &sums)
{
    std::vector<int16_t> errors(sums.size());
    struct nn_numerics numerics = {};
    nn_round_errors(sums.data(), errors.data(), static_cast<uint32_t>(errors.size()), 13,
                    &numerics);
    ASSERT_EQ(numerics.error_saturations, 0u);
    double bias = 0;
    for (size_t i = 0; i < errors.size(); i++) {
        const double difference = std::ldexp(errors[i], -8) - expected[i];
        ASSERT_LE(std::abs(difference), std::ldexp(1, -9));
        bias += difference;
    }
    /* A floor would have a mean of half a unit below. */
    if (errors.size() > 100) {
        ASSERT_LT(std::abs(bias / static_cast<double>(errors.size())), std::ldexp(1, -11));
    }
}

TEST(NnBackward, EqualsTheDoubleReference)
{
    random_source random(8);
    for (int i = 0; i < 100; i++) {
        const conv_case c(&random, 2000, i % 2 == 0);
        event_list list(c);
        nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                       list.counts.data());
        const sums found = run_events(c, list);
        const struct network_layer layer = as_reference(c.layer);
        std::vector<double> errors = scaled(c.errors, 8);
        const std::vector<double> output = scaled(c.output, 11);
        activation_of(NETWORK_RELU)->backward(output.data(), errors.data(), errors.size());
        std::vector<double> weights(c.weights.size()), biases(layer.outputs),
            inputs(c.input.size());
        reference_backward_of(layer, scaled(c.weights, 13), scaled(c.input, 11), errors, &weights,
                              &biases, &inputs);
        expect_equal(weights, found.weights, 8 + 11);
        expect_equal(biases, found.biases, 8);
        expect_equal(inputs, found.inputs, 8 + 13);
        expect_rounded(inputs, found.inputs);
    }
}

TEST(NnBackward, DenseEqualsTheDoubleReference)
{
    random_source random(9);
    for (int i = 0; i < 100; i++) {
        const dense_case c(&random, 2000);
        const struct network_layer layer = as_reference(c.layer);
        std::vector<int32_t> found(c.weights.size()), found_biases(c.outputs), sums(c.inputs);
        nn_dense_gradient(&c.layer, c.input.data(), c.errors.data(), found.data(),
                          found_biases.data());
        nn_dense_input_sums(&c.layer, c.weights.data(), c.errors.data(), sums.data());
        std::vector<double> weights(c.weights.size()), biases(c.outputs), inputs(c.inputs);
        reference_backward_of(layer, scaled(c.weights, 13), scaled(c.input, 11),
                              scaled(c.errors, 8), &weights, &biases, &inputs);
        expect_equal(weights, found, 8 + 11);
        expect_equal(biases, found_biases, 8);
        expect_equal(inputs, sums, 8 + 13);
        expect_rounded(inputs, sums);
    }
}

/* ---- against differences ---- */

/* The loss sum of e_o z_o of a convolution's sums z, whose gradient by z is e: linear in weights,
 * biases and inputs, so that the central difference over one unit is the gradient, exactly. */
struct linear_loss {
    const conv_case *c;
    std::vector<int16_t> biases;

    int64_t operator()(const std::vector<int16_t> &weights, const std::vector<int16_t> &b,
                       const std::vector<int16_t> &input) const
    {
        std::vector<int32_t> z(c->errors.size());
        struct nn_numerics numerics = {};
        struct nn_layer layer = c->layer;
        layer.is_last = 1;
        layer.input_fraction = 0;
        const struct nn_arguments arguments = {&layer,       weights.data(), b.data(),
                                               input.data(), z.data(),       &numerics};
        nn_conv2d(&arguments);
        int64_t loss = 0;
        for (size_t o = 0; o < z.size(); o++) {
            loss += int64_t{z[o]} * c->errors[o];
        }
        return loss;
    }
};

int64_t central(std::vector<int16_t> *values, size_t i, const std::function<int64_t()> &loss)
{
    (*values)[i]++;
    const int64_t above = loss();
    (*values)[i] = static_cast<int16_t>((*values)[i] - 2);
    const int64_t below = loss();
    (*values)[i]++;
    return (above - below) / 2;
}

TEST(NnBackward, ConvolutionIsTheDerivativeOfItsForwardKernel)
{
    random_source random(10);
    for (int i = 0; i < 20; i++) {
        conv_case c(&random, 200, i % 2 == 0);
        c.layer.activation = NN_IDENTITY;
        event_list list(c);
        nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                       list.counts.data());
        const sums found = run_events(c, list);
        linear_loss loss = {&c, random.int16s(c.layer.output.channels, 200)};
        std::vector<int16_t> weights = c.weights, biases = loss.biases, input = c.input;
        const auto run = [&] { return loss(weights, biases, input); };
        for (size_t w = 0; w < weights.size(); w += random.between(1u, 5u)) {
            ASSERT_EQ(found.weights[w], central(&weights, w, run));
        }
        for (size_t b = 0; b < biases.size(); b++) {
            ASSERT_EQ(found.biases[b], central(&biases, b, run));
        }
        for (size_t at = 0; at < input.size(); at += random.between(1u, 5u)) {
            ASSERT_EQ(found.inputs[at], central(&input, at, run));
        }
    }
}

} // namespace

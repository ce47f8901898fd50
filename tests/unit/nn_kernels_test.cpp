/* The integer kernels against a naive statement of what they compute, in 64 bits, bit for bit:
 * random shapes (odd sizes, numbers of maps not divisible by four, other windows than 5 x 5,
 * strides), rounding, saturation, and sums that wrap. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace
{

/* ---- the naive statement ---- */

struct naive_sum {
    int32_t value;
    bool wrapped = false;

    void add(int64_t product)
    {
        const int64_t exact = value + product;
        value = static_cast<int32_t>(static_cast<uint32_t>(exact));
        wrapped = wrapped || value != exact;
    }
};

/* value / 2^shift to the nearest integer, ties upwards. */
int64_t naive_round(int64_t value, unsigned shift)
{
    const int64_t divisor = int64_t{1} << shift;
    const int64_t above = value + divisor / 2;
    return above >= 0 ? above / divisor : -((-above + divisor - 1) / divisor);
}

struct layer_case {
    struct nn_layer layer = {};
    std::vector<int16_t> weights, biases, input;

    uint32_t inputs() const
    {
        return uint32_t{layer.input.channels} * layer.input.height * layer.input.width;
    }
    uint32_t outputs() const
    {
        return uint32_t{layer.output.channels} * layer.output.height * layer.output.width;
    }
};

struct layer_output {
    std::vector<int32_t> values; /* of the last layer, and widened ones of the others */
    uint32_t saturations = 0;
    bool wrapped = false;

    bool operator==(const layer_output &other) const
    {
        return values == other.values && saturations == other.saturations &&
               wrapped == other.wrapped;
    }
};

void naive_store(const layer_case &c, const naive_sum &sum, layer_output *output)
{
    output->wrapped = output->wrapped || sum.wrapped;
    if (c.layer.is_last) {
        output->values.push_back(sum.value);
        return;
    }
    int64_t value = naive_round(sum.value, c.layer.weight_fraction + c.layer.input_fraction -
                                               c.layer.output_fraction);
    if (c.layer.activation == NN_RELU) {
        value = std::max<int64_t>(value, 0);
    }
    const int64_t cut = std::clamp<int64_t>(value, INT16_MIN, INT16_MAX);
    output->saturations += cut != value;
    output->values.push_back(static_cast<int32_t>(cut));
}

layer_output naive_conv2d(const layer_case &c)
{
    const struct nn_layer &l = c.layer;
    layer_output output;
    for (uint32_t m = 0; m < l.output.channels; m++) {
        for (uint32_t y = 0; y < l.output.height; y++) {
            for (uint32_t x = 0; x < l.output.width; x++) {
                naive_sum sum = {c.biases[m] * (1 << l.input_fraction)};
                for (uint32_t i = 0; i < l.input.channels; i++) {
                    for (uint32_t u = 0; u < l.kernel; u++) {
                        for (uint32_t v = 0; v < l.kernel; v++) {
                            const uint32_t row = y * l.stride + u;
                            const uint32_t column = x * l.stride + v;
                            const uint32_t w =
                                ((m * l.input.channels + i) * l.kernel + u) * l.kernel + v;
                            const uint32_t at = (i * l.input.height + row) * l.input.width + column;
                            sum.add(int64_t{c.weights[w]} * c.input[at]);
                        }
                    }
                }
                naive_store(c, sum, &output);
            }
        }
    }
    return output;
}

layer_output naive_dense(const layer_case &c)
{
    layer_output output;
    for (uint32_t o = 0; o < c.layer.output.channels; o++) {
        naive_sum sum = {c.biases[o] * (1 << c.layer.input_fraction)};
        for (uint32_t i = 0; i < c.inputs(); i++) {
            sum.add(int64_t{c.weights[o * c.inputs() + i]} * c.input[i]);
        }
        naive_store(c, sum, &output);
    }
    return output;
}

layer_output naive_max_pool2d(const layer_case &c)
{
    const struct nn_layer &l = c.layer;
    layer_output output;
    for (uint32_t m = 0; m < l.output.channels; m++) {
        for (uint32_t y = 0; y < l.output.height; y++) {
            for (uint32_t x = 0; x < l.output.width; x++) {
                int32_t largest = INT32_MIN;
                for (uint32_t u = 0; u < l.kernel; u++) {
                    for (uint32_t v = 0; v < l.kernel; v++) {
                        const uint32_t at =
                            (m * l.input.height + y * l.stride + u) * l.input.width + x * l.stride +
                            v;
                        largest = std::max<int32_t>(largest, c.input[at]);
                    }
                }
                output.values.push_back(largest);
            }
        }
    }
    return output;
}

/* ---- running a kernel ---- */

using kernel = std::function<void(const struct nn_arguments *)>;

/* The output lies between guards that must stay as they are. */
layer_output run(const layer_case &c, const kernel &function)
{
    constexpr int32_t GUARD = 0x5a5a5a5a;
    constexpr size_t GUARDS = 4;
    std::vector<int32_t> memory(c.outputs() + 2 * GUARDS, GUARD);
    struct nn_numerics numerics = {};
    const struct nn_arguments arguments = {&c.layer,       c.weights.data(), c.biases.data(),
                                           c.input.data(), &memory[GUARDS],  &numerics};
    nn_sum_begin(&numerics);
    function(&arguments);
    layer_output output;
    output.wrapped = nn_sum_overflow(&numerics) != 0;
    output.saturations = numerics.saturations;
    const auto *narrow = reinterpret_cast<const int16_t *>(&memory[GUARDS]);
    for (uint32_t i = 0; i < c.outputs(); i++) {
        output.values.push_back(c.layer.is_last ? memory[GUARDS + i] : narrow[i]);
    }
    const size_t bytes = c.outputs() * (c.layer.is_last ? sizeof(int32_t) : sizeof(int16_t));
    const auto *bytewise = reinterpret_cast<const uint8_t *>(&memory[GUARDS]);
    for (size_t i = bytes; i < (c.outputs() + GUARDS) * sizeof(int32_t); i++) {
        EXPECT_EQ(bytewise[i], 0x5a) << "written behind the output";
    }
    for (size_t i = 0; i < GUARDS; i++) {
        EXPECT_EQ(memory[i], GUARD) << "written before the output";
    }
    return output;
}

uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

struct value_range {
    int32_t weight, input;
};

/* Kernels 1 to 7, strides 1 to 3, 1 to 9 maps; sizes that the stride need not divide. */
layer_case random_window(random_source *random, enum nn_layer_kind kind, value_range range)
{
    layer_case c;
    struct nn_layer &l = c.layer;
    l.kind = static_cast<uint8_t>(kind);
    const uint32_t side = random->between(1u, 7u);
    l.kernel = static_cast<uint8_t>(side);
    l.stride = static_cast<uint8_t>(random->between(1u, 3u));
    l.input = {narrow(random->between(1u, 5u)), narrow(random->between(side, side + 9)),
               narrow(random->between(side, side + 9)), 0};
    const uint32_t maps = kind == NN_MAX_POOL2D ? l.input.channels : random->between(1u, 9u);
    l.output = {narrow(maps), narrow((l.input.height - l.kernel) / uint32_t{l.stride} + 1),
                narrow((l.input.width - l.kernel) / uint32_t{l.stride} + 1), 0};
    l.activation = static_cast<uint8_t>(random->between(0u, 1u));
    l.weight_fraction = static_cast<uint8_t>(random->between(8u, 15u));
    l.input_fraction = static_cast<uint8_t>(random->between(8u, 15u));
    l.output_fraction = l.input_fraction;
    l.is_last = random->between(0u, 3u) == 0;
    c.weights = random->int16s(size_t{maps} * l.input.channels * l.kernel * l.kernel, range.weight);
    c.biases = random->int16s(maps, range.weight);
    c.input = random->int16s(c.inputs(), range.input);
    return c;
}

layer_case random_dense(random_source *random, value_range range)
{
    layer_case c;
    struct nn_layer &l = c.layer;
    l.kind = NN_DENSE;
    l.input = {narrow(random->between(1u, 7u)), narrow(random->between(1u, 5u)),
               narrow(random->between(1u, 5u)), 0};
    l.output = {narrow(random->between(1u, 11u)), 1, 1, 0};
    l.activation = static_cast<uint8_t>(random->between(0u, 1u));
    l.weight_fraction = static_cast<uint8_t>(random->between(8u, 15u));
    l.input_fraction = static_cast<uint8_t>(random->between(8u, 15u));
    l.output_fraction = l.input_fraction;
    l.is_last = random->between(0u, 1u) == 0;
    c.weights = random->int16s(size_t{l.output.channels} * c.inputs(), range.weight);
    c.biases = random->int16s(l.output.channels, range.weight);
    c.input = random->int16s(c.inputs(), range.input);
    return c;
}

/* Small values; values whose results saturate; the whole range, whose sums wrap. */
constexpr value_range RANGES[] = {{300, 300}, {3000, 20000}, {32767, 32767}};

struct seen {
    uint64_t saturations = 0;
    uint64_t wrapped = 0;
    uint64_t not_wrapped = 0;

    void note(const layer_output &output)
    {
        saturations += output.saturations;
        wrapped += output.wrapped;
        not_wrapped += !output.wrapped;
    }

    /* The cases are worth something only if they have met all of it. */
    void expect_everything() const
    {
        EXPECT_GT(saturations, 100u);
        EXPECT_GT(wrapped, 20u);
        EXPECT_GT(not_wrapped, 100u);
    }
};

TEST(NnConv2d, IsTheNaiveSumBitForBit)
{
    random_source random(1);
    seen all;
    for (int i = 0; i < 600; i++) {
        const layer_case c = random_window(&random, NN_CONV2D, RANGES[i % 3]);
        const layer_output expected = naive_conv2d(c);
        ASSERT_TRUE(run(c, nn_conv2d) == expected)
            << "case " << i << ": kernel " << int{c.layer.kernel} << " stride "
            << int{c.layer.stride} << " maps " << c.layer.output.channels;
        all.note(expected);
    }
    all.expect_everything();
}

/* The window that has its own code, word by word: every remainder of a row by four, weights that
 * begin on a word and in the middle of one, and rows and strides that it leaves to the other. */
TEST(NnConv2d, FiveByFiveForEveryWidthAndNumberOfMaps)
{
    random_source random(2);
    seen all;
    for (uint32_t width = 5; width <= 16; width++) {
        for (uint32_t maps = 1; maps <= 3; maps++) {
            for (uint32_t i = 0; i < 12; i++) {
                const value_range range = RANGES[i % 3];
                const uint32_t inputs = 1 + i % 4;
                const uint32_t stride = i < 8 ? 1 : 2;
                layer_case c = random_window(&random, NN_CONV2D, range);
                c.layer.kernel = 5;
                c.layer.stride = static_cast<uint8_t>(stride);
                c.layer.input = {narrow(inputs), 7, narrow(width), 0};
                c.layer.output = {narrow(maps), narrow(2 / stride + 1),
                                  narrow((width - 5) / stride + 1), 0};
                c.weights = random.int16s(size_t{maps} * inputs * 25, range.weight);
                c.biases = random.int16s(maps, range.weight);
                c.input = random.int16s(c.inputs(), range.input);
                const layer_output expected = naive_conv2d(c);
                ASSERT_TRUE(run(c, nn_conv2d) == expected)
                    << "width " << width << " maps " << maps << " case " << i;
                all.note(expected);
            }
        }
    }
    all.expect_everything();
}

TEST(NnDense, IsTheNaiveSumBitForBit)
{
    random_source random(3);
    seen all;
    for (int i = 0; i < 1500; i++) {
        const layer_case c = random_dense(&random, RANGES[i % 3]);
        const layer_output expected = naive_dense(c);
        ASSERT_TRUE(run(c, nn_dense) == expected)
            << "case " << i << ": " << c.inputs() << " inputs, " << c.layer.output.channels
            << " outputs";
        all.note(expected);
    }
    all.expect_everything();
}

TEST(NnMaxPool2d, IsTheNaiveMaximum)
{
    random_source random(4);
    for (int i = 0; i < 600; i++) {
        layer_case c = random_window(&random, NN_MAX_POOL2D, {0, 32767});
        c.layer.is_last = 0;
        ASSERT_TRUE(run(c, nn_max_pool2d) == naive_max_pool2d(c))
            << "case " << i << ": window " << int{c.layer.kernel} << " stride "
            << int{c.layer.stride};
    }
}

TEST(NnMaxPool2d, TakesNegativeValuesAndTheEndsOfTheRange)
{
    layer_case c;
    c.layer.kernel = 2;
    c.layer.stride = 2;
    c.layer.input = {1, 2, 6, 0};
    c.layer.output = {1, 1, 3, 0};
    c.input = {-5, -4, INT16_MIN, INT16_MIN, INT16_MAX, 0,
               -7, -6, INT16_MIN, INT16_MIN, INT16_MIN, 1};
    EXPECT_EQ(run(c, nn_max_pool2d).values, (std::vector<int32_t>{-4, INT16_MIN, INT16_MAX}));
}

/* ---- arithmetic ---- */

TEST(NnFixedPoint, RoundsToNearestTiesUpwards)
{
    for (unsigned shift = 2; shift <= 15; shift++) {
        const int32_t half = 1 << (shift - 1);
        for (int32_t whole = -3; whole <= 3; whole++) {
            const int32_t value = whole * 2 * half;
            EXPECT_EQ(nn_round_shift(value, shift), whole);
            EXPECT_EQ(nn_round_shift(value + half - 1, shift), whole);
            EXPECT_EQ(nn_round_shift(value + half, shift), whole + 1) << "tie";
            EXPECT_EQ(nn_round_shift(value - half, shift), whole) << "tie";
            EXPECT_EQ(nn_round_shift(value - half - 1, shift), whole - 1);
        }
    }
}

/* The half that is added must not turn the largest sums into the smallest. */
TEST(NnFixedPoint, RoundsTheEndsOfTheRange)
{
    random_source random(5);
    for (unsigned shift = 2; shift <= 15; shift++) {
        for (int32_t i = 0; i < 70000; i += 7) {
            EXPECT_EQ(nn_round_shift(INT32_MAX - i, shift), naive_round(INT32_MAX - i, shift));
            EXPECT_EQ(nn_round_shift(INT32_MIN + i, shift), naive_round(INT32_MIN + i, shift));
        }
        for (int i = 0; i < 1000; i++) {
            const auto value = static_cast<int32_t>(random.between(0u, UINT32_MAX - 1));
            EXPECT_EQ(nn_round_shift(value, shift), naive_round(value, shift));
        }
    }
}

TEST(NnFixedPoint, SaturatesAndCounts)
{
    struct nn_numerics numerics = {};
    EXPECT_EQ(nn_saturate(INT16_MAX, &numerics), INT16_MAX);
    EXPECT_EQ(nn_saturate(INT16_MIN, &numerics), INT16_MIN);
    EXPECT_EQ(numerics.saturations, 0u);
    EXPECT_EQ(nn_saturate(INT16_MAX + 1, &numerics), INT16_MAX);
    EXPECT_EQ(nn_saturate(INT16_MIN - 1, &numerics), INT16_MIN);
    EXPECT_EQ(nn_saturate(INT32_MAX, &numerics), INT16_MAX);
    EXPECT_EQ(numerics.saturations, 3u);
    EXPECT_EQ(numerics.overflows, 0u);
}

TEST(NnFixedPoint, SumsWrapAndSayso)
{
    struct nn_numerics numerics = {};
    const auto mac = [&numerics](int32_t sum, int16_t w, int16_t x) {
        return nn_sum_end(nn_mac(nn_sum_from(sum), w, x), &numerics);
    };
    nn_sum_begin(&numerics);
    EXPECT_EQ(mac(INT32_MAX - 6, 2, 3), INT32_MAX);
    EXPECT_EQ(mac(INT32_MIN + 6, -2, 3), INT32_MIN);
    EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
    EXPECT_EQ(mac(INT32_MAX, 1, 1), INT32_MIN);
    EXPECT_EQ(nn_sum_overflow(&numerics), 1u);
    EXPECT_EQ(mac(0, 1, 1), 1);
    EXPECT_EQ(nn_sum_overflow(&numerics), 1u) << "it is remembered";
    nn_sum_begin(&numerics);
    EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
    EXPECT_EQ(mac(INT32_MIN, 1, -1), INT32_MAX);
    EXPECT_EQ(nn_sum_overflow(&numerics), 1u);
    nn_sum_begin(&numerics);
    EXPECT_EQ(mac(0, INT16_MIN, INT16_MIN), 1 << 30) << "the largest product fits";
    EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
    const struct nn_sum back = nn_mac(nn_mac(nn_sum_from(INT32_MAX), 1, 1), 1, -1);
    EXPECT_EQ(nn_sum_end(back, &numerics), INT32_MAX);
    EXPECT_EQ(nn_sum_overflow(&numerics), 1u) << "on its way only";
}

/* A sum that wraps and comes back has the right value and is an overflow all the same. */
TEST(NnDense, SeesASumThatWrapsAndComesBack)
{
    layer_case c;
    c.layer.kind = NN_DENSE;
    c.layer.is_last = 1;
    c.layer.input = {6, 1, 1, 0};
    c.layer.output = {1, 1, 1, 0};
    c.layer.input_fraction = 11;
    c.biases = {0};
    c.weights = {32767, 32767, 32767, -32767, -32767, -32767};
    c.input = {32767, 32767, 32767, 32767, 32767, 32767};
    const layer_output output = run(c, nn_dense);
    EXPECT_EQ(output.values, std::vector<int32_t>{0});
    EXPECT_TRUE(output.wrapped);
}

/* ---- the whole network ---- */

TEST(NnForward, IsTheChainOfItsLayers)
{
    const test_network network("name: chain\nvariant: modern\n"
                               "input: {channels: 2, height: 15, width: 13}\n"
                               "formats: {weight_fraction: 12, activation_fraction: 10, "
                               "input_shift: 2}\n"
                               "layers:\n"
                               "  - {name: a, type: conv2d, maps: 5, kernel: 3, activation: relu}\n"
                               "  - {name: b, type: max_pool2d, size: 3, stride: 2}\n"
                               "  - {name: c, type: conv2d, maps: 3, kernel: 2, stride: 2}\n"
                               "  - {name: d, type: dense, units: 9, activation: relu}\n"
                               "  - {name: e, type: dense, units: 7, activation: softmax}\n");
    random_source random(6);
    for (int round = 0; round < 20; round++) {
        const std::vector<int16_t> parameters =
            random.int16s(network.table->parameter_bytes / 2, round < 10 ? 2000 : 32767);
        std::vector<uint8_t> image(network.table->image_pixels);
        std::vector<int16_t> values;
        for (uint8_t &pixel : image) {
            pixel = static_cast<uint8_t>(random.between(0u, 255u));
            values.push_back(static_cast<int16_t>(pixel << 2));
        }
        uint32_t saturations = 0;
        uint32_t overflows = 0;
        std::vector<int32_t> expected;
        for (uint32_t i = 0; i < network.table->layers; i++) {
            layer_case c;
            c.layer = network.table->layer[i];
            c.weights.assign(parameters.begin() + c.layer.weights / 2, parameters.end());
            c.biases.assign(parameters.begin() + c.layer.biases / 2, parameters.end());
            c.input = values;
            const layer_output output = c.layer.kind == NN_CONV2D  ? naive_conv2d(c)
                                        : c.layer.kind == NN_DENSE ? naive_dense(c)
                                                                   : naive_max_pool2d(c);
            saturations += output.saturations;
            overflows += output.wrapped;
            expected = output.values;
            values.assign(expected.begin(), expected.end());
        }
        const integer_run found(network, parameters, image.data());
        ASSERT_EQ(found.logits, expected) << round;
        EXPECT_EQ(found.numerics.saturations, saturations);
        EXPECT_EQ(found.numerics.overflows, overflows);
    }
}

std::vector<uint32_t> marked;

void mark(uint32_t layer)
{
    marked.push_back(layer);
}

TEST(NnForward, MarksEachLayerBeforeItRuns)
{
    const auto network = lenet1();
    const std::vector<int16_t> parameters(network->table->parameter_bytes / 2);
    std::vector<uint8_t> activations(network->table->activation_bytes);
    const std::vector<uint8_t> image(DIGITS_PIXELS);
    struct nn_numerics numerics = {};
    marked.clear();
    nn_forward(network->table, reinterpret_cast<const uint8_t *>(parameters.data()),
               activations.data(), image.data(), mark, &numerics);
    EXPECT_EQ(marked, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
}

TEST(NnForward, LoadsAnImageOfAnyLength)
{
    random_source random(5);
    for (uint32_t pixels = 1; pixels <= 9; pixels++) {
        struct nn_table table = {};
        table.image_pixels = pixels;
        table.input_shift = 7; /* the largest */
        std::vector<uint8_t> image(pixels);
        for (uint8_t &pixel : image) {
            pixel = static_cast<uint8_t>(random.between(0, 255));
        }
        image[pixels - 1] = 255;
        alignas(4) int16_t values[12];
        std::fill(std::begin(values), std::end(values), int16_t{-1});
        nn_load_image(&table, image.data(), values);
        for (uint32_t i = 0; i < 12; i++) {
            EXPECT_EQ(values[i], i < pixels ? image[i] << 7 : -1) << pixels << " " << i;
        }
    }
}

} // namespace

/* The kernels on values of 8 bits: exactly what their rules say, stated naively, so within half a
 * unit of an output of what doubles make of the same numbers. */
extern "C" {
#include "models/common/draw.h"
#include "workloads/nn/kernels.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace
{

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
    template <typename Value> std::vector<Value> many(size_t count, int32_t most)
    {
        std::vector<Value> made(count);
        for (Value &value : made) {
            value = static_cast<Value>(between(-most - 1, most));
        }
        return made;
    }

  private:
    uint64_t seed_, taken_ = 0;
};

/* Memory on words, as the kernels want it. */
template <typename Value> struct on_words {
    explicit on_words(const std::vector<Value> &from) : memory(from.size() * sizeof(Value) / 4 + 1)
    {
        std::copy(from.begin(), from.end(), data());
    }
    Value *data()
    {
        return reinterpret_cast<Value *>(memory.data());
    }
    std::vector<uint32_t> memory;
};

constexpr int WEIGHTS = 6 + NN_INT8_SHIFT, INPUTS = 7;

struct nn_layer layer_of(enum nn_layer_kind kind, uint8_t outputs)
{
    struct nn_layer layer = {};
    layer.kind = static_cast<uint8_t>(kind);
    layer.activation = NN_RELU;
    layer.weight_fraction = WEIGHTS;
    layer.input_fraction = INPUTS;
    layer.output_fraction = outputs;
    return layer;
}

struct expected {
    std::vector<double> sums; /* in reals, before the activation */
    uint32_t cuts = 0;
};

/* Runs a kernel and compares each output with what a double sum comes to. */
void check(void (*kernel)(const struct nn_arguments *), const struct nn_layer &layer,
           const std::vector<int8_t> &weights, const std::vector<int16_t> &biases,
           const std::vector<int8_t> &input, const std::vector<double> &sums)
{
    on_words<int8_t> w(weights);
    on_words<int8_t> x(input);
    std::vector<uint32_t> scratch(nn_int8_layer_scratch(&layer) / 4 + 1, 0);
    scratch.back() = 0xabcd;
    std::vector<int8_t> output(sums.size() * (layer.is_last ? 4 : 1));
    on_words<int8_t> out(output);
    struct nn_numerics numerics = {};
    const struct nn_arguments arguments = {&layer,
                                           w.data(),
                                           biases.data(),
                                           x.data(),
                                           out.data(),
                                           &numerics,
                                           reinterpret_cast<int16_t *>(scratch.data())};
    nn_sum_begin(&numerics);
    kernel(&arguments);
    EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
    EXPECT_EQ(scratch.back(), 0xabcdu);
    uint32_t cuts = 0;
    for (size_t i = 0; i < sums.size(); i++) {
        if (layer.is_last) {
            const auto *totals = reinterpret_cast<const int32_t *>(out.data());
            ASSERT_EQ(std::ldexp(totals[i], -WEIGHTS - INPUTS), sums[i]) << "nothing is rounded";
            continue;
        }
        const double value = sums[i] < 0 ? 0 : std::ldexp(sums[i], layer.output_fraction);
        const double rounded = std::floor(value + 0.5);
        cuts += rounded > INT8_MAX;
        ASSERT_EQ(out.data()[i], std::fmin(rounded, INT8_MAX)) << i;
        if (rounded <= INT8_MAX) {
            ASSERT_LE(std::fabs(out.data()[i] - value), 0.5) << "half a unit";
        }
    }
    EXPECT_EQ(numerics.saturations, cuts);
}

size_t index(int32_t of)
{
    return static_cast<size_t>(of);
}

double real_weight(int8_t weight)
{
    return std::ldexp(weight, NN_INT8_SHIFT - WEIGHTS);
}

TEST(NnInt8, DenseIsItsSumRoundedOnceAndCut)
{
    random_source random(1);
    for (int32_t inputs = 1; inputs < 60; inputs++) {
        struct nn_layer layer = layer_of(NN_DENSE, static_cast<uint8_t>(random.between(0, 6)));
        const int32_t outputs = random.between(1, 7);
        layer.input = {static_cast<uint16_t>(inputs), 1, 1, 0};
        layer.output = {static_cast<uint16_t>(outputs), 1, 1, 0};
        const auto weights = random.many<int8_t>(index(inputs * outputs), 127);
        const auto biases = random.many<int16_t>(index(outputs), 32767);
        const auto input = random.many<int8_t>(index(inputs), 127);
        std::vector<double> sums;
        for (int32_t o = 0; o < outputs; o++) {
            double sum = std::ldexp(biases[index(o)], -WEIGHTS);
            for (int32_t i = 0; i < inputs; i++) {
                sum += real_weight(weights[index(o * inputs + i)]) *
                       std::ldexp(input[index(i)], -INPUTS);
            }
            sums.push_back(sum);
        }
        for (const uint8_t last : {0, 1}) {
            layer.is_last = last;
            check(nn_dense, layer, weights, biases, input, sums);
        }
    }
}

TEST(NnInt8, ConvolutionIsItsSumRoundedOnceAndCut)
{
    random_source random(2);
    for (int n = 0; n < 80; n++) {
        struct nn_layer layer = layer_of(NN_CONV2D, static_cast<uint8_t>(random.between(0, 6)));
        const int32_t side = n % 2 == 0 ? 5 : random.between(1, 4);
        const int32_t maps = random.between(1, 3);
        const int32_t height = side + random.between(0, 5);
        const int32_t width = side + 1 + 2 * random.between(0, 3);
        const int32_t outputs = random.between(1, 4);
        layer.kernel = static_cast<uint8_t>(side);
        layer.stride = 1;
        layer.input = {static_cast<uint16_t>(maps), static_cast<uint16_t>(height),
                       static_cast<uint16_t>(width), 0};
        layer.output = {static_cast<uint16_t>(outputs), static_cast<uint16_t>(height - side + 1),
                        static_cast<uint16_t>(width - side + 1), 0};
        const int32_t links = maps * side * side;
        const auto weights = random.many<int8_t>(index(links * outputs), 127);
        const auto biases = random.many<int16_t>(index(outputs), 32767);
        const auto input = random.many<int8_t>(index(maps * height * width), 127);
        std::vector<double> sums;
        for (int32_t o = 0; o < outputs; o++) {
            for (int32_t y = 0; y + side <= height; y++) {
                for (int32_t x = 0; x + side <= width; x++) {
                    double sum = std::ldexp(biases[index(o)], -WEIGHTS);
                    for (int32_t link = 0; link < links; link++) {
                        const int32_t row = y + link / side % side;
                        const int32_t column = x + link % side;
                        const int32_t at = (link / (side * side) * height + row) * width + column;
                        sum += real_weight(weights[index(o * links + link)]) *
                               std::ldexp(input[index(at)], -INPUTS);
                    }
                    sums.push_back(sum);
                }
            }
        }
        check(nn_conv2d, layer, weights, biases, input, sums);
    }
}

/* The largest weights and values of a long row: 32 bits are too few, and it is noticed. */
TEST(NnInt8, AWrapIsNoticed)
{
    struct nn_layer layer = layer_of(NN_DENSE, 0);
    layer.is_last = 1;
    layer.output = {1, 1, 1, 0};
    for (const uint16_t inputs : {512, 520}) {
        layer.input = {inputs, 1, 1, 0};
        on_words<int8_t> weights(std::vector<int8_t>(inputs, -128));
        on_words<int8_t> input(std::vector<int8_t>(inputs, 127));
        std::vector<uint32_t> scratch(inputs / 2u);
        const int16_t bias = 0;
        int32_t sum;
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&layer,
                                               weights.data(),
                                               &bias,
                                               input.data(),
                                               &sum,
                                               &numerics,
                                               reinterpret_cast<int16_t *>(scratch.data())};
        nn_sum_begin(&numerics);
        nn_dense(&arguments);
        EXPECT_EQ(nn_sum_overflow(&numerics), inputs == 512 ? 0u : 1u) << inputs;
    }
}

TEST(NnInt8, PixelsAreHalvedAndValuesWidened)
{
    struct nn_table table = {};
    table.image_pixels = 255;
    std::vector<uint8_t> pixels(255);
    std::vector<int8_t> all(255);
    for (size_t i = 0; i < 255; i++) {
        pixels[i] = static_cast<uint8_t>(i + 1);
        all[i] = static_cast<int8_t>(static_cast<int>(i) - 128);
    }
    on_words<uint8_t> image(pixels);
    on_words<int8_t> values(std::vector<int8_t>(256, 99));
    nn_load_image(&table, image.data(), values.data());
    for (size_t i = 0; i < 255; i++) {
        EXPECT_EQ(values.data()[i], static_cast<int>((i + 1) / 2));
    }
    EXPECT_EQ(values.data()[255], 99);
    on_words<int8_t> narrow(all);
    on_words<int16_t> wide(std::vector<int16_t>(256, 99));
    nn_int8_widen(narrow.data(), wide.data(), 255);
    for (size_t i = 0; i < 255; i++) {
        EXPECT_EQ(wide.data()[i], all[i]);
    }
    EXPECT_EQ(wide.data()[255], 99);
}

} // namespace

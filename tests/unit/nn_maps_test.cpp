/* The sums of convolutions on the host (maps_host.c), with vectors, against the same products added
 * one after the other: the same bits, and the same notice of a wrap. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/kernels.h"
#include "workloads/nn/maps_host.h"
}

#include <gtest/gtest.h>

namespace
{

struct map_case {
    uint16_t channels, height, width;
    uint8_t kernel, stride, padding;
    int16_t weights, input; /* largest magnitudes */
};

nn_layer layer_of(const map_case &one)
{
    const auto outputs = [&one](uint16_t side) {
        return static_cast<uint16_t>((side + 2 * one.padding - one.kernel) / one.stride + 1);
    };
    nn_layer layer = {};
    layer.kernel = one.kernel;
    layer.stride = one.stride;
    layer.padding = one.padding;
    layer.input.channels = one.channels;
    layer.input.height = one.height;
    layer.input.width = one.width;
    layer.output.channels = 1;
    layer.output.height = outputs(one.height);
    layer.output.width = outputs(one.width);
    return layer;
}

/* Product after product; zeros around the input add nothing. */
std::vector<int32_t> plain_sums(const nn_layer &layer, const std::vector<int16_t> &weights,
                                const std::vector<int16_t> &input, int32_t bias, bool *wrapped)
{
    std::vector<int32_t> sums;
    *wrapped = false;
    for (int y = 0; y < layer.output.height; y++) {
        for (int x = 0; x < layer.output.width; x++) {
            struct nn_sum sum = nn_sum_from(bias);
            size_t w = 0;
            for (int c = 0; c < layer.input.channels; c++) {
                for (int i = 0; i < layer.kernel; i++) {
                    for (int j = 0; j < layer.kernel; j++, w++) {
                        const int row = y * layer.stride + i - layer.padding;
                        const int column = x * layer.stride + j - layer.padding;
                        if (row >= 0 && row < layer.input.height && column >= 0 &&
                            column < layer.input.width) {
                            const int at =
                                (c * layer.input.height + row) * layer.input.width + column;
                            sum = nn_mac(sum, weights[w], input[static_cast<unsigned>(at)]);
                        }
                    }
                }
            }
            *wrapped |= sum.wrapped != 0;
            sums.push_back(sum.value);
        }
    }
    return sums;
}

/* Returns whether a sum has wrapped. */
bool compare(const nn_layer &layer, const std::vector<int16_t> &weights,
             const std::vector<int16_t> &input, int32_t bias)
{
    struct nn_maps maps;
    bool wrapped;
    const std::vector<int32_t> expected = plain_sums(layer, weights, input, bias, &wrapped);
    EXPECT_TRUE(nn_maps_frame(&maps, &layer, input.data()));
    for (int again = 0; again < 2; again++) { /* as for the next map */
        EXPECT_EQ(nn_maps_sum(&maps, weights.data(), bias) != 0, wrapped);
        EXPECT_EQ(std::vector<int32_t>(maps.sum, maps.sum + expected.size()), expected);
    }
    nn_maps_drop(&maps);
    return wrapped;
}

} // namespace

TEST(NnMaps, HaveTheSameSumsAndNoticeTheSameWraps)
{
    random_source random(2);
    const map_case cases[] = {
        {1, 32, 32, 5, 1, 0, 8000, 2040},    {1, 28, 28, 5, 1, 2, 8000, 2040},
        {6, 14, 14, 5, 1, 0, 2000, 8000},    {8, 14, 14, 5, 1, 2, 8000, 24000},
        {4, 12, 12, 3, 1, 1, 2000, 8000},    {3, 6, 18, 3, 2, 1, 100, 30000},
        {64, 7, 5, 3, 1, 1, 3000, 9000},     {2, 9, 9, 1, 1, 0, 32767, 32767},
        {5, 11, 9, 7, 3, 3, 9000, 3000},     {1, 20, 20, 11, 4, 5, 9000, 9000},
        {3, 8, 8, 2, 2, 0, 30000, 30000},    {1, 1, 1, 1, 1, 0, 5, 5},
        {16, 10, 30, 5, 1, 2, 20000, 32767},
    };
    unsigned wraps = 0;
    for (const map_case &one : cases) {
        const nn_layer layer = layer_of(one);
        const size_t links = size_t{one.channels} * one.kernel * one.kernel;
        for (const int32_t bias : {0, -123456789, INT32_MAX - 1000, INT32_MIN}) {
            SCOPED_TRACE(testing::Message()
                         << one.channels << " maps, " << +one.kernel << ", " << bias);
            /* Of this size to the last value: a sanitizer sees what is read beyond. */
            wraps += compare(
                layer, random.int16s(links, one.weights),
                random.int16s(size_t{one.channels} * one.height * one.width, one.input), bias);
        }
    }
    EXPECT_GT(wraps, 10u);
    EXPECT_LT(wraps, 40u);
}

/* 2^15 x 65,535 is the last multiple below 2^31; 24 x 2,621 + 2,631 = 65,535. */
TEST(NnMaps, WrapAtTheLastValue)
{
    const nn_layer layer = layer_of({1, 5, 12, 5, 1, 0, 0, 0});
    std::vector<int16_t> weights(25, INT16_MIN);
    std::vector<int16_t> input(60, -2621);
    input[59] = -2631;
    EXPECT_FALSE(compare(layer, weights, input, 0));
    input[59] = -2632;
    EXPECT_TRUE(compare(layer, weights, input, 0));
    input[59] = 0;
    EXPECT_FALSE(compare(layer, weights, input, 0));
    EXPECT_TRUE(compare(layer, weights, input, 200000000));
    for (size_t i = 0; i < input.size(); i++) {
        input[i] = i % 12 < 6 ? INT16_MIN : INT16_MAX;
    }
    EXPECT_TRUE(compare(layer, weights, input, 0));
    weights.assign(25, INT16_MAX);
    EXPECT_TRUE(compare(layer, weights, input, INT32_MIN));
}

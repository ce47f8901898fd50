/* measure_operators_test.cpp - sim/measure/operator_case.h, operators.h and gradient.h, on the
 * host. The modelled core is in tests/system/measure_test.cpp. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

extern "C" {
#include "sim/measure/gradient.h"
#include "sim/measure/operators.h"
#include "sim/networks/layer.h"
}

namespace
{

/* A row of the table as a case; released at the end. */
class operator_of
{
  public:
    operator_of(const operator_row &row, const char *activation, network_numbers numbers)
    {
        struct diagnostic diagnostic = {};
        EXPECT_EQ(operator_case_make(&of, &row, activation, numbers, 1, &diagnostic), STATUS_OK)
            << diagnostic.text;
    }
    ~operator_of()
    {
        operator_case_deinit(&of);
    }
    operator_of(const operator_of &) = delete;
    operator_of &operator=(const operator_of &) = delete;

    operator_figures measure()
    {
        struct diagnostic diagnostic = {};
        struct operators_request request = {};
        struct operators_folder folder = {};
        operator_figures figures = {};
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        request.job.threads = 1;
        EXPECT_EQ(operators_folder_make(&folder, &diagnostic), STATUS_OK) << diagnostic.text;
        EXPECT_EQ(operator_measure(&request, &folder, &of, &figures, &diagnostic), STATUS_OK)
            << diagnostic.text;
        operators_folder_remove(&folder);
        EXPECT_EQ(folder.path, nullptr);
        return figures;
    }

    struct operator_case of = {};
};

operator_row one(uint32_t channels, uint32_t height, uint32_t width, const char *layer)
{
    return {{channels, height, width}, "", layer, false};
}

const std::set<std::string> TYPES = {
#define LAYER(NAME, name) #name,
#include "tables/layers.def"
};
const std::set<std::string> ACTIVATIONS = {
#define ACTIVATION(NAME, name) #name,
#include "workloads/nn/activations.def"
};

TEST(OperatorCases, HaveEachTypeOfLayerAndEachActivation)
{
    std::set<std::string> types;
    std::set<std::string> activations;
    for (size_t i = 0; i < OPERATOR_ROW_COUNT; i++) {
        const char *activation = nullptr;
        for (size_t number = 0; operator_case_next(&OPERATOR_ROWS[i], &number, &activation);) {
            const operator_of of(OPERATOR_ROWS[i], activation, NETWORK_INT16);
            types.insert(layer_kind_of(of.of.network.layer[of.of.at].type)->name);
            activations.insert(activation == nullptr ? "identity" : activation);
            EXPECT_LT(of.of.gradient, 1e-8) << of.of.text;
        }
    }
    EXPECT_EQ(types, TYPES);
    EXPECT_EQ(activations, ACTIVATIONS);
}

TEST(OperatorCases, ExpectWhatDoublesGive)
{
    const operator_row row = one(1, 2, 2, "type: max_pool2d, size: 2");
    const operator_of of(row, nullptr, NETWORK_INT16);
    ASSERT_EQ(of.of.outputs, 1u);
    for (size_t i = 0; i < OPERATOR_IMAGES; i++) {
        const uint8_t *pixel = of.of.images.images + 4 * i;
        EXPECT_EQ(of.of.expected[i], *std::max_element(pixel, pixel + 4) / 256.0);
        EXPECT_EQ(pixel[0] % 2, 0) << "int8 has 7 bits";
    }
}

/* The format has the parameters exactly. */
TEST(OperatorCases, DrawWeightsOfAFormat)
{
    const struct {
        network_numbers numbers;
        int bits;
    } formats[] = {{NETWORK_INT16, 13}, {NETWORK_S1615, 15}, {NETWORK_INT8, 6}};
    for (const auto &format : formats) {
        const operator_row row = one(1, 3, 5, "type: dense, units: 4");
        const operator_of of(row, nullptr, format.numbers);
        bool finer = false;
        for (size_t i = 0; i < 4 * 15 + 4; i++) {
            const double scaled = std::ldexp(of.of.parameters[i], format.bits);
            EXPECT_EQ(scaled, std::floor(scaled));
            EXPECT_LE(std::abs(of.of.parameters[i]), 1.0);
            finer = finer || std::fmod(scaled, 2) != 0;
        }
        EXPECT_TRUE(finer) << "fewer bits than the format has";
    }
}

TEST(OperatorMeasure, FindsNoErrorInAMaximum)
{
    const operator_row row = one(2, 7, 5, "type: max_pool2d, size: 2");
    for (const auto numbers : {NETWORK_INT16, NETWORK_S1615, NETWORK_INT8}) {
        operator_of of(row, nullptr, numbers);
        const operator_figures figures = of.measure();
        EXPECT_TRUE(figures.computed) << figures.remark;
        EXPECT_FALSE(figures.modelled) << "no programs were named";
        EXPECT_EQ(figures.largest, 0.0);
        EXPECT_EQ(figures.mean, 0.0);
    }
}

/* 8 + 13 bits are rounded to 11. */
TEST(OperatorMeasure, FindsHalfABitOfARounding)
{
    const operator_row row = one(1, 1, 1, "type: dense, units: 9");
    operator_of of(row, nullptr, NETWORK_INT16);
    const operator_figures figures = of.measure();
    EXPECT_STREQ(figures.format, "int16");
    EXPECT_EQ(figures.lsb, 0x1p-11);
    EXPECT_LE(figures.largest, 0x1p-12);
    EXPECT_GT(figures.largest, 0.4 * 0x1p-11);
    EXPECT_NEAR(figures.mean, 0x1p-13, 0.1 * 0x1p-11) << "a quarter of a bit";
    EXPECT_EQ(figures.saturations, 0u);
}

/* int16 ends below 16: sums of 560 products go beyond. */
TEST(OperatorMeasure, CountsValuesThatAFormatCuts)
{
    const operator_row row = one(1, 20, 28, "type: dense, units: 20");
    operator_of of(row, nullptr, NETWORK_INT16);
    uint64_t beyond = 0;
    double most = 0;
    for (size_t i = 0; i < OPERATOR_IMAGES * of.of.outputs; i++) {
        const double value = of.of.expected[i];
        beyond += value > 16 - 0x1p-12 || value < -16 - 0x1p-12;
        most = std::max({most, value - (16 - 0x1p-11), -16 - value});
    }
    const operator_figures figures = of.measure();
    EXPECT_GT(beyond, 0u) << "the case is worth nothing";
    EXPECT_EQ(figures.saturations, beyond);
    EXPECT_EQ(figures.largest, most);
}

TEST(OperatorMeasure, SaysWhatAFormatHasNoKernelFor)
{
    const operator_row row = one(1, 3, 3, "type: average_pool2d, size: 3");
    operator_of of(row, nullptr, NETWORK_S1615);
    const operator_figures figures = of.measure();
    EXPECT_FALSE(figures.computed);
    EXPECT_STREQ(figures.remark,
                 "s16.15 has convolutions without padding but the first, max pooling and dense "
                 "layers with ReLU only, and operator of network op is none");
}

} // namespace

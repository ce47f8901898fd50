/* nn_hinge_test.cpp - the hinge loss in integers, as its doubles have it. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

extern "C" {
#include "workloads/nn/doubles.h"
#include "workloads/nn/loss.h"
}

namespace
{

TEST(NnHinge, IsTheDoublesExactly)
{
    random_source random(11);
    int zeros = 0;
    for (int run = 0; run < 2000; run++) {
        int32_t sums[10];
        double outputs[10];
        for (int c = 0; c < 10; c++) {
            sums[c] = random.between(-100000000, 100000000) & ~0xff; /* 16 fractional bits */
            outputs[c] = std::ldexp(sums[c], -24);
        }
        const auto label = static_cast<uint32_t>(run % 10);
        nn_value errors[10];
        double gradient[10];
        uint32_t loss = 0;
        const uint32_t best = nn_hinge_error(sums, 10, 24, nullptr, label, 9, errors, &loss);
        loss_hinge.gradient(outputs, 10, label, gradient);
        EXPECT_EQ(std::ldexp(loss, -16), loss_hinge.of(outputs, 10, label));
        for (int c = 0; c < 10; c++) {
            EXPECT_EQ(std::ldexp(errors[c], -9), gradient[c]);
        }
        EXPECT_EQ(best, std::max_element(sums, sums + 10) - sums);
        zeros += loss == 0 ? 1 : 0;
    }
    EXPECT_GT(zeros, 10);
    EXPECT_LT(zeros, 1000);
}

/* Of equal outputs the first is the rival, and the class that is returned. */
TEST(NnHinge, TakesTheFirstOfEquals)
{
    const int32_t sums[] = {5, 7, 7, 7};
    nn_value errors[4];
    EXPECT_EQ(nn_hinge_error(sums, 4, 24, nullptr, 2, 8, errors, nullptr), 1u);
    EXPECT_EQ(errors[1], 256);
    EXPECT_EQ(errors[2], -256);
    EXPECT_EQ(errors[0] + errors[3], 0);
    EXPECT_EQ(nn_hinge_error(sums, 4, 24, nullptr, 1, 8, errors, nullptr), 1u);
}

/* Differences need 33 bits. */
TEST(NnHinge, CutsWhatIsTooLarge)
{
    const int32_t sums[] = {INT32_MIN, INT32_MAX};
    nn_value errors[2];
    uint32_t loss = 0;
    EXPECT_EQ(nn_hinge_error(sums, 2, 16, nullptr, 0, 8, errors, &loss), 1u);
    EXPECT_EQ(loss, UINT32_MAX);
    EXPECT_EQ(nn_hinge_error(sums, 2, 16, nullptr, 1, 8, errors, &loss), 1u);
    EXPECT_EQ(loss, 0u);
    EXPECT_EQ(errors[0], 0);
    EXPECT_EQ(errors[1], 0);
}

/* The gradient of the value, by differences. */
TEST(NnHinge, HasTheGradientOfItsValue)
{
    const double outputs[] = {0.25, -0.5, 1.0, 0.75};
    for (size_t label = 0; label < 4; label++) {
        double gradient[4];
        loss_hinge.gradient(outputs, 4, label, gradient);
        for (size_t c = 0; c < 4; c++) {
            double more[4];
            double less[4];
            std::copy(outputs, outputs + 4, more);
            std::copy(outputs, outputs + 4, less);
            more[c] += 0x1p-10;
            less[c] -= 0x1p-10;
            EXPECT_EQ((loss_hinge.of(more, 4, label) - loss_hinge.of(less, 4, label)) * 0x1p9,
                      gradient[c]);
        }
    }
}

} // namespace

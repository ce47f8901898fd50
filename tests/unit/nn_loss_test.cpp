/* The error of softmax with cross-entropy against doubles.
 *
 * The bound.  An exponential is within 4 units of 2^-16 of exp(), the largest logit's is exact
 * (nn_softmax_test.cpp); so a probability of n classes is off by at most 4 + 4 (n - 1) p units, and
 * an error, rounded once to E bits, by that much times 2^(E - 16) and a half.  The loss: the sum is
 * off by 4 (n - 1) units and at least 2^16, its logarithm by 4 (n - 1) units of 2^-16; one unit for
 * cutting the difference of logits, one for the logarithm. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "workloads/nn/loss.h"
}

namespace
{

const uint32_t *exp_table()
{
    static const std::vector<uint32_t> table = [] {
        std::vector<uint32_t> made(NN_EXP_STEPS + 1);
        nn_exp_table(made.data());
        return made;
    }();
    return table.data();
}

struct loss_of {
    loss_of(const std::vector<int32_t> &logits, uint32_t fraction, uint32_t label,
            uint32_t error_fraction)
        : error(logits.size())
    {
        best = nn_softmax_error(logits.data(), static_cast<uint32_t>(logits.size()), fraction,
                                exp_table(), label, error_fraction, error.data(), &loss);
    }

    uint32_t best;
    std::vector<nn_value> error;
    uint32_t loss = 0;
};

struct exact_loss {
    exact_loss(const std::vector<int32_t> &logits, uint32_t fraction, uint32_t label)
    {
        const int32_t most = *std::max_element(logits.begin(), logits.end());
        const auto above = [&](int32_t logit) {
            return std::ldexp(double(logit) - most, -static_cast<int>(fraction));
        };
        double sum = 0;
        for (const int32_t logit : logits) {
            sum += std::exp(above(logit));
        }
        for (const int32_t logit : logits) {
            probability.push_back(std::exp(above(logit)) / sum);
        }
        loss = std::log(sum) - above(logits[label]);
    }

    std::vector<double> probability;
    double loss;
};

TEST(NnLoss, IsTheDoubleReferencesWithinTheBound)
{
    random_source random(1);
    double worst_error = 0;
    double worst_loss = 0;
    for (int i = 0; i < 8000; i++) {
        const uint32_t classes = random.between(2u, 12u);
        const uint32_t fraction = random.between(0, 1) != 0 ? 24 : 18;
        const uint32_t bits = random.between(4u, 14u);
        const int32_t most = 1 << random.between(fraction - 6, fraction + 6);
        std::vector<int32_t> logits(classes);
        for (int32_t &logit : logits) {
            logit = random.between(-most, most);
        }
        const uint32_t label = random.between(0u, classes - 1);
        const loss_of made(logits, fraction, label, bits);
        const exact_loss exact(logits, fraction, label);
        const double unit = std::ldexp(1, static_cast<int>(bits) - 16);
        for (uint32_t c = 0; c < classes; c++) {
            const double p = exact.probability[c];
            const double off =
                std::abs(made.error[c] - std::ldexp(p - (c == label), static_cast<int>(bits)));
            EXPECT_LE(off, 0.5 + unit * (4 + 4 * (classes - 1) * p));
            worst_error = std::max(worst_error, off);
        }
        const double off = std::abs(made.loss - 65536 * exact.loss);
        EXPECT_LE(off, 4 * (classes - 1) + 2);
        worst_loss = std::max(worst_loss, off);
    }
    EXPECT_GT(worst_error, 0.5) << "the bound was never near";
    EXPECT_GT(worst_loss, 1);
}

TEST(NnLoss, EqualLogitsAreExact)
{
    const loss_of made({5, 5, 5, 5}, 24, 2, 8);
    EXPECT_EQ(made.best, 0u);
    EXPECT_EQ(made.error, (std::vector<nn_value>{64, 64, 64 - 256, 64}));
    EXPECT_EQ(made.loss, 90852u); /* 65536 ln 4 = 90852.2 */
}

/* Sure of the wrong class: the whole error, in both classes, however far the logits lie apart. */
TEST(NnLoss, AWrongClassKeepsItsWholeError)
{
    for (const int32_t apart : {16 << 24, 17 << 24, 100 << 24, INT32_MAX}) {
        const loss_of made({apart, 0, 0}, 24, 1, 8);
        EXPECT_EQ(made.best, 0u);
        EXPECT_EQ(made.error, (std::vector<nn_value>{256, -256, 0}));
        EXPECT_EQ(made.loss, static_cast<uint32_t>(apart) >> 8);
    }
    const loss_of widest({INT32_MAX, INT32_MIN}, 24, 1, 14);
    EXPECT_EQ(widest.error, (std::vector<nn_value>{1 << 14, -(1 << 14)}));
    EXPECT_EQ(widest.loss, UINT32_MAX >> 8);
}

/* Logits beyond +-16, which an int16 activation could not hold, differ as they do: cut to +-16
 * (2^28) these two would be equally probable, and the error of the label half of what it is. */
TEST(NnLoss, ALogitBeyondSixteenKeepsItsExactError)
{
    const std::vector<int32_t> logits = {20 << 24, 18 << 24, -(30 << 24)};
    for (const uint32_t label : {0u, 1u, 2u}) {
        const loss_of made(logits, 24, label, 12);
        const loss_of moved({4 << 24, 2 << 24, -(46 << 24)}, 24, label, 12);
        EXPECT_EQ(made.error, moved.error);
        EXPECT_EQ(made.loss, moved.loss);
    }
    const loss_of made(logits, 24, 0, 12);
    EXPECT_EQ(made.error, (std::vector<nn_value>{-488, 488, 0})); /* 4096 / (1 + e^2) = 488.3 */
    const loss_of clipped({16 << 24, 16 << 24, -(16 << 24)}, 24, 0, 12);
    EXPECT_EQ(clipped.error, (std::vector<nn_value>{-2048, 2048, 0}));
}

TEST(NnLoss, TheFirstOfEqualsIsTheClassAndNoLossIsNoFault)
{
    const std::vector<int32_t> logits = {3, 9, 1, 9};
    std::vector<nn_value> error(4);
    EXPECT_EQ(nn_softmax_error(logits.data(), 4, 24, exp_table(), 3, 9, error.data(), nullptr), 1u);
    EXPECT_EQ(error, (std::vector<nn_value>{128, 128, 128, -384}));
}

} // namespace

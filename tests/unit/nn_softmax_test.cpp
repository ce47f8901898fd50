/* The integer softmax against its promises and against exp().
 *
 * The bound, in units of 2^-16.  An entry of the exponential table is at most half a unit from
 * exp().  Between two entries, h = 1/64 apart, the chord lies at most h^2/8 = 2 units above the
 * curve; the interpolation rounds by half a unit; the argument is cut to 16 fractional bits, which
 * is at most one unit.  Beyond 16 the value is cut to 0 and was below 0.01.  Together: 4 units
 * each, and none for the largest logit, whose value is 1.  A probability p = e / S of n classes is
 * then off by at most 4 + 4 (n - 1) p, and half a unit for the division. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace
{

constexpr uint32_t ONE = 1u << NN_PROBABILITY_FRACTION;

const uint32_t *exp_table()
{
    static const std::vector<uint32_t> table = [] {
        std::vector<uint32_t> made(NN_EXP_STEPS + 1);
        nn_exp_table(made.data());
        return made;
    }();
    return table.data();
}

struct softmax {
    softmax(const std::vector<int32_t> &logits, uint32_t fraction) : probability(logits.size())
    {
        label = nn_softmax(logits.data(), static_cast<uint32_t>(logits.size()), fraction,
                           exp_table(), probability.data());
    }

    uint32_t sum() const
    {
        uint32_t all = 0;
        for (const uint32_t p : probability) {
            all += p;
        }
        return all;
    }

    uint32_t label;
    std::vector<uint32_t> probability;
};

std::vector<int32_t> random_logits(random_source *random, size_t classes, int32_t most)
{
    std::vector<int32_t> logits(classes);
    for (int32_t &logit : logits) {
        logit = random->between(-most, most);
    }
    return logits;
}

TEST(NnExpTable, IsExpRoundedToSixteenBits)
{
    for (int i = 0; i <= NN_EXP_STEPS; i++) {
        const double exact = ONE * std::exp(-i / double{NN_EXP_STEPS_PER_UNIT});
        EXPECT_NEAR(exp_table()[i], exact, 0.5 + 1e-3) << i;
    }
    EXPECT_EQ(exp_table()[0], ONE);
    EXPECT_EQ(exp_table()[NN_EXP_STEPS], 0u);
}

TEST(NnSoftmax, ProbabilitiesAddUpToOneWithinHalfAUnitEach)
{
    random_source random(1);
    for (int i = 0; i < 5000; i++) {
        const size_t classes = random.between(1u, 64u);
        const softmax made(random_logits(&random, classes, 1 << random.between(2u, 30u)), 24);
        EXPECT_LE(std::abs(static_cast<double>(made.sum()) - ONE), classes / 2.0);
    }
}

TEST(NnSoftmax, ALargerLogitIsNotLessProbable)
{
    random_source random(2);
    for (int i = 0; i < 3000; i++) {
        const std::vector<int32_t> logits =
            random_logits(&random, 10, 1 << random.between(4u, 30u));
        const softmax made(logits, 24);
        for (size_t a = 0; a < logits.size(); a++) {
            EXPECT_LE(logits[a], logits[made.label]);
            for (size_t b = 0; b < logits.size(); b++) {
                if (logits[a] >= logits[b]) {
                    EXPECT_GE(made.probability[a], made.probability[b]);
                }
            }
        }
    }
}

TEST(NnSoftmax, EqualLogitsAreEquallyProbableAndTheFirstWins)
{
    for (const uint32_t classes : {1u, 2u, 3u, 7u, 10u, 64u}) {
        for (const int32_t value : {0, 5, -5, INT32_MAX, INT32_MIN}) {
            const softmax made(std::vector<int32_t>(classes, value), 24);
            EXPECT_EQ(made.label, 0u);
            for (const uint32_t p : made.probability) {
                EXPECT_EQ(p, (ONE + classes / 2) / classes);
            }
        }
    }
    const softmax made({3, 9, 1, 9, 9}, 24);
    EXPECT_EQ(made.label, 1u);
    EXPECT_EQ(made.probability[1], made.probability[3]);
}

TEST(NnSoftmax, HugeDifferencesAreCertainty)
{
    const softmax made({INT32_MIN, INT32_MAX, 0, -1, INT32_MAX - (16 << 24)}, 24);
    EXPECT_EQ(made.label, 1u);
    EXPECT_EQ(made.probability, (std::vector<uint32_t>{0, ONE, 0, 0, 0}));
}

/* A constant added to all logits, even one that wraps no sum of ours, changes nothing. */
TEST(NnSoftmax, OnlyDifferencesCount)
{
    random_source random(3);
    for (int i = 0; i < 500; i++) {
        std::vector<int32_t> logits = random_logits(&random, 10, 1 << 26);
        const softmax before(logits, 24);
        const int32_t shift = random.between(-(1 << 30), 1 << 30);
        for (int32_t &logit : logits) {
            logit += shift;
        }
        const softmax after(logits, 24);
        EXPECT_EQ(before.probability, after.probability);
    }
}

TEST(NnSoftmax, IsExpWithinTheBound)
{
    random_source random(4);
    double worst = 0;
    for (const uint32_t fraction : {16u, 20u, 24u, 30u}) {
        for (int i = 0; i < 3000; i++) {
            const size_t classes = random.between(2u, 12u);
            const auto spread = static_cast<int32_t>(
                std::ldexp(random.between(1u, 63u), static_cast<int>(fraction) - 5));
            const std::vector<int32_t> logits = random_logits(&random, classes, spread);
            const softmax made(logits, fraction);
            double sum = 0;
            for (const int32_t logit : logits) {
                sum += std::exp(
                    std::ldexp(double(logit) - logits[made.label], -static_cast<int>(fraction)));
            }
            for (size_t c = 0; c < classes; c++) {
                const double p = std::exp(std::ldexp(double(logits[c]) - logits[made.label],
                                                     -static_cast<int>(fraction))) /
                                 sum;
                const double error = std::abs(made.probability[c] - ONE * p);
                const double bound = 4.5 + 4.0 * static_cast<double>(classes - 1) * p;
                EXPECT_LE(error, bound);
                worst = std::max(worst, error);
            }
        }
    }
    EXPECT_GT(worst, 0.5) << "the bound was never near";
}

} // namespace

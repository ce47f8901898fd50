/* The learning step: momentum and gradient descent against their formulas, number by number; Adam
 * against doubles. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "workloads/nn/schedule.h"
#include "workloads/nn/update.h"
}

namespace
{

/* The recipe's rule: error 8 bits, activations 11, weights 13, rate 2^-11, momentum 0.9. */
struct nn_rule recipe()
{
    struct nn_rule rule = {};
    rule.optimizer = NN_MOMENTUM;
    rule.weight_fraction = 13;
    rule.error_fraction = 8;
    rule.activation_fraction = 11;
    rule.rate_shift = 11;
    rule.rate_scale = 1;
    rule.one_less_momentum = 3277;
    rule.epsilon = 1;
    return rule;
}

struct owner {
    int32_t state[2] = {};
    nn_value parameter = 0;
    struct nn_update_note note = {};

    void step(const struct nn_rule &rule, int32_t gradient, uint32_t rate, bool bias = false,
              uint32_t number = 0)
    {
        const uint32_t first = 5;
        nn_update(&rule, number, rate, first, 1, bias ? first : first + 1, &gradient, state,
                  &parameter, &note);
    }
};

/* rn(value / 2^shift), in doubles: exact below 2^53. */
double rn(double value, int shift)
{
    return std::floor(std::ldexp(value, -shift) + 0.5);
}

double sat16(double value)
{
    return std::min(32767.0, std::max(-32768.0, value));
}

TEST(NnUpdate, OneStepByHand)
{
    owner one; /* k = 8 + 11 + 11 + 8 - 28 = 10: 1000 x 256 / 1024 = 250 */
    one.step(recipe(), 1000, 256);
    EXPECT_EQ(one.state[0], 250);
    EXPECT_EQ(one.parameter, 0); /* 250 / 32768 */
    one.step(recipe(), 1 << 20, 128);
    EXPECT_EQ(one.state[0], 250 - 25 + (1 << 17)); /* 250 x 3277 / 32768 = 25.0015 */
    EXPECT_EQ(one.parameter, -4);                  /* 131297 / 32768 = 4.007 */
    owner bias;                                    /* k = 8 + 11 + 8 - 28 = -1: to the left */
    bias.step(recipe(), 1000, 256, true);
    EXPECT_EQ(bias.state[0], 512000);
    EXPECT_EQ(bias.parameter, -16); /* 15.625 */
}

/* Ties go up, of either sign; v's own loss as well. */
TEST(NnUpdate, RoundsToNearestWithTiesUpwards)
{
    struct nn_rule rule = recipe();
    owner one; /* 2 x 256 / 1024: a half */
    one.step(rule, 2, 256);
    EXPECT_EQ(one.state[0], 1);
    owner other;
    other.step(rule, -2, 256);
    EXPECT_EQ(other.state[0], 0);
    rule.one_less_momentum = 1 << 14;
    owner tie;
    tie.state[0] = 3; /* 3 - rn(1.5) */
    tie.step(rule, 0, 256);
    EXPECT_EQ(tie.state[0], 1);
    tie.state[0] = -3; /* -3 - rn(-1.5) = -3 + 1 */
    tie.step(rule, 0, 256);
    EXPECT_EQ(tie.state[0], -2);
    rule.one_less_momentum = 0;
    owner weight;
    weight.state[0] = 1 << 14; /* a half of a unit of the weight */
    weight.step(rule, 0, 256);
    EXPECT_EQ(weight.parameter, -1);
    weight.state[0] = -(1 << 14);
    weight.step(rule, 0, 256);
    EXPECT_EQ(weight.parameter, -1);
    weight.state[0] = -(1 << 14) - 1;
    weight.step(rule, 0, 256);
    EXPECT_EQ(weight.parameter, 0);
}

TEST(NnUpdate, IsTheFormulaForRandomNumbers)
{
    random_source random(1);
    for (int i = 0; i < 20000; i++) {
        struct nn_rule rule = recipe();
        rule.error_fraction = static_cast<uint8_t>(random.between(5u, 10u));
        rule.rate_shift = static_cast<uint8_t>(random.between(8u, 12u));
        const bool bias = random.between(0, 1) != 0;
        owner one;
        one.state[0] = random.between(-(1 << 26), 1 << 26);
        one.parameter = static_cast<nn_value>(random.between(-32768, 32767));
        const uint32_t r = random.between(1u, 256u);
        const int k = rule.error_fraction + (bias ? 0 : 11) + rule.rate_shift + 8 - 28;
        const int32_t most = 1 << std::min(30, 22 + k); /* v stays below 2^31 */
        const int32_t g = random.between(-most, most);
        const double v = one.state[0] - rn(one.state[0] * 3277.0, 15) + rn(g * double(r), k);
        const double w = sat16(one.parameter - rn(v, 15));
        one.step(rule, g, r, bias);
        ASSERT_EQ(one.state[0], v);
        ASSERT_EQ(one.parameter, w);
    }
}

/* Gradient descent is momentum with m = 0, without memory. */
TEST(NnUpdate, GradientDescentIsMomentumZero)
{
    random_source random(2);
    struct nn_rule none = recipe();
    none.one_less_momentum = 1 << NN_MOMENTUM_FRACTION;
    struct nn_rule sgd = recipe();
    sgd.optimizer = NN_SGD;
    EXPECT_EQ(nn_rule_state_words(&sgd), 0u);
    EXPECT_EQ(nn_rule_state_words(&none), 1u);
    owner a;
    owner b;
    for (int i = 0; i < 2000; i++) {
        const int32_t g = random.between(-(1 << 24), 1 << 24);
        a.step(none, g, 200);
        b.step(sgd, g, 200);
        ASSERT_EQ(a.parameter, b.parameter);
    }
    EXPECT_EQ(b.state[0], 0);
    EXPECT_NE(a.parameter, 0);
}

/* A rate that is no power of two: 3/4 of 2^-11 is 3 / 2^13. */
TEST(NnUpdate, TheRateHasAScale)
{
    struct nn_rule rule = recipe();
    rule.rate_scale = 3;
    rule.rate_shift = 13;
    owner one;
    one.step(rule, 1000, 256);
    EXPECT_EQ(one.state[0], 188); /* 187.5 */
}

TEST(NnUpdate, CutsAndCountsAtBothEnds)
{
    struct nn_rule rule = recipe();
    rule.one_less_momentum = 0;
    for (const int sign : {1, -1}) {
        owner one;
        one.state[0] = sign * (1 << 15);
        one.parameter = static_cast<nn_value>(sign > 0 ? -32767 : 32766);
        one.step(rule, 0, 1);
        EXPECT_EQ(one.parameter, sign > 0 ? -32768 : 32767);
        EXPECT_EQ(one.note.saturations, 0u);
        one.step(rule, 0, 1);
        EXPECT_EQ(one.parameter, sign > 0 ? -32768 : 32767);
        EXPECT_EQ(one.note.saturations, 1u);
    }
    owner far;
    far.step(rule, INT32_MAX, 256, true);
    EXPECT_EQ(far.state[0], INT32_MAX);
    EXPECT_EQ(far.note.state_saturations, 1u);
    EXPECT_EQ(far.parameter, -32768);
    far.step(rule, INT32_MIN, 256, true);
    EXPECT_EQ(far.note.state_saturations, 2u);
    EXPECT_EQ(far.state[0], INT32_MIN);
}

TEST(NnUpdate, NotesTheLargestSumAndWhere)
{
    const std::vector<int32_t> gradient = {3, -9, 8, 9, INT32_MIN, 1};
    std::vector<int32_t> state(6);
    std::vector<nn_value> parameter(6);
    struct nn_update_note note = {};
    const struct nn_rule rule = recipe();
    nn_update(&rule, 0, 1, 10, 4, 12, gradient.data(), state.data(), parameter.data(), &note);
    EXPECT_EQ(note.largest, 9u);
    EXPECT_EQ(note.largest_at, 11u);
    nn_update(&rule, 0, 1, 14, 2, 12, &gradient[4], &state[4], &parameter[4], &note);
    EXPECT_EQ(note.largest, UINT32_C(1) << 31);
    EXPECT_EQ(note.largest_at, 14u);
}

/* A piece in one call, in any parts: the same. Weights and biases part at weights_end. */
TEST(NnUpdate, PartsAreTheWhole)
{
    enum { COUNT = 50, WEIGHTS = 31 };
    random_source random(3);
    for (const nn_optimizer optimizer : {NN_SGD, NN_MOMENTUM, NN_ADAM}) {
        for (const nn_rounding_of_update rounding : {NN_NEAREST, NN_STOCHASTIC}) {
            struct nn_rule rule = recipe();
            rule.optimizer = optimizer;
            rule.rounding = rounding;
            rule.one_less_decay = 1049;
            const uint32_t words = nn_rule_state_words(&rule);
            std::vector<nn_value> whole(COUNT);
            std::vector<nn_value> parts(COUNT);
            std::vector<int32_t> whole_state(COUNT * 2);
            std::vector<int32_t> parts_state(COUNT * 2);
            struct nn_update_note note = {};
            for (uint32_t step = 0; step < 5; step++) {
                std::vector<int32_t> gradient(COUNT);
                for (int32_t &g : gradient) {
                    g = random.between(-(1 << 25), 1 << 25);
                }
                nn_update(&rule, step, 99, 0, COUNT, WEIGHTS, gradient.data(), whole_state.data(),
                          whole.data(), &note);
                uint32_t first = 0;
                for (const uint32_t count : {0u, 1u, 30u, 2u, 17u}) {
                    nn_update(&rule, step, 99, first, count, WEIGHTS, &gradient[first],
                              parts_state.data() + first * words, parts.data() + first, &note);
                    first += count;
                }
                ASSERT_EQ(first, static_cast<uint32_t>(COUNT));
            }
            EXPECT_EQ(whole, parts);
            EXPECT_EQ(whole_state, parts_state);
            EXPECT_NE(whole, std::vector<nn_value>(COUNT));
        }
    }
}

/* A fault that must show: a step that is cut instead of rounded goes one way. */
TEST(NnUpdate, OppositeGradientsMoveEquallyFar)
{
    random_source random(4);
    int64_t drift = 0;
    for (int i = 0; i < 4000; i++) {
        const int32_t g = random.between(1, 1 << 22);
        owner up;
        owner down;
        up.step(recipe(), g, 256);
        down.step(recipe(), -g, 256);
        drift += up.parameter + down.parameter;
    }
    EXPECT_GE(drift, -4); /* cut, it would be about -4000 */
    EXPECT_LE(drift, 4);
}

/* ---- stochastic rounding ---- */

TEST(NnUpdate, StochasticRoundingIsFairAndWithinAUnit)
{
    struct nn_rule rule = recipe();
    rule.rounding = NN_STOCHASTIC;
    rule.one_less_momentum = 0;
    rule.seed = 9;
    for (const int32_t rest : {0, 1, 8192, 16384, 32767}) {
        int64_t moved = 0;
        enum { STEPS = 20000 };
        for (uint32_t step = 0; step < STEPS; step++) {
            owner one;
            one.state[0] = 5 * 32768 + rest;
            one.step(rule, 0, 1, false, step);
            ASSERT_TRUE(one.parameter == -5 || (rest > 0 && one.parameter == -6));
            moved -= one.parameter + 5;
        }
        const double share = rest / 32768.0;
        EXPECT_NEAR(static_cast<double>(moved), STEPS * share,
                    5 * std::sqrt(STEPS * share * (1 - share)) + 1);
    }
}

TEST(NnUpdate, StochasticRoundingDependsOnSeedAndStep)
{
    uint32_t differ_by_seed = 0;
    uint32_t differ_by_step = 0;
    for (uint32_t step = 0; step < 1000; step++) {
        owner a;
        owner b;
        owner c;
        struct nn_rule rule = recipe();
        rule.rounding = NN_STOCHASTIC;
        a.step(rule, 1 << 16, 256, false, step); /* half a unit of the weight */
        c.step(rule, 1 << 16, 256, false, step + 1);
        rule.seed = 1;
        b.step(rule, 1 << 16, 256, false, step);
        differ_by_seed += a.parameter != b.parameter;
        differ_by_step += a.parameter != c.parameter;
    }
    EXPECT_NEAR(differ_by_seed, 500, 80);
    EXPECT_NEAR(differ_by_step, 500, 80);
}

/* ---- Adam ---- */

struct nn_rule adam()
{
    struct nn_rule rule = recipe();
    rule.optimizer = NN_ADAM;
    rule.rate_shift = 10;
    rule.one_less_decay = 1049;
    return rule;
}

/* The same in doubles, without any rounding but the parameter's, if wanted. */
struct double_adam {
    double a = 0, u = 0, parameter = 0;

    double step(double gradient, double rate, uint32_t number)
    {
        const double b1 = 1 - 3277 / 32768.0;
        const double b2 = 1 - 1049 / 1048576.0;
        a = b1 * a + (1 - b1) * gradient;
        u = b2 * u + (1 - b2) * gradient * gradient;
        const double correction =
            std::sqrt(1 - std::pow(b2, number + 1)) / (1 - std::pow(b1, number + 1));
        const double by = rate * correction * a / (std::sqrt(u) + 1);
        parameter -= by;
        return by;
    }
};

/* The bound: a is off by at most half a unit a step, 10 halves in the long run, u by half a unit
 * and 2^-27; so the ratio by 5 / sqrt(u) and a little.  With sums of 2^12 to 2^29 (sqrt(u) then is
 * above 2^11 after a step's 2^12 / 32) a step of rate 2^-10, 8 units of a weight, differs from the
 * exact one by its rounding, half a unit, and less than 0.5. */
TEST(NnAdam, StepsAreTheDoublesWithinAUnit)
{
    random_source random(5);
    double worst = 0;
    for (int run = 0; run < 40; run++) {
        const int32_t most = 1 << random.between(13u, 29u);
        const int32_t mean = random.between(-most / 4, most / 4);
        const bool bias = run % 2 != 0;
        owner one;
        double_adam exact;
        for (uint32_t step = 0; step < 400; step++) {
            const int32_t drawn = mean + random.between(-most / 2, most / 2);
            const int32_t g = bias ? drawn >> 11 : drawn;
            const uint32_t rate = random.between(1u, 256u);
            const double by =
                exact.step(bias ? g * 2048.0 : g, std::ldexp(rate, 13 - 10 - 8), step);
            const nn_value before = one.parameter;
            one.step(adam(), g, rate, bias, step);
            worst = std::max(worst, std::abs(before - one.parameter - by));
            ASSERT_LE(std::abs(before - one.parameter - by), 1.0) << run << " " << step;
        }
        EXPECT_EQ(one.note.saturations, 0u);
        EXPECT_EQ(one.note.state_saturations, 0u);
    }
    EXPECT_GT(worst, 0.4);
    EXPECT_LT(worst, 0.52);
}

/* The first step, corrected, is the rate whatever the gradient. */
TEST(NnAdam, TheFirstStepIsTheRate)
{
    for (const int32_t g : {100000, 1 << 20, (1 << 30) - 1, -100000, -(1 << 30)}) {
        owner one;
        one.step(adam(), g, 256);
        EXPECT_EQ(one.parameter, g > 0 ? -8 : 8);
    }
}

TEST(NnAdam, NothingMovesWithoutAGradientAndTinyOnesAreNoDivisionByZero)
{
    owner one;
    for (uint32_t step = 0; step < 100; step++) {
        one.step(adam(), 0, 256, false, step);
    }
    EXPECT_EQ(one.parameter, 0);
    EXPECT_EQ(one.state[0], 0);
    EXPECT_EQ(one.state[1], 0);
    one.step(adam(), 10, 256, false, 100); /* a = 1, u = 0.1: 0; 8 / (0 + 1) */
    EXPECT_EQ(one.state[0], 1);
    EXPECT_EQ(one.state[1], 0);
    EXPECT_NEAR(one.parameter, -2, 1); /* the correction at step 100 is 0.31 */
}

TEST(NnAdam, SumsOfBiasesBeyondTheFormatAreCutAndCounted)
{
    owner one;
    one.step(adam(), 1 << 19, 256, true);
    EXPECT_EQ(one.note.state_saturations, 1u); /* 2^30 */
    one.step(adam(), (1 << 19) - 1, 256, true);
    EXPECT_EQ(one.note.state_saturations, 1u);
    one.step(adam(), -(1 << 19), 256, true);
    EXPECT_EQ(one.note.state_saturations, 1u);
    one.step(adam(), INT32_MIN, 256, true);
    EXPECT_EQ(one.note.state_saturations, 2u);
}

/* The second moment forgets slowly: a thousand steps without a gradient leave e^-1 of it. */
TEST(NnAdam, TheSecondMomentDecaysAsItShould)
{
    owner one;
    double_adam exact;
    one.step(adam(), 1 << 24, 1);
    exact.step(1 << 24, 1, 0);
    for (uint32_t step = 1; step < 1000; step++) {
        one.step(adam(), 0, 1, false, step);
        exact.step(0, 1, step);
    }
    const auto word = static_cast<uint32_t>(one.state[1]);
    const double u = std::ldexp(word & ((1u << 26) - 1), static_cast<int>(word >> 26));
    EXPECT_NEAR(u / exact.u, 1, 1e-5);
    EXPECT_LT(std::abs(one.state[0]), 6); /* 9 x 0.1 < 1: rounding leaves it where it is */
}

} // namespace

/* AdaGrad and AcceleGrad: the integers of cores and host against the doubles, step by step; the
 * doubles themselves: reference_train_test.cpp. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "sim/networks/optimizer.h"
#include "workloads/nn/update.h"
}

namespace
{

/* Sums of weights have 19 fractional bits, weights 13; the rate is 2^-10: 8 units. */
struct nn_rule rule_of(uint8_t optimizer)
{
    struct nn_rule rule = {};
    rule.optimizer = optimizer;
    rule.weight_fraction = 13;
    rule.error_fraction = 8;
    rule.activation_fraction = 11;
    rule.rate_shift = 10;
    rule.rate_scale = 1;
    rule.epsilon = 1;
    return rule;
}

struct owner {
    int32_t state[2] = {};
    nn_value parameter = 0;
    struct nn_update_note note = {};

    void step(const struct nn_rule &rule, int32_t gradient, uint32_t number, uint32_t rate = 256,
              bool bias = false)
    {
        const uint32_t first = 5;
        nn_update(&rule, number, rate, first, 1, bias ? first : first + 1, &gradient, state,
                  &parameter, &note);
    }
};

/* The doubles of a rule; a parameter in its units. */
struct exact_owner {
    double state[OPTIMIZER_MOST_WORDS] = {};
    double parameter = 0;

    double step(enum config_optimizer optimizer, double gradient, uint32_t number, double rate)
    {
        const double before = parameter;
        struct optimizer_step now = {};
        now.number = number;
        now.rate = rate;
        optimizer_of(optimizer)->doubles(&now, 1, &gradient, state, &parameter);
        return before - parameter;
    }
};

uint64_t squares_of(int32_t word)
{
    const auto bits = static_cast<uint32_t>(word);
    return static_cast<uint64_t>(bits & ((1u << 26) - 1)) << (bits >> 26);
}

/* A ratio has 20 fractional bits, at most 1; so a step of 8 units is off by 2^-17 of one, and by
 * its rounding. */
TEST(NnAdaGrad, StepsAreTheDoublesWithinHalfAUnit)
{
    random_source random(5);
    double worst = 0;
    for (int run = 0; run < 40; run++) {
        const int32_t most = 1 << random.between(16u, 27u);
        const int32_t mean = random.between(-most / 4, most / 4);
        const bool bias = run % 2 != 0;
        owner one;
        exact_owner exact;
        for (uint32_t step = 0; step < 300; step++) {
            const int32_t drawn = mean + random.between(-most / 2, most / 2);
            const int32_t g = bias ? drawn >> 11 : drawn;
            const uint32_t rate = random.between(1u, 256u);
            const double by =
                exact.step(CONFIG_OPTIMIZER_ADAGRAD, std::ldexp(bias ? g * 2048.0 : g, -19), step,
                           std::ldexp(rate, 13 - 10 - 8));
            const nn_value before = one.parameter;
            one.step(rule_of(NN_ADAGRAD), g, step, rate, bias);
            worst = std::max(worst, std::abs(before - one.parameter - by));
        }
        EXPECT_EQ(one.note.saturations, 0u);
        EXPECT_EQ(one.note.state_saturations, 0u);
        EXPECT_NEAR(std::ldexp(static_cast<double>(squares_of(one.state[0])), -38) / exact.state[0],
                    1, 1e-6);
    }
    EXPECT_GT(worst, 0.49);
    EXPECT_LT(worst, 0.51);
}

/* 8 units, then 8 / sqrt(2), 8 / sqrt(3), 8 / sqrt(4), each rounded. */
TEST(NnAdaGrad, EqualGradientsByHand)
{
    for (const int32_t g : {1 << 20, -(1 << 20)}) {
        owner one;
        int32_t sum = 0;
        uint32_t number = 0;
        for (const int32_t by : {8, 6, 5, 4}) {
            one.step(rule_of(NN_ADAGRAD), g, number++);
            sum += by;
            EXPECT_EQ(one.parameter, g > 0 ? -sum : sum);
            EXPECT_EQ(squares_of(one.state[0]), (uint64_t{1} << 40) * number);
        }
    }
}

TEST(NnAdaGrad, NothingMovesWithoutAGradientAndTinyOnesAreNoDivisionByZero)
{
    for (const uint8_t optimizer : {NN_ADAGRAD, NN_ACCELEGRAD}) {
        owner one;
        for (uint32_t number = 0; number < 10; number++) {
            one.step(rule_of(optimizer), 0, number);
        }
        EXPECT_EQ(one.parameter, 0);
        EXPECT_EQ(one.state[0], 0);
        EXPECT_EQ(one.state[1], 0);
        owner tiny; /* 1 / (1 + 1) */
        tiny.step(rule_of(optimizer), 1, 0);
        EXPECT_EQ(tiny.parameter, -4);
    }
}

/* At 2^62: exponent 37, mantissa 2^25. */
TEST(NnAdaGrad, SquaresBeyondTheWordAreCutAndCounted)
{
    const auto most = static_cast<int32_t>(37u << 26 | 1u << 25);
    owner one;
    one.state[0] = most;
    one.step(rule_of(NN_ADAGRAD), 0, 0);
    EXPECT_EQ(one.note.state_saturations, 0u);
    one.step(rule_of(NN_ADAGRAD), 1 << 20, 1);
    EXPECT_EQ(one.note.state_saturations, 1u);
    EXPECT_EQ(one.state[0], most);
    EXPECT_EQ(one.parameter, 0); /* 8 x 2^20 / 2^31 */
    owner faded;                 /* AcceleGrad's fade first: (1023 / 1024)^2 */
    faded.state[1] = most;
    faded.step(rule_of(NN_ACCELEGRAD), 1 << 20, 1023);
    EXPECT_EQ(faded.note.state_saturations, 0u);
    EXPECT_NEAR(static_cast<double>(squares_of(faded.state[1])),
                std::ldexp(std::pow(1023 / 1024.0, 2), 62), std::ldexp(1, 41));
}

/* In the first four updates x is z: AdaGrad's steps, whose rounding is not lost. */
TEST(NnAcceleGrad, FirstStepsByHand)
{
    owner one;
    uint32_t number = 0;
    for (const int32_t sum : {8, 14, 18}) { /* 8, 8 / sqrt(2), 8 / sqrt(3): 13.66, 18.28 */
        one.step(rule_of(NN_ACCELEGRAD), 1 << 20, number++);
        EXPECT_EQ(one.parameter, -sum);
    }
    /* 8 / sqrt(4) = 4: y is 4 below x, z 4 below z; then x = y + (z - y) 4/5. */
    one.step(rule_of(NN_ACCELEGRAD), 1 << 20, 3);
    EXPECT_EQ(one.parameter, -22); /* 18 + 4 + 0.284 x 0.8 */
    EXPECT_NEAR(std::ldexp(one.state[0], -15), -0.275, 0.01);
}

/* From the integers' own x and z - x at each step: x within its rounding, z within what epsilon,
 * one unit here, takes of a first step; the sum of squares goes its own way. */
TEST(NnAcceleGrad, StepsAreTheDoublesWithinHalfAUnit)
{
    random_source random(6);
    double worst = 0;
    double worst_z = 0;
    for (int run = 0; run < 40; run++) {
        const int32_t most = 1 << random.between(16u, 27u);
        const int32_t mean = random.between(-most / 4, most / 4);
        const bool bias = run % 2 != 0;
        owner one;
        exact_owner exact;
        for (uint32_t step = 0; step < 300; step++) {
            const int32_t drawn = mean + random.between(-most / 2, most / 2);
            const int32_t g = bias ? drawn >> 11 : drawn;
            const uint32_t rate = random.between(1u, 256u);
            exact.parameter = one.parameter;
            exact.state[0] = std::ldexp(one.state[0], -15);
            const double by =
                exact.step(CONFIG_OPTIMIZER_ACCELEGRAD, std::ldexp(bias ? g * 2048.0 : g, -19),
                           step, std::ldexp(rate, 13 - 10 - 8));
            const nn_value before = one.parameter;
            one.step(rule_of(NN_ACCELEGRAD), g, step, rate, bias);
            worst = std::max(worst, std::abs(before - one.parameter - by));
            const double z = exact.parameter + exact.state[0];
            worst_z =
                std::max(worst_z, std::abs(one.parameter + std::ldexp(one.state[0], -15) - z));
        }
        EXPECT_EQ(one.note.saturations, 0u);
        EXPECT_EQ(one.note.state_saturations, 0u);
        const double weight = 300 / 4.0;
        EXPECT_NEAR(std::ldexp(static_cast<double>(squares_of(one.state[1])), -38) * weight *
                        weight / exact.state[1],
                    1, 1e-6);
    }
    EXPECT_GT(worst, 0.49);
    EXPECT_LT(worst, 0.51);
    EXPECT_LT(worst_z, 0.01);
}

/* Down a parabola to 1.25 = 10240 units, on one's own: the same way as doubles, and there. */
TEST(NnAcceleGrad, GoesTheWayOfTheDoubles)
{
    for (const auto &[name, rule] : {std::pair{CONFIG_OPTIMIZER_ADAGRAD, NN_ADAGRAD},
                                     std::pair{CONFIG_OPTIMIZER_ACCELEGRAD, NN_ACCELEGRAD}}) {
        struct nn_rule own = rule_of(static_cast<uint8_t>(rule));
        own.rate_shift = 2;
        owner one;
        exact_owner exact;
        double apart = 0;
        for (uint32_t step = 0; step < 500; step++) {
            one.step(own, (one.parameter - 10240) * 64, step);
            (void)exact.step(name, std::ldexp(exact.parameter - 10240, -13), step,
                             std::ldexp(1, 13 - 2));
            apart = std::max(apart, std::abs(one.parameter - exact.parameter));
        }
        EXPECT_NEAR(exact.parameter, 10240, 40);
        EXPECT_LT(apart, 10) << optimizer_of(name)->name;
    }
}

/* The share of a square is rounded to 20 fractional bits: 4e-6 of it. */
TEST(NnRmsProp, StepsAreTheDoublesWithinHalfAUnit)
{
    random_source random(6);
    struct nn_rule rule = rule_of(NN_RMSPROP);
    rule.one_less_decay = 104858;
    double worst = 0;
    for (int run = 0; run < 40; run++) {
        const int32_t most = 1 << random.between(16u, 27u);
        const bool bias = run % 2 != 0;
        owner one;
        exact_owner exact;
        for (uint32_t step = 0; step < 300; step++) {
            const int32_t drawn = random.between(-most, most);
            const int32_t g = bias ? drawn >> 11 : drawn;
            const uint32_t rate = random.between(1u, 256u);
            const double by =
                exact.step(CONFIG_OPTIMIZER_RMSPROP, std::ldexp(bias ? g * 2048.0 : g, -19), step,
                           std::ldexp(rate, 13 - 10 - 8));
            const nn_value before = one.parameter;
            one.step(rule, g, step, rate, bias);
            worst = std::max(worst, std::abs(before - one.parameter - by));
        }
        EXPECT_EQ(one.note.saturations, 0u);
        EXPECT_EQ(one.note.state_saturations, 0u);
        EXPECT_NEAR(std::ldexp(static_cast<double>(squares_of(one.state[0])), -38) / exact.state[0],
                    1, 1e-5);
    }
    EXPECT_GT(worst, 0.49);
    EXPECT_LT(worst, 0.51);
}

/* 8 / sqrt(0.1), 8 / sqrt(0.19), 8 / sqrt(0.271) units, each rounded. */
TEST(NnRmsProp, EqualGradientsByHand)
{
    struct nn_rule rule = rule_of(NN_RMSPROP);
    rule.one_less_decay = 104858;
    owner one;
    one.step(rule, 1 << 20, 0);
    EXPECT_EQ(one.parameter, -25);
    one.step(rule, 1 << 20, 1);
    EXPECT_EQ(one.parameter, -25 - 18);
    one.step(rule, 1 << 20, 2);
    EXPECT_EQ(one.parameter, -25 - 18 - 15);
}

/* Ids are in checkpoints and in the records of cores. */
TEST(NnUpdate, IdsStay)
{
    EXPECT_EQ(NN_SGD, 0);
    EXPECT_EQ(NN_MOMENTUM, 1);
    EXPECT_EQ(NN_ADAM, 2);
    EXPECT_EQ(NN_ADAGRAD, 5);
    EXPECT_EQ(NN_ACCELEGRAD, 6);
    EXPECT_EQ(NN_RMSPROP, 9);
}

/* Each in its file. */
TEST(NnUpdate, RulesHaveCyclesWithTheirSource)
{
    for (const struct optimizer *rule :
         {&optimizer_sgd, &optimizer_momentum, &optimizer_adam, &optimizer_adagrad,
          &optimizer_accelegrad, &optimizer_rmsprop}) {
        EXPECT_GT(rule->cycles.int16, 100) << rule->name;
        EXPECT_GT(rule->cycles.s1615, 100) << rule->name;
        EXPECT_EQ(rule->cycles.float32 > 0, rule->descends) << rule->name;
        EXPECT_STRNE(rule->source, "") << rule->name;
        EXPECT_EQ(optimizer_of_rule(rule->rule), rule);
        EXPECT_EQ(rule->state_words, rule->rule & 3);
    }
}

/* In programs and on the host: their words, and that they are told apart. */
TEST(NnAdaGrad, HasItsWords)
{
    struct nn_rule rule = rule_of(NN_ADAGRAD);
    EXPECT_EQ(nn_rule_state_words(&rule), 1u);
    rule.optimizer = NN_ACCELEGRAD;
    EXPECT_EQ(nn_rule_state_words(&rule), 2u);
    EXPECT_NE(NN_ADAGRAD, NN_MOMENTUM);
    EXPECT_NE(NN_ACCELEGRAD, NN_ADAM);
}

} // namespace

/* Faults of a training that epochs would show, or hide, planted where one operator shows them: each
 * check holds for what is built and fails for the same with the fault. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/integer_fixture.h"

extern "C" {
#include "sim/networks/loss.h"
#include "workloads/nn/dropout.h"
#include "workloads/nn/loss.h"
}

#include <functional>

namespace
{

/* ---- an update that cuts instead of rounding ---- */

using step_of = std::function<int32_t(int32_t gradient)>;

/* Opposite gradients move a weight equally far, on the average: it does not drift. */
bool does_not_drift(const step_of &step)
{
    enum { DRAWS = 4000 };
    random_source random(1);
    int64_t drift = 0;
    for (int i = 0; i < DRAWS; i++) {
        const int32_t gradient = random.between(1, 1 << 20);
        drift += step(gradient) + step(-gradient);
    }
    return std::abs(drift) < DRAWS / 20;
}

int32_t real_step(int32_t gradient)
{
    struct nn_rule rule = {};
    rule.weight_fraction = 13;
    rule.error_fraction = 8;
    rule.activation_fraction = 11;
    rule.rate_shift = 11;
    rule.rate_scale = 1;
    nn_value parameter = 0;
    struct nn_update_note note = {};
    nn_update(&rule, 0, 256, 0, 1, 1, &gradient, nullptr, &parameter, &note);
    return parameter;
}

TEST(PlantedFault, ATruncatedUpdate)
{
    EXPECT_TRUE(does_not_drift(real_step));
    const auto floored = [](int32_t gradient) { return -((gradient >> 2) >> 15); };
    EXPECT_FALSE(does_not_drift(floored));
}

/* ---- a gradient of the wrong sign ---- */

/* By central differences of the doubles' loss, a few parameters of each layer: the derivative that
 * the integers say, in the doubles' units. */
bool follows_the_loss(const training &t, const std::vector<int32_t> &gradients)
{
    static const double STEP = 1e-4;
    struct diagnostic diagnostic = {};
    struct reference_pass pass;
    std::vector<double> at = double_parameters(t);
    const auto loss = [&] {
        double sum = 0;
        for (const uint32_t i : t.batch(0)) {
            const double *logits = reference_forward(&pass, at.data(), t.train.image(i));
            sum += reference_cross_entropy(logits, 10, t.train.dataset.labels[i]);
        }
        return sum;
    };
    bool follows = reference_pass_init(&pass, &t.network.network, &diagnostic) == STATUS_OK;
    for (size_t i = 0; i < t.network.network.layer_count; i++) {
        const struct nn_layer &row = t.network.table->layer[i];
        const struct weights_place place = weights_place(&t.network.network, i);
        for (const bool biases : {false, true}) {
            const size_t count = biases ? network_layer_biases(&t.network.layer(i))
                                        : network_layer_weights(&t.network.layer(i));
            double product = 0;
            double size_exact = 0;
            double size_made = 0;
            for (size_t j = 0; j < count; j += 1 + count / 40) {
                double *parameter = &at[(biases ? place.biases : place.weights) + j];
                const double kept = *parameter;
                *parameter = kept + STEP;
                const double above = loss();
                *parameter = kept - STEP;
                const double exact = (above - loss()) / (2 * STEP);
                *parameter = kept;
                const double made =
                    std::ldexp(gradients[(biases ? row.biases : row.weights) / 2 + j],
                               biases ? -12 : -12 - 11);
                product += exact * made;
                size_exact += exact * exact;
                size_made += made * made;
            }
            follows = follows && (count == 0 || product > 0.99 * std::sqrt(size_exact * size_made));
        }
    }
    reference_pass_deinit(&pass);
    return follows;
}

TEST(PlantedFault, AGradientOfTheWrongSign)
{
    training t(ALL_KINDS, 64, 10, 16);
    t.stop_after = 1;
    t.draw_biases();
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_TRUE(follows_the_loss(t, t.gradients[0]));
    for (size_t i = 0; i < t.network.network.layer_count; i++) {
        for (const bool biases : {false, true}) {
            const struct nn_layer &row = t.network.table->layer[i];
            const size_t count = biases ? network_layer_biases(&t.network.layer(i))
                                        : network_layer_weights(&t.network.layer(i));
            std::vector<int32_t> wrong = t.gradients[0];
            for (size_t j = 0; j < count; j++) {
                int32_t &gradient = wrong[(biases ? row.biases : row.weights) / 2 + j];
                gradient = -gradient;
            }
            EXPECT_EQ(follows_the_loss(t, wrong), count == 0)
                << t.network.layer(i).name << (biases ? " biases" : " weights");
        }
    }
}

/* ---- logits cut to the range of activations ---- */

using error_of =
    std::function<std::vector<nn_value>(const std::vector<int32_t> &logits, uint32_t label)>;

/* Logits of up to +-64, of which the largest two are near: the errors are the doubles'. */
bool keeps_errors(const error_of &errors)
{
    random_source random(2);
    for (int i = 0; i < 500; i++) {
        std::vector<int32_t> logits(10);
        for (int32_t &logit : logits) {
            logit = random.between(-(1 << 30), 1 << 30);
        }
        logits[1] = logits[0] + random.between(-(1 << 24), 1 << 24);
        const uint32_t label = random.between(0u, 9u);
        std::vector<double> exact(10);
        std::vector<double> real(10);
        for (size_t c = 0; c < 10; c++) {
            real[c] = std::ldexp(logits[c], -24);
        }
        reference_softmax(real.data(), 10, exact.data());
        const std::vector<nn_value> made = errors(logits, label);
        for (size_t c = 0; c < 10; c++) {
            if (std::abs(made[c] - 256 * (exact[c] - (c == label))) > 1) {
                return false;
            }
        }
    }
    return true;
}

std::vector<nn_value> real_errors(const std::vector<int32_t> &logits, uint32_t label)
{
    std::vector<uint32_t> table(NN_EXP_STEPS + 1);
    std::vector<nn_value> errors(logits.size());
    nn_exp_table(table.data());
    (void)nn_softmax_error(logits.data(), static_cast<uint32_t>(logits.size()), 24, table.data(),
                           label, 8, errors.data(), nullptr);
    return errors;
}

TEST(PlantedFault, LogitsCutToSixteenBits)
{
    EXPECT_TRUE(keeps_errors(real_errors));
    EXPECT_FALSE(keeps_errors([](std::vector<int32_t> logits, uint32_t label) {
        for (int32_t &logit : logits) { /* int16 with 11 fractional bits: +-16 */
            logit = std::min((1 << 28) - 1, std::max(-(1 << 28), logit));
        }
        return real_errors(logits, label);
    }));
}

/* ---- one seed for all replicas ---- */

using image_of = std::function<uint32_t(uint32_t position)>;

/* Of 48 shards of 1,250: two shards have about one position in common with the same number. */
bool shards_differ(const image_of &image)
{
    enum { SHARDS = 48, EACH = 1250 };
    for (uint32_t shard = 1; shard < SHARDS; shard++) {
        uint32_t common = 0;
        for (uint32_t i = 0; i < EACH; i++) {
            common += image(i * SHARDS) / SHARDS == image(i * SHARDS + shard) / SHARDS;
        }
        if (common > 12) {
            return false;
        }
    }
    return true;
}

TEST(PlantedFault, OneSeedForTheShuffleOfAllShards)
{
    const struct nn_order order = {7, 60000, 48};
    const struct nn_order single = {7, 1250, 1};
    EXPECT_TRUE(shards_differ([&](uint32_t q) { return nn_order_image(&order, 0, q); }));
    EXPECT_FALSE(shards_differ(
        [&](uint32_t q) { return q % 48 + 48 * nn_order_image(&single, 0, q / 48); }));
}

/* Of two images about 68 % of the decisions about 128 units agree, of no two all of them. */
bool masks_differ(const std::function<uint32_t(uint32_t image)> &key)
{
    struct nn_layer layer = {};
    layer.dropout_share = 51;
    std::vector<std::vector<nn_value>> seen;
    for (uint32_t image = 0; image < 48; image++) {
        std::vector<nn_value> values(128, 100);
        uint32_t cuts = 0;
        nn_dropout(&layer, key(image), 0, 128, values.data(), &cuts);
        if (std::find(seen.begin(), seen.end(), values) != seen.end()) {
            return false;
        }
        seen.push_back(values);
    }
    return true;
}

TEST(PlantedFault, OneSeedForTheDropoutOfAllReplicas)
{
    EXPECT_TRUE(masks_differ([](uint32_t image) { return nn_dropout_key(7, 0, image, 0); }));
    /* Each replica counts its own images: the first of each has the same key. */
    EXPECT_FALSE(masks_differ([](uint32_t image) { return nn_dropout_key(7, 0, image / 16, 0); }));
}

/* ---- a reduction that rounds inside ---- */

using sum_of = std::function<int32_t(const std::vector<int32_t> &images, uint32_t replicas)>;

/* How many replicas share the images does not matter. */
bool is_the_same_for_any_replicas(const sum_of &sum)
{
    random_source random(3);
    for (int i = 0; i < 100; i++) {
        std::vector<int32_t> images(192);
        for (int32_t &image : images) {
            image = random.between(-(1 << 20), 1 << 20);
        }
        const int32_t alone = sum(images, 1);
        for (const uint32_t replicas : {2u, 3u, 16u, 48u, 192u}) {
            if (sum(images, replicas) != alone) {
                return false;
            }
        }
    }
    return true;
}

/* Each replica adds its images; the replicas' sums pass through `each` and are added. */
int32_t reduced(const std::vector<int32_t> &images, uint32_t replicas, int32_t (*each)(int32_t))
{
    int32_t total = 0;
    for (size_t r = 0; r < replicas; r++) {
        int32_t sum = 0;
        for (size_t i = r; i < images.size(); i += replicas) {
            sum += images[i];
        }
        total += each(sum);
    }
    return total;
}

TEST(PlantedFault, AReductionThatRoundsInside)
{
    EXPECT_TRUE(is_the_same_for_any_replicas([](const std::vector<int32_t> &i, uint32_t replicas) {
        return reduced(i, replicas, [](int32_t sum) { return sum; });
    }));
    EXPECT_FALSE(is_the_same_for_any_replicas([](const std::vector<int32_t> &i, uint32_t replicas) {
        return reduced(i, replicas, [](int32_t sum) { return nn_round_shift(sum, 2); });
    }));
}

/* The trainer's own reduction, over its threads: one whose parts are rounded is not its. */
TEST(PlantedFault, TheTrainersReductionDoesNotRound)
{
    std::vector<std::vector<int32_t>> sums;
    for (const unsigned threads : {1u, 5u, 24u}) {
        training t(SMALL, 48, 10, 48);
        t.request.threads = threads;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        EXPECT_EQ(t.gradients[0], t.gradients.front());
        sums.push_back(t.gradients[0]);
        EXPECT_EQ(sums.back(), sums.front()) << threads;
    }
}

/* ---- errors shifted without rounding ---- */

void floored_errors(const int32_t *sums, nn_value *errors, uint32_t count, uint32_t shift,
                    struct nn_numerics *numerics)
{
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = nn_saturate(sums[i] >> shift, numerics);
    }
}

/* Of small errors, of either sign: their mean stays 0. */
bool is_without_bias(integer_round_errors *round)
{
    enum { COUNT = 4000, SHIFT = 13 };
    random_source random(4);
    std::vector<int32_t> sums(COUNT);
    std::vector<nn_value> errors(COUNT);
    struct nn_numerics numerics = {};
    double bias = 0;
    for (int32_t &sum : sums) {
        sum = random.between(-(1 << 14), 1 << 14);
    }
    round(sums.data(), errors.data(), COUNT, SHIFT, &numerics);
    for (size_t i = 0; i < COUNT; i++) {
        bias += errors[i] - std::ldexp(sums[i], -SHIFT);
    }
    return std::abs(bias / COUNT) < 0.05;
}

TEST(PlantedFault, ErrorsShiftedWithoutRounding)
{
    EXPECT_TRUE(is_without_bias(nn_round_errors));
    EXPECT_FALSE(is_without_bias(floored_errors));
}

/* What that does to a training: nothing is learnt. */
TEST(PlantedFault, ATrainingWithUnroundedErrorsLearnsNothing)
{
    training t(LENET1, 2400, 500, 48);
    t.learning.rule.error_fraction = 8;
    t.learning.schedule.warm_up = 15;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_GT(t.result.test_accuracy, 0.75);
    t.request.round_errors = floored_errors;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_LT(t.result.test_accuracy, 0.25);
}

} // namespace

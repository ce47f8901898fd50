/* The committed weights of LeNet-1: what they reach, on the synthetic digits and, where its files
 * are, on MNIST; and that every parameter is where it should be. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cstring>

namespace
{

/* In the machine's int16. */
class host_run : public host_test
{
  public:
    host_run(const test_network &network, const struct weights &weights,
             const struct dataset &dataset, unsigned threads = 2)
        : host_test(network, HOST_FORMAT_int16, weights.block, dataset, threads)
    {
        EXPECT_EQ(status, STATUS_OK) << said(said_of);
    }
};

struct host_score reference_of(const test_network &network, const struct weights &weights,
                               const struct dataset &dataset)
{
    const host_test run(network, HOST_FORMAT_FLOAT64, weights.float64, dataset);
    EXPECT_EQ(run.status, STATUS_OK) << said(run.said_of);
    return run.score;
}

/* ---- accuracy ---- */

TEST(LeNet1, FilesSayWhatTheyAre)
{
    const auto network = lenet1();
    for (const std::string set : {"mnist", "synthetic"}) {
        const lenet1_weights weights(*network, set);
        EXPECT_EQ(weights->origin.dataset, set);
        EXPECT_TRUE(contains(weights->origin.recipe, "lenet1_reference_train.yaml"));
        EXPECT_EQ(weights->saturated, 0u);
        EXPECT_NE(weights->float64, nullptr);
        EXPECT_LT(read_file(networks_folder() + "lenet1_" + set + ".npz").size(), 100000u);
    }
    EXPECT_STREQ(network->network.weights_mnist, "lenet1_mnist.npz");
    EXPECT_STREQ(network->network.weights_synthetic, "lenet1_synthetic.npz");
}

TEST(LeNet1, SyntheticDigits)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "synthetic");
    const images set("synthetic", DATASET_TEST, 2000);
    const host_run run(*network, weights.weights, set.dataset);
    EXPECT_EQ(run.score.correct, 1992u);
    EXPECT_EQ(run.saturations, 0u);
    EXPECT_EQ(run.overflows, 0u);
    EXPECT_EQ(reference_of(*network, weights.weights, set.dataset).correct, 1992u);
}

/* Weights trained on real digits know something about the synthetic ones; it is a fixed number,
 * too.
 */
TEST(LeNet1, MnistWeightsOnSyntheticDigits)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 2000);
    EXPECT_EQ(host_run(*network, weights.weights, set.dataset).score.correct, 1716u);
}

TEST(LeNet1, WholeSyntheticSet)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "synthetic");
    const images set("synthetic", DATASET_TEST, 0);
    const images train("synthetic", DATASET_TRAIN, 0);
    const host_run run(*network, weights.weights, set.dataset);
    const struct host_score score = reference_of(*network, weights.weights, set.dataset);
    EXPECT_STREQ(weights->origin.dataset_digest, train.dataset.digest_hex);
    EXPECT_EQ(weights->origin.reference_accuracy, score.correct / 10000.0);
    EXPECT_EQ(score.correct, 9957u);
    EXPECT_EQ(run.score.correct, 9957u);
    EXPECT_EQ(run.saturations, 8u);
    EXPECT_EQ(run.overflows, 0u);
}

TEST(LeNet1, WholeMnist)
{
    SKIP_WITHOUT_MNIST();
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("mnist", DATASET_TEST, 0);
    const images train("mnist", DATASET_TRAIN, 0);
    const host_run run(*network, weights.weights, set.dataset);
    const struct host_score score = reference_of(*network, weights.weights, set.dataset);
    EXPECT_STREQ(weights->origin.dataset_digest, train.dataset.digest_hex);
    EXPECT_EQ(weights->origin.reference_accuracy, score.correct / 10000.0);
    EXPECT_EQ(score.correct, 9887u);
    EXPECT_EQ(run.score.correct, 9888u);
    EXPECT_EQ(run.saturations, 0u);
    EXPECT_EQ(run.overflows, 0u);
    EXPECT_GE(run.score.correct, 9850u) << "the project's promise";
}

/* ---- the backend ---- */

TEST(HostInteger, IsTheSameForAnyNumberOfThreads)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "synthetic");
    const images set("synthetic", DATASET_TEST, 777);
    const host_run one(*network, weights.weights, set.dataset, 1);
    for (const unsigned threads : {0u, 2u, 3u, 8u, 1000u}) {
        const host_run many(*network, weights.weights, set.dataset, threads);
        EXPECT_EQ(std::memcmp(one.result.data(), many.result.data(), 777 * sizeof one.result[0]),
                  0);
        EXPECT_EQ(one.score.correct, many.score.correct);
        EXPECT_EQ(one.score.loss, many.score.loss);
        EXPECT_EQ(one.saturations, many.saturations);
    }
}

TEST(HostInteger, AResultIsWhatACoreLeaves)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "synthetic");
    const images set("synthetic", DATASET_TEST, 20);
    const host_run run(*network, weights.weights, set.dataset);
    const std::vector<int16_t> block = block_of(weights.weights, *network);
    uint32_t table[NN_EXP_STEPS + 1];
    nn_exp_table(table);
    ASSERT_EQ(run.score.count, 20u);
    for (uint32_t i = 0; i < 20; i++) {
        const struct nn_result &result = run.result[i];
        const integer_run alone(*network, block, set.image(i));
        uint32_t probability[10];
        EXPECT_EQ(nn_softmax(alone.logits.data(), 10, 24, table, probability), result.label);
        EXPECT_EQ(probability[result.label], result.confidence);
        EXPECT_EQ(result.core, 0u);
        EXPECT_EQ(result.done, 1u);
        EXPECT_EQ(std::vector<int32_t>(result.logits, result.logits + 10), alone.logits);
    }
}

TEST(HostInteger, RefusesImagesThatDoNotFit)
{
    const images set("synthetic", DATASET_TEST, 10);
    struct wrong {
        const char *yaml, *text;
    };
    const wrong all[] = {
        {"name: n\nvariant: modern\ninput: {channels: 1, height: 27, width: 28}\nlayers:\n"
         "  - {name: a, type: dense, units: 10, activation: softmax}\n",
         "the network takes 1 x 27 x 28 pixels, an image has 1 x 28 x 28"},
        {"name: n\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\nlayers:\n"
         "  - {name: a, type: dense, units: 9, activation: softmax}\n",
         "the network has 9 outputs, the data set 10 classes"},
    };
    for (const wrong &w : all) {
        const test_network network(w.yaml);
        const std::vector<int16_t> block(network.table->parameter_bytes / 2);
        const host_test run(network, HOST_FORMAT_int16, block.data(), set.dataset);
        EXPECT_EQ(run.status, STATUS_CONFIGURATION);
        EXPECT_STREQ(run.said_of.text, w.text);
        EXPECT_STREQ(run.said_of.key, "network.name");
    }
}

/* ---- every parameter counts ---- */

TEST(LeNet1, ABiasOfOneUnitIsTwoToTheEleventh)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 3);
    const std::vector<int16_t> block = block_of(weights.weights, *network);
    const struct nn_layer &output = network->table->layer[4];
    for (uint32_t i = 0; i < 3; i++) {
        const integer_run before(*network, block, set.image(i));
        for (uint32_t c = 0; c < 10; c++) {
            std::vector<int16_t> changed = block;
            changed[output.biases / 2 + c]++;
            const integer_run after(*network, changed, set.image(i));
            for (uint32_t d = 0; d < 10; d++) {
                EXPECT_EQ(after.logits[d] - before.logits[d], c == d ? 1 << 11 : 0);
            }
        }
    }
}

/* A weight of the output layer by one unit: the logit moves by the activation it belongs to. */
TEST(LeNet1, AWeightOfTheOutputLayerMultipliesItsInput)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 1);
    const std::vector<int16_t> block = block_of(weights.weights, *network);
    const struct nn_layer &output = network->table->layer[4];
    const integer_run before(*network, block, set.image(0));
    const auto *inputs = reinterpret_cast<const int16_t *>(&before.activations[output.from]);
    uint32_t not_zero = 0;
    for (uint32_t c = 0; c < 10; c++) {
        for (uint32_t i = 0; i < 192; i++) {
            std::vector<int16_t> changed = block;
            changed[output.weights / 2 + c * 192 + i]++;
            const integer_run after(*network, changed, set.image(0));
            for (uint32_t d = 0; d < 10; d++) {
                EXPECT_EQ(after.logits[d] - before.logits[d], c == d ? inputs[i] : 0);
            }
            not_zero += inputs[i] != 0;
        }
    }
    EXPECT_GT(not_zero, 200u);
}

/* A changed sign of any parameter is seen in the logits of at least one image of some. */
TEST(LeNet1, AFlippedParameterChangesLogits)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 40);
    const std::vector<int16_t> block = block_of(weights.weights, *network);
    std::vector<integer_run> before;
    for (uint32_t i = 0; i < 40; i++) {
        before.emplace_back(*network, block, set.image(i));
    }
    random_source random(1);
    uint32_t unseen = 0;
    for (int i = 0; i < 300; i++) {
        std::vector<int16_t> changed = block;
        changed[random.between(0u, 3245u)] ^= 1 << 12; /* half of one */
        bool seen = false;
        for (uint32_t j = 0; j < 40 && !seen; j++) {
            seen = integer_run(*network, changed, set.image(j)).logits != before[j].logits;
        }
        unseen += !seen;
    }
    EXPECT_EQ(unseen, 0u);
}

} // namespace

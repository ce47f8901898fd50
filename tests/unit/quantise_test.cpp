/* From int16 to int8: which formats, how parameters are rounded, where they lie, and how near the
 * whole comes to doubles. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/quantise.h"
#include "workloads/nn/int8.h"
}

#include <gtest/gtest.h>

#include <cmath>

namespace
{

const std::string TWO = "name: two\n"
                        "variant: modern\n"
                        "input: {channels: 1, height: 28, width: 28}\n"
                        "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
                        "layers:\n"
                        "  - {name: hidden, type: dense, units: 3, activation: relu}\n"
                        "  - {name: output, type: dense, units: 2, activation: softmax}\n";
constexpr size_t HIDDEN_BIASES = 784 * 3, OUTPUT = HIDDEN_BIASES + 3, ALL = OUTPUT + 6 + 2;

struct quantised {
    explicit quantised(const std::vector<double> &parameters) : network(TWO)
    {
        images few("synthetic", DATASET_TRAIN, 20);
        EXPECT_EQ(
            weights_round(&weights, &network.network, network.table, parameters.data(), &said_of),
            STATUS_OK);
        status = quantise(&network.network, &network.table, &weights, &few.dataset, &said_of);
    }
    ~quantised()
    {
        weights_deinit(&weights);
    }
    quantised(const quantised &) = delete;
    quantised &operator=(const quantised &) = delete;

    const struct nn_layer &row(size_t i) const
    {
        return network.table->layer[i];
    }
    const int8_t *weights_of(size_t i) const
    {
        return static_cast<const int8_t *>(weights.block) + row(i).weights;
    }
    const int16_t *biases_of(size_t i) const
    {
        return reinterpret_cast<const int16_t *>(static_cast<const uint8_t *>(weights.block) +
                                                 row(i).biases);
    }

    test_network network;
    struct weights weights = {};
    struct diagnostic said_of = {};
    enum status status;
};

/* Sums have 24 fractional bits at most, so weights of the first layer 9. */
TEST(Quantise, TheLargestWeightOrBiasSaysTheScaleOfALayer)
{
    const struct {
        double weight, bias;
        int fraction;
        int rounded;
    } cases[] = {{0.2, 0, 9, 102},        {0.248, 0, 9, 127}, {127.49 / 512, 0, 9, 127},
                 {127.5 / 512, 0, 8, 64}, {0.9, 0, 7, 115},   {-1.0, 0, 6, -64},
                 {0.1, 1.5, 6, 6},        {0.1, -0.9, 7, 13}};
    for (const auto &c : cases) {
        std::vector<double> parameters(ALL, 0.001);
        parameters[5] = c.weight;
        parameters[HIDDEN_BIASES + 1] = c.bias;
        const quantised q(parameters);
        ASSERT_EQ(q.status, STATUS_OK);
        EXPECT_EQ(q.network.network.numbers, NETWORK_INT8);
        EXPECT_EQ(q.row(0).weight_fraction, c.fraction + NN_INT8_SHIFT) << c.weight;
        EXPECT_EQ(q.weights_of(0)[5], c.rounded) << c.weight;
        EXPECT_EQ(q.biases_of(0)[1],
                  std::floor(std::ldexp(c.bias, c.fraction + NN_INT8_SHIFT) + 0.5));
    }
}

TEST(Quantise, ValuesGetTheFinestScaleThatTheImagesLeave)
{
    std::vector<double> parameters(ALL, 0.0);
    for (size_t i = 0; i < 784; i++) {
        parameters[i] = 0.0;
    }
    for (const auto &[bias, fraction] :
         {std::pair{1.98, 6}, std::pair{0.97, 7}, std::pair{1.0, 6}, std::pair{3.9, 5}}) {
        parameters[HIDDEN_BIASES] = bias; /* the only value, whatever the image */
        const quantised q(parameters);
        EXPECT_EQ(q.row(0).input_fraction, 7);
        EXPECT_EQ(q.row(0).output_fraction, fraction) << bias;
        EXPECT_EQ(q.row(1).input_fraction, fraction) << bias;
    }
}

TEST(Quantise, ATableOfBytesWithRoomForWhatKernelsNeed)
{
    const quantised q(std::vector<double>(ALL, 0.01));
    EXPECT_EQ(q.row(0).weights, 0u);
    EXPECT_EQ(q.row(0).biases, 2352u);
    EXPECT_EQ(q.row(1).weights, 2360u) << "three biases of 16 bits";
    EXPECT_EQ(q.row(1).biases, 2368u) << "six weights";
    EXPECT_EQ(q.network.table->parameter_bytes, 2372u);
    EXPECT_EQ(weights_block_bytes(&q.network.network, q.network.table), 2372u);
    EXPECT_EQ(q.network.table->activation_bytes, 784u + 4 + 1568)
        << "image or sums, units, scratch";
}

/* Logits of all networks' last layer: how far from doubles, by images of a set that is not the one
 * that was measured. */
TEST(Quantise, LeNet1StaysNearDoublesAndClassifiesAsWell)
{
    const std::unique_ptr<test_network> network = lenet1();
    lenet1_weights weights(*network, "synthetic");
    images measured("synthetic", DATASET_TRAIN, QUANTISE_IMAGES);
    images tests("synthetic", DATASET_TEST, 300);
    struct reference_pass pass;
    struct diagnostic said_of = {};
    ASSERT_EQ(reference_pass_init(&pass, &network->network, &said_of), STATUS_OK);
    std::vector<std::vector<double>> exact;
    for (size_t i = 0; i < 300; i++) {
        const double *logits = reference_forward(&pass, weights->float64, tests.image(i));
        exact.emplace_back(logits, logits + 10);
    }
    reference_pass_deinit(&pass);
    ASSERT_EQ(
        quantise(&network->network, &network->table, &weights.weights, &measured.dataset, &said_of),
        STATUS_OK);
    const host_test run(*network, HOST_FORMAT_int8, weights->block, tests.dataset);
    ASSERT_EQ(run.status, STATUS_OK);
    const struct nn_layer &last = network->table->layer[4];
    double worst = 0;
    double largest = 0;
    for (size_t i = 0; i < 300; i++) {
        for (size_t c = 0; c < 10; c++) {
            const double logit =
                std::ldexp(run.result[i].logits[c], -last.weight_fraction - last.input_fraction);
            worst = std::fmax(worst, std::fabs(logit - exact[i][c]));
            largest = std::fmax(largest, std::fabs(exact[i][c]));
        }
    }
    EXPECT_LT(worst, largest * 0.05);
    EXPECT_GT(worst, largest * 0.001) << "8 bits are seen";
    EXPECT_EQ(run.overflows, 0u);
    EXPECT_GE(run.score.correct, 295u);
}

TEST(Quantise, RefusesTablesOfLinks)
{
    std::string text = TWO;
    text.insert(text.find("  - {name: hidden"),
                "  - {name: maps, type: conv2d, maps: 2, kernel: 5, activation: relu}\n"
                "  - {name: linked, type: conv2d, maps: 2, kernel: 5, activation: relu, "
                "links: [[0], [0, 1]]}\n");
    test_network network(text);
    struct weights weights = {};
    struct diagnostic said_of = {};
    const std::vector<double> parameters(network.parameters(), 0.01);
    ASSERT_EQ(weights_round(&weights, &network.network, network.table, parameters.data(), &said_of),
              STATUS_OK);
    images few("synthetic", DATASET_TRAIN, 2);
    EXPECT_EQ(quantise(&network.network, &network.table, &weights, &few.dataset, &said_of),
              STATUS_CONFIGURATION);
    EXPECT_NE(said(said_of).find("layer linked: int8 has no tables of links"), std::string::npos)
        << said(said_of);
    weights_deinit(&weights);
}

TEST(Quantise, RefusesImagesOfAnotherSize)
{
    std::string text = TWO;
    text.replace(text.find("height: 28, width: 28"), 21, "height: 3, width: 3");
    test_network network(text);
    struct weights weights = {};
    struct diagnostic said_of = {};
    const std::vector<double> parameters(ALL, 0.01);
    ASSERT_EQ(weights_round(&weights, &network.network, network.table, parameters.data(), &said_of),
              STATUS_OK);
    images few("synthetic", DATASET_TRAIN, 2);
    const struct nn_table *before = network.table;
    EXPECT_EQ(quantise(&network.network, &network.table, &weights, &few.dataset, &said_of),
              STATUS_CONFIGURATION);
    EXPECT_EQ(network.table, before);
    EXPECT_EQ(network.network.numbers, NETWORK_INT16);
    EXPECT_NE(said(said_of).find("do not fit the network"), std::string::npos) << said(said_of);
    weights_deinit(&weights);
}

} // namespace

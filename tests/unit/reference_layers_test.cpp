/* The layers in double precision: values computed by hand, gradients against differences. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/networks/loss.h"
#include "workloads/nn/loss.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{

constexpr int DISTANCE_OF_NONE = 64; /* of the competitive loss */

using doubles = std::vector<double>;

struct network_layer layer_of(enum network_layer_type type, struct network_shape input,
                              uint32_t outputs, uint32_t kernel, uint32_t stride)
{
    struct network_layer layer = {};
    layer.type = type;
    layer.outputs = outputs;
    layer.kernel = kernel;
    layer.stride = stride;
    layer.input = input;
    EXPECT_EQ(layer_kind_of(type)->shape(nullptr, &layer, nullptr), STATUS_OK);
    return layer;
}

doubles forward(const struct network_layer &layer, const doubles &input,
                const doubles &weights = {}, const doubles &biases = {})
{
    doubles output(network_values(layer.output));
    struct layer_pass pass = {};
    pass.layer = &layer;
    pass.weights = weights.data();
    pass.biases = biases.data();
    pass.input = input.data();
    pass.output = output.data();
    doubles room(layer_room(&layer));
    pass.room = room.data();
    layer_kind_of(layer.type)->forward(&pass);
    return output;
}

/* Of a layer without parameters. */
void backward(const struct network_layer &layer, const doubles &input, const doubles &gradient,
              doubles *input_gradient)
{
    struct layer_pass pass = {};
    pass.layer = &layer;
    pass.input = input.data();
    pass.output_gradient = gradient.data();
    pass.input_gradient = input_gradient->data();
    layer_kind_of(layer.type)->backward(&pass);
}

/* ---- forward, by hand ---- */

/* The window is not turned around, and weights are [output][input][row][column]. */
TEST(ReferenceConv2d, TwoMapsInTwoMapsOut)
{
    const struct network_layer layer = layer_of(NETWORK_CONV2D, {2, 2, 3}, 2, 2, 1);
    const doubles input = {1, 2, 3, 4, 5, 6, /**/ 10, 20, 30, 40, 50, 60};
    const doubles weights = {1, 0, 0, 0, /**/ 0, 0, 0, 1, /**/ 0, 1, 1, 0, /**/ 0.5, 0, 0, 0};
    const doubles biases = {100, -100};
    const doubles output = forward(layer, input, weights, biases);
    EXPECT_EQ(output, (doubles{100 + 1 + 50, 100 + 2 + 60, -100 + 2 + 4 + 5, -100 + 3 + 5 + 10}));
}

TEST(ReferenceConv2d, StrideSkipsPlaces)
{
    const struct network_layer layer = layer_of(NETWORK_CONV2D, {1, 4, 5}, 1, 2, 3);
    doubles input(20);
    for (size_t i = 0; i < input.size(); i++) {
        input[i] = static_cast<double>(i);
    }
    const doubles weights = {1, 10, 100, 1000};
    const doubles biases = {0};
    ASSERT_EQ(network_values(layer.output), 2u);
    const doubles output = forward(layer, input, weights, biases);
    EXPECT_EQ(output, (doubles{0 + 10 + 500 + 6000, 3 + 40 + 800 + 9000}));
}

/* A value of 0 around 1 2 / 3 4. */
TEST(ReferenceConv2d, PaddingIsZeros)
{
    struct network_layer layer = layer_of(NETWORK_CONV2D, {1, 2, 2}, 1, 2, 1);
    layer.padding = 1;
    layer.output = {1, 3, 3};
    const doubles input = {1, 2, 3, 4};
    const doubles weights = {1, 10, 100, 1000};
    const doubles biases = {0.5};
    const doubles output = forward(layer, input, weights, biases);
    EXPECT_EQ(output, (doubles{1000.5, 2100.5, 200.5, 3010.5, 4321.5, 402.5, 30.5, 43.5, 4.5}));
}

TEST(ReferenceAveragePool2d, MeanAndItsGradientToAll)
{
    const struct network_layer layer = layer_of(NETWORK_AVERAGE_POOL2D, {1, 2, 5}, 1, 2, 2);
    const doubles input = {1, 7, -3, -1, 9, /**/ 2, 2, -2, -4, 9};
    const doubles output = forward(layer, input);
    EXPECT_EQ(output, (doubles{3, -2.5}));
    const doubles gradient = {4, 8};
    doubles input_gradient(10, 1.0);
    backward(layer, input, gradient, &input_gradient);
    EXPECT_EQ(input_gradient, (doubles{2, 2, 3, 3, 1, /**/ 2, 2, 3, 3, 1}));
}

TEST(ReferenceActivation, AreThoseOfTheLibrary)
{
    doubles at = {-800, -40, -2, -1e-3, 0, 1e-3, 2, 40, 800};
    for (const enum network_activation activation :
         {NETWORK_TANH, NETWORK_SIGMOID, NETWORK_SCALED_TANH}) {
        doubles values = at;
        doubles slope(at.size(), 3.0);
        activation_of(activation)->forward(values.data(), values.size());
        activation_of(activation)->backward(values.data(), slope.data(), slope.size());
        for (size_t i = 0; i < at.size(); i++) {
            const double tanh = std::tanh(at[i] * (activation == NETWORK_TANH ? 1 : 2.0 / 3));
            const bool is_sigmoid = activation == NETWORK_SIGMOID;
            const double gain = activation == NETWORK_SCALED_TANH ? 1.7159 : 1;
            const double y = is_sigmoid ? 1 / (1 + std::exp(-at[i])) : gain * tanh;
            EXPECT_NEAR(values[i], y, 5e-16) << at[i];
            const double by_x = activation == NETWORK_SCALED_TANH ? 1.7159 * 2 / 3 : 1;
            EXPECT_NEAR(slope[i], 3 * (is_sigmoid ? y * (1 - y) : by_x * (1 - tanh * tanh)), 1e-14);
        }
    }
}

TEST(ReferenceMaxPool2d, LargestAndItsGradientToTheFirstOfEquals)
{
    const struct network_layer layer = layer_of(NETWORK_MAX_POOL2D, {1, 2, 6}, 1, 2, 2);
    const doubles input = {1, 7, -3, -1, 5, 5, /**/ 2, 3, -2, -4, 5, 5};
    const doubles output = forward(layer, input);
    EXPECT_EQ(output, (doubles{7, -1, 5}));
    const doubles gradient = {10, 20, 30};
    doubles input_gradient(12, 1.0);
    backward(layer, input, gradient, &input_gradient);
    EXPECT_EQ(input_gradient, (doubles{1, 11, 1, 21, 31, 1, /**/ 1, 1, 1, 1, 1, 1}));
}

TEST(ReferenceDense, DotProductsAndTheirGradients)
{
    const struct network_layer layer = layer_of(NETWORK_DENSE, {5, 1, 1}, 2, 0, 1);
    const doubles input = {1, 2, 3, 4, 5};
    const doubles weights = {1, 1, 1, 1, 1, /**/ 1, -1, 1, -1, 2};
    const doubles biases = {0.5, -0.5};
    const doubles output = forward(layer, input, weights, biases);
    EXPECT_EQ(output, (doubles{15.5, 7.5}));

    const doubles gradient = {2, -1};
    doubles weight_gradient(10, 100.0);
    doubles bias_gradient(2, 100.0);
    doubles input_gradient(5, 100.0);
    struct layer_pass pass = {};
    pass.layer = &layer;
    pass.weights = weights.data();
    pass.input = input.data();
    pass.output_gradient = gradient.data();
    pass.weight_gradients = weight_gradient.data();
    pass.bias_gradients = bias_gradient.data();
    pass.input_gradient = input_gradient.data();
    layer_kind_of(NETWORK_DENSE)->backward(&pass);
    EXPECT_EQ(weight_gradient, (doubles{102, 104, 106, 108, 110, 99, 98, 97, 96, 95})) << "added";
    EXPECT_EQ(bias_gradient, (doubles{102, 99}));
    EXPECT_EQ(input_gradient, (doubles{101, 103, 101, 103, 100}));
}

TEST(ReferenceRelu, PassesWhatIsAboveZero)
{
    const double tiny = std::numeric_limits<double>::denorm_min();
    doubles values = {-1, -tiny, 0, tiny, 2};
    activation_of(NETWORK_RELU)->forward(values.data(), values.size());
    EXPECT_EQ(values, (doubles{0, 0, 0, tiny, 2}));
    doubles gradient = {1, 2, 3, 4, 5};
    activation_of(NETWORK_RELU)->backward(values.data(), gradient.data(), gradient.size());
    EXPECT_EQ(gradient, (doubles{0, 0, 0, 4, 5}));
}

/* ---- exponential, softmax, loss ---- */

TEST(ReferenceExp, IsWithinTwoUnitsOfTheLastPlace)
{
    EXPECT_EQ(reference_exp(0), 1.0);
    for (int i = 1; i <= 70000; i++) {
        const double x = -i * 0.0101;
        const double expected = std::exp(x);
        const double unit = std::nextafter(expected, 1.0) - expected;
        ASSERT_LE(std::abs(reference_exp(x) - expected), 2 * unit) << x;
    }
}

TEST(ReferenceExp, EndsAtZero)
{
    EXPECT_GT(reference_exp(-708), 0.0);
    EXPECT_EQ(reference_exp(-709), 0.0) << "a subnormal";
    EXPECT_EQ(reference_exp(-std::numeric_limits<double>::infinity()), 0.0);
    EXPECT_TRUE(std::isnan(reference_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(ReferenceSoftmax, SharesOfLogits)
{
    const doubles logits = {std::log(1.0), std::log(2.0), std::log(5.0)};
    doubles shares(3);
    reference_softmax(logits.data(), 3, shares.data());
    EXPECT_NEAR(shares[0], 0.125, 1e-15);
    EXPECT_NEAR(shares[1], 0.25, 1e-15);
    EXPECT_NEAR(shares[2], 0.625, 1e-15);
    EXPECT_NEAR(reference_cross_entropy(logits.data(), 3, 0), std::log(8.0), 1e-15);
    EXPECT_NEAR(reference_cross_entropy(logits.data(), 3, 2), std::log(1.6), 1e-15);

    const doubles far = {1000, 0, 1000};
    reference_softmax(far.data(), 3, shares.data());
    EXPECT_EQ(shares, (doubles{0.5, 0, 0.5}));
    EXPECT_NEAR(reference_cross_entropy(far.data(), 3, 1), 1000 + std::log(2.0), 1e-12);
}

TEST(ReferenceSquare, HalfTheSquaresOfTheDifferences)
{
    const doubles outputs = {2.5, 0.75, -1};
    EXPECT_EQ(loss_of(NN_SQUARE)->of(outputs.data(), 3, 1), 3.65625);
    doubles gradient(3);
    loss_of(NN_SQUARE)->gradient(outputs.data(), 3, 1, gradient.data());
    EXPECT_EQ(gradient, (doubles{2.5, -0.25, -1}));
}

/* -ln of the label's share where there is a class more, at distance j. */
TEST(ReferenceCompetitive, IsASoftmaxWithNoneOfTheClasses)
{
    const doubles outputs = {-DISTANCE_OF_NONE, -DISTANCE_OF_NONE + std::log(2.0)};
    EXPECT_NEAR(loss_of(NN_COMPETITIVE)->of(outputs.data(), 2, 0), std::log(4.0), 1e-14);
    doubles gradient(2);
    loss_of(NN_COMPETITIVE)->gradient(outputs.data(), 2, 1, gradient.data());
    EXPECT_NEAR(gradient[0], 0.25, 1e-15);
    EXPECT_NEAR(gradient[1], -0.5, 1e-15);
}

TEST(ReferenceLabel, IsTheFirstOfTheLargest)
{
    const doubles logits = {-1, 3, 3, 2};
    EXPECT_EQ(reference_label(logits.data(), 4), 1u);
    EXPECT_EQ(reference_label(logits.data(), 1), 0u);
}

/* ---- a network: gradients against differences ---- */

class pass_of
{
  public:
    explicit pass_of(const test_network &network)
    {
        struct diagnostic diagnostic = {};
        EXPECT_EQ(reference_pass_init(&pass, &network.network, &diagnostic), STATUS_OK);
    }
    ~pass_of()
    {
        reference_pass_deinit(&pass);
    }
    pass_of(const pass_of &) = delete;
    pass_of &operator=(const pass_of &) = delete;

    double loss(const doubles &parameters, const byte_string &image, uint32_t label)
    {
        const double *logits = reference_forward(&pass, parameters.data(), image.data());
        const size_t layers = pass.network->layer_count;
        return reference_loss(pass.network)
            ->of(logits, pass.network->layer[layers - 1].outputs, label);
    }

    struct reference_pass pass = {};
};

const std::string TWO_CONVOLUTIONS =
    "name: two\nvariant: modern\n"
    "input: {channels: 2, height: 11, width: 12}\n"
    "layers:\n"
    "  - {name: a, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
    "  - {name: p, type: max_pool2d, size: 2}\n"
    "  - {name: b, type: conv2d, maps: 4, kernel: 2, stride: 2, activation: relu}\n"
    "  - {name: d, type: dense, units: 6, activation: relu}\n"
    "  - {name: e, type: dense, units: 5}\n"
    "  - {name: out, type: dense, units: 4, activation: softmax}\n";

const std::string OVERLAPPING = "name: over\nvariant: modern\n"
                                "input: {channels: 1, height: 8, width: 8}\n"
                                "layers:\n"
                                "  - {name: p, type: max_pool2d, size: 3, stride: 1}\n"
                                "  - {name: a, type: conv2d, maps: 2, kernel: 3}\n"
                                "  - {name: q, type: max_pool2d, size: 3, stride: 1}\n"
                                "  - {name: out, type: dense, units: 3, activation: softmax}\n";

const std::string SMOOTH = "name: smooth\nvariant: modern\n"
                           "input: {channels: 2, height: 7, width: 9}\n"
                           "layers:\n"
                           "  - {name: a, type: conv2d, maps: 3, kernel: 5, padding: same, "
                           "activation: tanh}\n"
                           "  - {name: p, type: subsample2d, size: 2, activation: sigmoid}\n"
                           "  - {name: b, type: conv2d, maps: 4, kernel: 3, stride: 2, padding: 1, "
                           "activation: sigmoid, links: [[0], [0, 2], [1, 2], [0, 1, 2]]}\n"
                           "  - {name: q, type: average_pool2d, size: 2, stride: 1}\n"
                           "  - {name: s, type: subsample2d, size: 1, maps: 8, activation: tanh}\n"
                           "  - {name: d, type: dense, units: 6, activation: scaled_tanh}\n"
                           "  - {name: out, type: dense, units: 4, activation: softmax}\n";

const std::string BITMAPS = "name: bitmaps\nvariant: modern\n"
                            "input: {channels: 1, height: 3, width: 3}\n"
                            "layers:\n"
                            "  - {name: h, type: dense, units: 84, activation: scaled_tanh}\n"
                            "  - {name: out, type: rbf, units: 10}\n";

/* Central differences.  Their own error is about h^2 and 1e-16 / h, 1e-10 here; a wrong term of the
 * gradient would be seen at 1e-3. */
void expect_gradients(const std::string &yaml, enum nn_loss loss)
{
    constexpr double H = 1e-5;
    test_network network(yaml);
    network.network.loss = static_cast<uint8_t>(loss);
    random_source random(3);
    doubles parameters(network.parameters());
    reference_draw(&network.network, CONFIG_INITIALIZER_HE, 5, parameters.data());
    for (double &parameter : parameters) {
        parameter += 0.05 * random.unit(); /* biases, too */
    }
    byte_string image(network_values(network->input));
    for (uint8_t &pixel : image) {
        pixel = static_cast<uint8_t>(random.between(0u, 255u));
    }
    pass_of pass(network);
    doubles gradients(network.parameters());
    (void)pass.loss(parameters, image, 2);
    reference_backward(&pass.pass, parameters.data(), 2, gradients.data());
    size_t not_zero = 0;
    for (size_t i = 0; i < parameters.size(); i++) {
        doubles moved = parameters;
        moved[i] = parameters[i] + H;
        const double above = pass.loss(moved, image, 2);
        moved[i] = parameters[i] - H;
        const double below = pass.loss(moved, image, 2);
        ASSERT_NEAR(gradients[i], (above - below) / (2 * H), 1e-8) << yaml << " parameter " << i;
        not_zero += std::abs(gradients[i]) > 1e-4;
    }
    const struct network_layer &last = network.layer(network->layer_count - 1);
    const size_t given = last.type == NETWORK_RBF ? 850 : 0; /* 840 bitmaps' pixels, 10 biases */
    EXPECT_GT(not_zero, (parameters.size() - given) / 3) << "the case is worth nothing";

    /* They are added. */
    doubles twice = gradients;
    (void)pass.loss(parameters, image, 2);
    reference_backward(&pass.pass, parameters.data(), 2, twice.data());
    for (size_t i = 0; i < twice.size(); i++) {
        ASSERT_NEAR(twice[i], 2 * gradients[i], 1e-13);
    }
}

TEST(ReferenceBackward, IsTheLossesSlope)
{
    for (const enum nn_loss loss : {NN_SOFTMAX_CROSS_ENTROPY, NN_SQUARE}) {
        expect_gradients(TWO_CONVOLUTIONS, loss);
        expect_gradients(OVERLAPPING, loss);
        expect_gradients(SMOOTH, loss);
    }
    for (const enum nn_loss loss : {NN_SOFTMAX_CROSS_ENTROPY, NN_COMPETITIVE}) {
        expect_gradients(BITMAPS, loss);
    }
    expect_gradients(SMOOTH, NN_COMPETITIVE);
}

/* A pixel p enters as p 2^(shift - fraction), as it does the integers. */
TEST(ReferenceForward, ScalesPixels)
{
    const test_network network("name: one\nvariant: modern\n"
                               "input: {channels: 1, height: 1, width: 2}\n"
                               "formats: {activation_fraction: 10, input_shift: 3}\n"
                               "layers:\n"
                               "  - {name: out, type: dense, units: 2, activation: softmax}\n");
    const doubles parameters = {1, 0, 0, 1, /**/ 0.25, 0};
    const byte_string image = {255, 128};
    pass_of pass(network);
    const double *logits = reference_forward(&pass.pass, parameters.data(), image.data());
    EXPECT_EQ(logits[0], 255.0 / 128 + 0.25);
    EXPECT_EQ(logits[1], 1.0);
}

/* ---- initial parameters ---- */

TEST(ReferenceDraw, IsUniformWithinTheBoundOfEachLayer)
{
    const auto network = lenet1();
    doubles parameters(network->parameters(), 99.0);
    reference_draw(&network->network, CONFIG_INITIALIZER_HE, 1, parameters.data());
    const struct {
        size_t layer, weights;
        double bound;
    } layers[] = {{0, 100, std::sqrt(6.0 / 25)},
                  {2, 1200, std::sqrt(6.0 / 100)},
                  {4, 1920, std::sqrt(3.0 / 192)}};
    for (const auto &l : layers) {
        const struct weights_place place = weights_place(&network->network, l.layer);
        double largest = 0;
        double squares = 0;
        for (size_t i = 0; i < l.weights; i++) {
            const double weight = parameters[place.weights + i];
            largest = std::max(largest, std::abs(weight));
            squares += weight * weight;
        }
        EXPECT_LE(largest, l.bound) << l.layer;
        EXPECT_GT(largest, 0.95 * l.bound) << l.layer;
        EXPECT_NEAR(squares / static_cast<double>(l.weights), l.bound * l.bound / 3,
                    0.15 * l.bound * l.bound / 3)
            << l.layer;
        for (size_t i = 0; i < network_layer_biases(&network->layer(l.layer)); i++) {
            EXPECT_EQ(parameters[place.biases + i], 0.0);
        }
    }
}

TEST(ReferenceDraw, DependsOnTheSeedAlone)
{
    const auto network = lenet1();
    doubles a(network->parameters());
    doubles b(network->parameters());
    reference_draw(&network->network, CONFIG_INITIALIZER_HE, 1, a.data());
    reference_draw(&network->network, CONFIG_INITIALIZER_HE, 1, b.data());
    EXPECT_EQ(a, b);
    reference_draw(&network->network, CONFIG_INITIALIZER_HE, 2, b.data());
    size_t equal = 0;
    for (size_t i = 0; i < 100; i++) {
        equal += a[i] == b[i];
    }
    EXPECT_EQ(equal, 0u);
}

/* The finaliser of SplitMix64: numbers that others have published for it (seed 0: mix of the
 * golden ratio's multiples). */
TEST(Draw, IsSplitMix64)
{
    constexpr uint64_t STEP = 0x9e3779b97f4a7c15u;
    EXPECT_EQ(draw_mix(0), 0u);
    EXPECT_EQ(draw_mix(STEP), 0xe220a8397b1dcdafu);
    EXPECT_EQ(draw_mix(2 * STEP), 0x6e789e6aa1b965f4u);
    EXPECT_EQ(draw_mix(3 * STEP), 0x06c45d188009454fu);
    EXPECT_EQ(draw_word(0, 0, 0), 0xe220a8397b1dcdafu) << "seed and stream 0: key 0";
    EXPECT_EQ(draw_below(UINT64_MAX, 10), 9u);
    EXPECT_EQ(draw_below(0, 10), 0u);
    EXPECT_EQ(draw_signed_unit(0), -1.0);
    EXPECT_EQ(draw_signed_unit(UINT64_MAX), 1 - 0x1p-52);
}

} // namespace

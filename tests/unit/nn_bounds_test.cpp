/* The integer kernels against the double reference, within derived bounds.
 *
 * One layer, given the same parameters and inputs (integers times powers of two).  Products and
 * sums of the integers are exact as long as no sum wraps, and so are those of the doubles (all are
 * multiples of 2^-(W + A), below 2^53 of them): the last layer's sums are *equal*, and another
 * layer's output is the double's, rounded: at most half a unit, 2^-(A + 1), away, unless it
 * saturates.  ReLU and the maximum of a window do not widen a difference.
 *
 * A network.  Let e_i bound the difference of input i, and D = 2^-(W + 1) that of a rounded
 * parameter (0 when the doubles are the rounded parameters).  From z' - z = sum w' (x' - x) + sum
 * (w' - w) x + (b' - b), with the rounded w', b' and the doubles' x: e_out <= sum |w'| e_in + D
 * (sum |x| + 1) + 2^-(A + 1), the last term not in the last layer. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/layer.h"
#include "sim/networks/loss.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace
{

/* ---- one layer ---- */

struct sizes {
    uint32_t channels, height, width, outputs, kernel, stride;
};

/* W13 A11: parameters and inputs as integers and as the same doubles, two layers of one kind. */
struct both {
    both(enum network_layer_type type, const sizes &s, random_source *random, bool last)
    {
        const bool dense = type == NETWORK_DENSE;
        doubles.type = type;
        doubles.outputs = type == NETWORK_MAX_POOL2D ? s.channels : s.outputs;
        doubles.kernel = dense ? 0 : s.kernel;
        doubles.stride = s.stride;
        doubles.input = {s.channels, s.height, s.width};
        EXPECT_EQ(layer_kind_of(type)->shape(nullptr, &doubles, nullptr), STATUS_OK);
        integers.weight_fraction = 13;
        integers.input_fraction = integers.output_fraction = 11;
        integers.is_last = last;
        integers.kernel = static_cast<uint8_t>(doubles.kernel);
        integers.stride = static_cast<uint8_t>(s.stride);
        integers.input = narrow(doubles.input);
        integers.output = narrow(doubles.output);
        weights = random->int16s(network_layer_weights(&doubles) + 1, 4000);
        biases = random->int16s(network_layer_biases(&doubles) + 1, 4000);
        input = random->int16s(network_values(doubles.input), 2048);
    }

    static struct nn_shape narrow(const struct network_shape &shape)
    {
        return {static_cast<uint16_t>(shape.channels), static_cast<uint16_t>(shape.height),
                static_cast<uint16_t>(shape.width), 0};
    }

    static std::vector<double> scaled(const std::vector<int16_t> &values, int fraction)
    {
        std::vector<double> made;
        for (const int16_t value : values) {
            made.push_back(std::ldexp(value, -fraction));
        }
        return made;
    }

    std::vector<double> run_doubles() const
    {
        const std::vector<double> w = scaled(weights, 13);
        const std::vector<double> b = scaled(biases, 13);
        const std::vector<double> x = scaled(input, 11);
        std::vector<double> output(network_values(doubles.output));
        struct layer_pass pass = {};
        pass.layer = &doubles;
        pass.weights = w.data();
        pass.biases = b.data();
        pass.input = x.data();
        pass.output = output.data();
        std::vector<double> room(layer_room(&doubles));
        pass.room = room.data();
        layer_kind_of(doubles.type)->forward(&pass);
        return output;
    }

    /* Outputs as they are in memory. */
    std::vector<int32_t> run_integers()
    {
        std::vector<int32_t> memory(network_values(doubles.output));
        const struct nn_arguments arguments = {&integers,    weights.data(), biases.data(),
                                               input.data(), memory.data(),  &numerics};
        nn_sum_begin(&numerics);
        if (doubles.type == NETWORK_CONV2D) {
            nn_conv2d(&arguments);
        } else if (doubles.type == NETWORK_DENSE) {
            nn_dense(&arguments);
        } else {
            nn_max_pool2d(&arguments);
        }
        EXPECT_EQ(nn_sum_overflow(&numerics), 0u);
        if (integers.is_last) {
            return memory;
        }
        const auto *values = reinterpret_cast<const int16_t *>(memory.data());
        return std::vector<int32_t>(values, values + memory.size());
    }

    struct network_layer doubles = {};
    struct nn_layer integers = {};
    std::vector<int16_t> weights, biases, input;
    struct nn_numerics numerics = {};
};

sizes random_sizes(random_source *random)
{
    sizes s;
    s.kernel = random->between(1u, 7u);
    s.stride = random->between(1u, 3u);
    s.channels = random->between(1u, 4u);
    s.height = random->between(s.kernel, s.kernel + 8);
    s.width = random->between(s.kernel, s.kernel + 8);
    s.outputs = random->between(1u, 9u);
    return s;
}

/* Half a unit of the output, and reached by ties only. */
void expect_rounded(both *layer, const std::string &which)
{
    const std::vector<double> exact = layer->run_doubles();
    const std::vector<int32_t> found = layer->run_integers();
    for (size_t i = 0; i < exact.size(); i++) {
        const double scaled = std::ldexp(exact[i], 11);
        if (scaled < INT16_MAX && scaled > INT16_MIN) {
            ASSERT_LE(std::abs(found[i] - scaled), 0.5) << which << " " << i;
            ASSERT_EQ(found[i], std::floor(scaled + 0.5)) << which << " " << i;
        } else {
            ASSERT_EQ(found[i], scaled > 0 ? INT16_MAX : INT16_MIN) << which << " " << i;
        }
    }
}

TEST(NnBounds, AHiddenLayerIsTheReferenceRounded)
{
    random_source random(1);
    for (int i = 0; i < 400; i++) {
        const enum network_layer_type type = i % 2 == 0 ? NETWORK_CONV2D : NETWORK_DENSE;
        both layer(type, random_sizes(&random), &random, false);
        expect_rounded(&layer, "case " + std::to_string(i));
    }
}

TEST(NnBounds, PoolingIsTheReferenceExactly)
{
    random_source random(2);
    for (int i = 0; i < 200; i++) {
        both layer(NETWORK_MAX_POOL2D, random_sizes(&random), &random, false);
        const std::vector<double> exact = layer.run_doubles();
        const std::vector<int32_t> found = layer.run_integers();
        for (size_t j = 0; j < exact.size(); j++) {
            ASSERT_EQ(std::ldexp(exact[j], 11), found[j]) << i;
        }
    }
}

TEST(NnBounds, TheLastLayersSumsAreTheReferenceExactly)
{
    random_source random(3);
    for (int i = 0; i < 400; i++) {
        const enum network_layer_type type = i % 2 == 0 ? NETWORK_CONV2D : NETWORK_DENSE;
        both layer(type, random_sizes(&random), &random, true);
        const std::vector<double> exact = layer.run_doubles();
        const std::vector<int32_t> found = layer.run_integers();
        for (size_t j = 0; j < exact.size(); j++) {
            ASSERT_EQ(std::ldexp(exact[j], 24), found[j]) << i;
        }
    }
}

/* ---- a network ---- */

/* Bounds of the differences of a layer's outputs, by the formula at the head of this file. */
class bounds
{
  public:
    /* `doubles`: what the reference computes with. */
    bounds(const test_network &network, const std::vector<double> &rounded, double parameter_bound)
        : network_(network), rounded_(rounded), parameter_bound_(parameter_bound)
    {
    }

    /* After reference_forward() over an image. */
    std::vector<double> of_logits(const struct reference_pass &pass) const
    {
        std::vector<double> e(network_values(network_->input), 0);
        for (size_t i = 0; i < network_->layer_count; i++) {
            const struct network_layer &layer = network_.layer(i);
            const bool last = i + 1 == network_->layer_count;
            e = layer.type == NETWORK_MAX_POOL2D
                    ? pooled(layer, e)
                    : summed(i, e, pass.value[i], last ? 0 : std::ldexp(1, -12));
        }
        return e;
    }

  private:
    /* Indices of the inputs of an output, in the order of its weights. */
    static std::vector<size_t> window(const struct network_layer &l, size_t y, size_t x,
                                      size_t first, size_t channels)
    {
        std::vector<size_t> all;
        for (size_t c = first; c < first + channels; c++) {
            for (size_t u = 0; u < l.kernel; u++) {
                for (size_t v = 0; v < l.kernel; v++) {
                    all.push_back((c * l.input.height + y * l.stride + u) * l.input.width +
                                  x * l.stride + v);
                }
            }
        }
        return all;
    }

    static std::vector<double> pooled(const struct network_layer &l, const std::vector<double> &in)
    {
        std::vector<double> out;
        for (size_t c = 0; c < l.outputs; c++) {
            for (size_t y = 0; y < l.output.height; y++) {
                for (size_t x = 0; x < l.output.width; x++) {
                    double largest = 0;
                    for (const size_t at : window(l, y, x, c, 1)) {
                        largest = std::max(largest, in[at]);
                    }
                    out.push_back(largest);
                }
            }
        }
        return out;
    }

    std::vector<double> summed(size_t i, const std::vector<double> &in, const double *values,
                               double rounding) const
    {
        const struct network_layer &l = network_.layer(i);
        const size_t links = network_layer_weights(&l) / l.outputs;
        std::vector<double> out;
        for (size_t o = 0; o < l.outputs; o++) {
            const double *w = &rounded_[weights_place(&network_.network, i).weights + o * links];
            for (size_t y = 0; y < l.output.height; y++) {
                for (size_t x = 0; x < l.output.width; x++) {
                    std::vector<size_t> places = window(l, y, x, 0, l.input.channels);
                    if (l.type == NETWORK_DENSE) {
                        places.resize(links);
                        for (size_t j = 0; j < links; j++) {
                            places[j] = j;
                        }
                    }
                    double bound = rounding + parameter_bound_;
                    for (size_t j = 0; j < links; j++) {
                        bound += std::abs(w[j]) * in[places[j]] +
                                 parameter_bound_ * std::abs(values[places[j]]);
                    }
                    out.push_back(bound);
                }
            }
        }
        return out;
    }

    const test_network &network_;
    const std::vector<double> &rounded_;
    double parameter_bound_;
};

/* The rounded parameters as doubles, in the reference's layout. */
std::vector<double> rounded_of(const test_network &network, const struct weights &weights)
{
    std::vector<double> values(network.parameters());
    const auto *block = static_cast<const int16_t *>(weights.block);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct weights_place place = weights_place(&network.network, i);
        const struct nn_layer &layer = network.table->layer[i];
        for (size_t j = 0; j < network_layer_weights(&network.layer(i)); j++) {
            values[place.weights + j] = std::ldexp(block[layer.weights / 2 + j], -13);
        }
        for (size_t j = 0; j < network_layer_biases(&network.layer(i)); j++) {
            values[place.biases + j] = std::ldexp(block[layer.biases / 2 + j], -13);
        }
    }
    return values;
}

/* Returns the largest difference over the largest bound. */
double expect_within(const test_network &network, const struct weights &weights,
                     const struct dataset &dataset, bool rounded_reference)
{
    const std::vector<double> rounded = rounded_of(network, weights);
    const double *parameters = rounded_reference ? rounded.data() : weights.float64;
    const bounds bound(network, rounded, rounded_reference ? 0 : std::ldexp(1, -14));
    const std::vector<int16_t> block = block_of(weights, network);
    struct reference_pass pass;
    EXPECT_EQ(reference_pass_init(&pass, &network.network, nullptr), STATUS_OK);
    double worst = 0;
    double most = 0;
    for (uint32_t i = 0; i < dataset.count; i++) {
        const uint8_t *image = dataset.images + size_t{i} * DIGITS_PIXELS;
        const double *exact = reference_forward(&pass, parameters, image);
        const integer_run found(network, block, image);
        if (found.numerics.saturations > 0) {
            continue; /* the bound does not hold */
        }
        EXPECT_EQ(found.numerics.overflows, 0u);
        const std::vector<double> limit = bound.of_logits(pass);
        for (size_t c = 0; c < limit.size(); c++) {
            const double difference = std::abs(std::ldexp(found.logits[c], -24) - exact[c]);
            EXPECT_LE(difference, limit[c]) << "image " << i << " class " << c;
            worst = std::max(worst, difference);
            most = std::max(most, limit[c]);
        }
    }
    reference_pass_deinit(&pass);
    return worst / most;
}

TEST(NnBounds, LeNet1WithItsRoundedWeights)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 100);
    const double ratio = expect_within(*network, weights.weights, set.dataset, true);
    EXPECT_GT(ratio, 0.001) << "a bound that is never near says nothing";
}

TEST(NnBounds, LeNet1WithTheWeightsBeforeRounding)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "mnist");
    const images set("synthetic", DATASET_TEST, 100);
    const double ratio = expect_within(*network, weights.weights, set.dataset, false);
    EXPECT_GT(ratio, 0.001) << "a bound that is never near says nothing";
}

/* Two layers of no special shape, random weights. */
TEST(NnBounds, AnotherNetwork)
{
    const test_network network("name: other\nvariant: modern\n"
                               "input: {channels: 1, height: 28, width: 28}\n"
                               "layers:\n"
                               "  - {name: a, type: conv2d, maps: 3, kernel: 4, stride: 3, "
                               "activation: relu}\n"
                               "  - {name: b, type: max_pool2d, size: 3, stride: 2}\n"
                               "  - {name: c, type: dense, units: 9, activation: relu}\n"
                               "  - {name: d, type: dense, units: 10, activation: softmax}\n");
    std::vector<double> parameters(network.parameters());
    reference_draw(&network.network, CONFIG_INITIALIZER_HE, 5, parameters.data());
    struct weights weights;
    ASSERT_EQ(weights_round(&weights, &network.network, network.table, parameters.data(), nullptr),
              STATUS_OK);
    const images set("synthetic", DATASET_TEST, 50);
    EXPECT_GT(expect_within(network, weights, set.dataset, true), 0.001);
    EXPECT_GT(expect_within(network, weights, set.dataset, false), 0.001);
    weights_deinit(&weights);
}

} // namespace

/* Convolutions with zeros around their input, and strides: forward and backward against a naive
 * statement on an input that has its zeros, bit for bit; that one is tested without padding
 * elsewhere. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/backward.h"
}

#include <gtest/gtest.h>

namespace
{

uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

/* The same layer twice: with padding, and with an input that is larger by it. */
struct both {
    explicit both(random_source *random, bool same)
    {
        const uint32_t side = same ? 1 + 2 * random->between(0u, 3u) : random->between(1u, 6u);
        const uint32_t around = same ? side / 2 : random->between(0u, side - 1);
        padded.kind = NN_CONV2D;
        padded.activation = NN_RELU;
        padded.kernel = static_cast<uint8_t>(side);
        padded.stride = static_cast<uint8_t>(same ? 1 : random->between(1u, 3u));
        padded.padding = static_cast<uint8_t>(around);
        padded.weight_fraction = 13;
        padded.input_fraction = padded.output_fraction = 11;
        padded.input = {narrow(random->between(1u, 3u)), narrow(random->between(side, side + 7)),
                        narrow(random->between(side, side + 7)), 0};
        padded.output = {narrow(random->between(1u, 4u)),
                         narrow((padded.input.height + 2 * around - side) / padded.stride + 1),
                         narrow((padded.input.width + 2 * around - side) / padded.stride + 1), 0};
        larger = padded;
        larger.padding = 0;
        larger.input.height = narrow(padded.input.height + 2 * around);
        larger.input.width = narrow(padded.input.width + 2 * around);
        input = random->int16s(nn_values(padded.input), 3000);
        large_input.resize(nn_values(larger.input));
        for (size_t i = 0; i < input.size(); i++) {
            large_input[at(i)] = input[i];
        }
        const size_t links = size_t{padded.input.channels} * side * side;
        weights = random->int16s(links * padded.output.channels, 3000);
        biases = random->int16s(padded.output.channels, 3000);
    }

    /* Where a value of the input stands in the larger one. */
    size_t at(size_t i) const
    {
        const size_t column = i % padded.input.width;
        const size_t row = i / padded.input.width % padded.input.height;
        const size_t map = i / padded.input.width / padded.input.height;
        return (map * larger.input.height + row + padded.padding) * larger.input.width + column +
               padded.padding;
    }

    std::vector<int16_t> run(const struct nn_layer &layer, const std::vector<int16_t> &values) const
    {
        std::vector<int16_t> made(nn_values(layer.output));
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&layer,        weights.data(), biases.data(),
                                               values.data(), made.data(),    &numerics};
        nn_conv2d(&arguments);
        return made;
    }

    struct nn_layer padded = {}, larger = {};
    std::vector<int16_t> input, large_input, weights, biases;
};

struct gradients {
    gradients(const both &b, const struct nn_layer &layer, const std::vector<int16_t> &values,
              const std::vector<int16_t> &output, const std::vector<int16_t> &errors)
        : weights(b.weights.size()), biases(b.biases.size()), inputs(values.size())
    {
        std::vector<struct nn_event> events(errors.size());
        std::vector<uint16_t> counts(layer.output.channels);
        nn_relu_events(&layer, output.data(), errors.data(), events.data(), counts.data());
        nn_conv2d_gradient(&layer, values.data(), events.data(), counts.data(), weights.data(),
                           biases.data());
        nn_conv2d_input_sums(&layer, b.weights.data(), events.data(), counts.data(), inputs.data());
    }

    std::vector<int32_t> weights, biases, inputs;
};

TEST(NnPadding, IsAConvolutionOfALargerInput)
{
    random_source random(1);
    for (int i = 0; i < 300; i++) {
        const both b(&random, i % 2 == 0);
        if (i % 2 == 0) {
            ASSERT_EQ(b.padded.output.height, b.padded.input.height) << "padding: same";
            ASSERT_EQ(b.padded.output.width, b.padded.input.width);
        }
        const std::vector<int16_t> output = b.run(b.padded, b.input);
        ASSERT_EQ(output, b.run(b.larger, b.large_input)) << i;
        const std::vector<int16_t> errors = random.int16s(output.size(), 300);
        const gradients found(b, b.padded, b.input, output, errors);
        const gradients expected(b, b.larger, b.large_input, output, errors);
        ASSERT_EQ(found.weights, expected.weights) << i;
        ASSERT_EQ(found.biases, expected.biases);
        for (size_t at = 0; at < b.input.size(); at++) {
            ASSERT_EQ(found.inputs[at], expected.inputs[b.at(at)]) << i;
        }
    }
}

} // namespace

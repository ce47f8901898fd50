/* nn_backward_fixture.h - layers with inputs, weights and errors, and a naive statement of their
 * backward pass. */
#pragma once
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "workloads/nn/backward.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

inline uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

inline int32_t wrap(int64_t value)
{
    return static_cast<int32_t>(static_cast<uint32_t>(value));
}

inline size_t count_of(const struct nn_shape &shape)
{
    return size_t{shape.channels} * shape.height * shape.width;
}

/* ---- a layer, and what goes through it ---- */

struct conv_case {
    conv_case(random_source *random, int32_t most, bool usual)
    {
        const uint32_t side = usual ? 5 : random->between(1u, 7u);
        layer.kind = NN_CONV2D;
        layer.activation = NN_RELU;
        layer.kernel = static_cast<uint8_t>(side);
        layer.stride = static_cast<uint8_t>(usual ? 1 : random->between(1u, 3u));
        layer.input = {narrow(random->between(1u, 5u)), narrow(random->between(side, side + 9)),
                       narrow(random->between(side, side + 9)), 0};
        layer.output = {narrow(random->between(1u, 6u)),
                        narrow((layer.input.height - side) / layer.stride + 1),
                        narrow((layer.input.width - side) / layer.stride + 1), 0};
        input = random->int16s(count_of(layer.input), most);
        weights = random->int16s(links() * layer.output.channels, most);
        output = random->int16s(count_of(layer.output), most);
        errors = random->int16s(count_of(layer.output), most);
        for (size_t i = 0; i < errors.size(); i += random->between(1u, 4u)) {
            errors[i] = 0;
        }
    }

    size_t links() const
    {
        return size_t{layer.input.channels} * layer.kernel * layer.kernel;
    }

    /* Index of the input that weight w of output o multiplies. */
    size_t input_of(size_t o, size_t w) const
    {
        const size_t column = w % layer.kernel;
        const size_t row = w / layer.kernel % layer.kernel;
        const size_t channel = w / layer.kernel / layer.kernel;
        const size_t x = o % layer.output.width;
        const size_t y = o / layer.output.width % layer.output.height;
        return (channel * layer.input.height + y * layer.stride + row) * layer.input.width +
               x * layer.stride + column;
    }

    struct nn_layer layer = {};
    std::vector<int16_t> input, weights, output, errors;
};

/* ---- the naive statement ---- */

struct sums {
    std::vector<int32_t> weights, biases, inputs;

    bool operator==(const sums &other) const
    {
        return weights == other.weights && biases == other.biases && inputs == other.inputs;
    }
};

/* `errors`: of all outputs; those that ReLU has closed are cleared already. */
inline sums naive_conv2d(const conv_case &c, const std::vector<int16_t> &errors)
{
    const size_t places = size_t{c.layer.output.height} * c.layer.output.width;
    std::vector<int64_t> weights(c.weights.size()), biases(c.layer.output.channels),
        inputs(c.input.size());
    for (size_t o = 0; o < errors.size(); o++) {
        const size_t map = o / places;
        biases[map] += errors[o];
        for (size_t w = 0; w < c.links(); w++) {
            weights[map * c.links() + w] += int64_t{errors[o]} * c.input[c.input_of(o, w)];
            inputs[c.input_of(o, w)] += int64_t{errors[o]} * c.weights[map * c.links() + w];
        }
    }
    sums made;
    std::transform(weights.begin(), weights.end(), std::back_inserter(made.weights), wrap);
    std::transform(biases.begin(), biases.end(), std::back_inserter(made.biases), wrap);
    std::transform(inputs.begin(), inputs.end(), std::back_inserter(made.inputs), wrap);
    return made;
}

/* ---- running the kernels ---- */

struct event_list {
    explicit event_list(const conv_case &c)
        : events(c.errors.size() + 1, {0xffff, 0x5a5a}), counts(c.layer.output.channels)
    {
    }

    size_t count() const
    {
        size_t all = 0;
        for (const uint16_t of_map : counts) {
            all += of_map;
        }
        return all;
    }

    std::vector<struct nn_event> events;
    std::vector<uint16_t> counts;
};

/* In each map, events at even places must stand before those at odd places. */
inline void expect_even_first(const event_list &list)
{
    auto event = list.events.begin();
    for (const uint16_t of_map : list.counts) {
        const auto end = event + of_map;
        ASSERT_TRUE(std::is_partitioned(
            event, end, [](const struct nn_event &one) { return one.place % 2 == 0; }));
        event = end;
    }
}

inline sums run_events(const conv_case &c, const event_list &list)
{
    sums made;
    made.weights.resize(c.weights.size());
    made.biases.resize(c.layer.output.channels);
    made.inputs.resize(c.input.size());
    nn_conv2d_gradient(&c.layer, c.input.data(), list.events.data(), list.counts.data(),
                       made.weights.data(), made.biases.data());
    nn_conv2d_input_sums(&c.layer, c.weights.data(), list.events.data(), list.counts.data(),
                         made.inputs.data());
    return made;
}

/* Ranges of values: small, and the whole range, with which sums wrap. */
constexpr int32_t RANGES[] = {300, 32767};

/* ---- dense ---- */

struct dense_case {
    dense_case(random_source *random, int32_t most)
    {
        layer.kind = NN_DENSE;
        layer.input = {narrow(random->between(1u, 7u)), narrow(random->between(1u, 5u)),
                       narrow(random->between(1u, 5u)), 0};
        layer.output = {narrow(random->between(1u, 21u)), 1, 1, 0};
        images = random->between(1u, 19u);
        inputs = count_of(layer.input);
        outputs = layer.output.channels;
        input_stride = inputs + (inputs & 1) + 2 * random->between(0u, 2u);
        error_stride = outputs + (outputs & 1) + 2 * random->between(0u, 2u);
        input = random->int16s(input_stride * images, most);
        errors = random->int16s(error_stride * images, most);
        weights = random->int16s(inputs * outputs, most);
    }

    struct nn_layer layer = {};
    uint32_t images;
    size_t inputs, outputs, input_stride, error_stride;
    std::vector<int16_t> input, errors, weights;
};

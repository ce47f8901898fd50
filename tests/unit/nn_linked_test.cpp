/* Convolutions with a table of links: the bits of one with all links, the others' weights being
 * zero; and events behind an average pool. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/activation.h"
#include "workloads/nn/average_pool.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace
{

uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

/* The same layer with a table behind its row and with zeros in the place of what is not linked. */
struct both {
    both(random_source *random, bool usual, bool with_table, bool one_weight)
    {
        const uint32_t side = usual ? 5 : random->between(1u, 6u);
        const uint32_t around = usual ? 0 : random->between(0u, side - 1);
        full.kind = NN_CONV2D;
        full.activation =
            static_cast<uint8_t>(random->between(0u, 1u) == 0 ? NN_RELU : NN_IDENTITY);
        full.kernel = static_cast<uint8_t>(side);
        full.stride = static_cast<uint8_t>(usual ? 1 : random->between(1u, 3u));
        full.padding = static_cast<uint8_t>(around);
        full.weight_fraction = 13;
        full.input_fraction = full.output_fraction = 11;
        const uint32_t width = random->between(side + 1, side + 9);
        full.input = {narrow(random->between(1u, 6u)), narrow(random->between(side, side + 6)),
                      narrow(usual ? width / 2 * 2 : width), 0};
        full.output = {narrow(random->between(1u, 5u)),
                       narrow((full.input.height + 2 * around - side) / full.stride + 1),
                       narrow((full.input.width + 2 * around - side) / full.stride + 1), 0};
        row.layer = full;
        row.layer.one_weight = one_weight;
        row.layer.output.links = with_table ? sizeof full / sizeof(uint32_t) : 0;
        for (uint32_t m = 0; m < full.output.channels; m++) {
            row.links[m] = random->between(0u, (1u << full.input.channels) - 1);
            for (uint32_t c = 0; c < full.input.channels; c++) {
                const bool linked = !with_table || (row.links[m] >> c & 1) != 0;
                draw_weights(random, side * side, linked, one_weight);
            }
        }
        weights.push_back(0); /* of a table without links */
        biases = random->int16s(full.output.channels, 3000);
        input = random->int16s(nn_values(full.input), 3000);
        errors = random->int16s(nn_values(full.output), 300);
        for (size_t i = 0; i < errors.size(); i += random->between(1u, 4u)) {
            errors[i] = 0;
        }
    }

    /* The weights of one map to another. */
    void draw_weights(random_source *random, uint32_t count, bool linked, bool one_weight)
    {
        int16_t weight = 0;
        for (uint32_t w = 0; w < count; w++) {
            const bool own = w == 0 || !one_weight;
            if (own) {
                weight = static_cast<int16_t>(random->between(-3000, 3000));
            }
            if (linked && own) {
                weights.push_back(weight);
            }
            all_weights.push_back(linked ? weight : 0);
            place.push_back(linked ? static_cast<long>(weights.size()) - 1 : -1);
        }
    }

    std::vector<int16_t> run(const struct nn_layer *layer, const std::vector<int16_t> &w,
                             void (*conv2d)(const struct nn_arguments *),
                             struct nn_numerics *numerics) const
    {
        std::vector<int16_t> made(nn_values(layer->output));
        const struct nn_arguments arguments = {layer,        w.data(),    biases.data(),
                                               input.data(), made.data(), numerics};
        conv2d(&arguments);
        return made;
    }

    struct nn_layer full = {};
    struct {
        struct nn_layer layer;
        uint32_t links[8];
    } row = {};
    std::vector<int16_t> weights, all_weights, biases, input, errors;
    std::vector<long> place; /* of each of all weights among those that are there, or -1 */
};

static_assert(sizeof(struct nn_layer) % sizeof(uint32_t) == 0, "a table may follow a row");

struct gradients {
    gradients(const both &b, const struct nn_layer *layer, const std::vector<int16_t> &w,
              const std::vector<int16_t> &output, bool linked)
        : weights(w.size()), biases(b.biases.size()), inputs(b.input.size())
    {
        std::vector<struct nn_event> events(b.errors.size() + 1);
        std::vector<uint16_t> counts(layer->output.channels);
        nn_relu_events(layer, output.data(), b.errors.data(), events.data(), counts.data());
        (linked ? nn_conv2d_linked_gradient : nn_conv2d_gradient)(
            layer, b.input.data(), events.data(), counts.data(), weights.data(), biases.data());
        (linked ? nn_conv2d_linked_input_sums : nn_conv2d_input_sums)(
            layer, w.data(), events.data(), counts.data(), inputs.data());
    }

    std::vector<int32_t> weights, biases, inputs;
};

/* Of the weights that are there. */
std::vector<int32_t> kept(const both &b, const std::vector<int32_t> &all)
{
    std::vector<int32_t> made(b.weights.size());
    for (size_t i = 0; i < all.size(); i++) {
        if (b.place[i] >= 0) {
            made[static_cast<size_t>(b.place[i])] += all[i];
        }
    }
    return made;
}

/* By the name of all convolutions, which looks for a table, and by its own. */
TEST(NnLinked, AreThoseOfAllLinksWithZeros)
{
    random_source random(1);
    unsigned sparse = 0;
    for (int i = 0; i < 400; i++) {
        const both b(&random, i % 2 == 0, i % 4 < 3, i % 8 < 3); /* the latter has a table */
        struct nn_numerics full_numerics = {};
        struct nn_numerics numerics = {};
        const std::vector<int16_t> output =
            b.run(&b.full, b.all_weights, nn_conv2d, &full_numerics);
        ASSERT_EQ(b.run(&b.row.layer, b.weights, nn_conv2d, &numerics), output) << i;
        ASSERT_EQ(numerics.saturations, full_numerics.saturations) << i;
        numerics = {};
        ASSERT_EQ(b.run(&b.row.layer, b.weights, nn_conv2d_linked, &numerics), output) << i;
        ASSERT_EQ(numerics.saturations, full_numerics.saturations) << i;
        const gradients expected(b, &b.full, b.all_weights, output, false);
        for (const bool linked : {false, true}) {
            const gradients found(b, &b.row.layer, b.weights, output, linked);
            ASSERT_EQ(found.weights, kept(b, expected.weights)) << i;
            ASSERT_EQ(found.biases, expected.biases) << i;
            ASSERT_EQ(found.inputs, expected.inputs) << i;
        }
        sparse += b.weights.size() < b.all_weights.size();
    }
    EXPECT_GT(sparse, 200u);
}

/* ---- behind an average pool ---- */

/* Events of a convolution, as errors of its outputs. */
std::vector<int16_t> errors_of(const struct nn_layer &conv,
                               const std::vector<struct nn_event> &events,
                               const std::vector<uint16_t> &counts)
{
    std::vector<int16_t> made(nn_values(conv.output));
    const size_t area = size_t{conv.output.height} * conv.output.width;
    size_t at = 0;
    for (size_t m = 0; m < counts.size(); m++) {
        for (size_t end = at + counts[m]; at < end; at++) {
            const uint32_t y = events[at].place / nn_row_step(&conv);
            const uint32_t x = events[at].place % nn_row_step(&conv) / conv.stride;
            made[m * area + y * conv.output.width + x] = events[at].error;
        }
    }
    return made;
}

TEST(NnAverageEvents, AreItsWayBackAndThatOfTheActivation)
{
    random_source random(2);
    for (int i = 0; i < 300; i++) {
        struct nn_layer conv = {};
        conv.kind = NN_CONV2D;
        conv.kernel = static_cast<uint8_t>(random.between(1u, 3u));
        conv.stride = static_cast<uint8_t>(random.between(1u, uint32_t{conv.kernel}));
        conv.output_fraction = 11;
        conv.activation = static_cast<uint8_t>(i % 4);
        conv.output = {narrow(random.between(1u, 4u)), narrow(random.between(2u, 9u)),
                       narrow(random.between(2u, 9u)), 0};
        conv.input = {1, narrow((conv.output.height - 1u) * conv.stride + conv.kernel),
                      narrow((conv.output.width - 1u) * conv.stride + conv.kernel), 0};
        struct nn_layer pool = {};
        pool.kind = NN_AVERAGE_POOL2D;
        pool.input = conv.output;
        pool.kernel = static_cast<uint8_t>(
            random.between(1u, std::min<uint32_t>(conv.output.height, conv.output.width)));
        pool.stride = static_cast<uint8_t>(random.between(uint32_t{pool.kernel}, pool.kernel + 2u));
        pool.output = {conv.output.channels,
                       narrow((pool.input.height - pool.kernel) / pool.stride + 1u),
                       narrow((pool.input.width - pool.kernel) / pool.stride + 1u), 0};
        std::vector<int16_t> values = random.int16s(nn_values(conv.output), 2048);
        std::vector<int16_t> errors = random.int16s(nn_values(pool.output), 3000);
        std::vector<int16_t> expected(values.size());
        std::vector<int32_t> sums(values.size());
        nn_average_pool2d_back(&pool, errors.data(), sums.data(), expected.data());
        const auto count = static_cast<uint32_t>(values.size());
        if (conv.activation == NN_RELU) {
            nn_relu_back(values.data(), expected.data(), count);
        }
        nn_activation_back(static_cast<enum nn_activation>(conv.activation), 11, values.data(),
                           expected.data(), count);
        std::vector<struct nn_event> events(values.size() + 1, {0xffff, 0x5a5a});
        std::vector<uint16_t> counts(conv.output.channels);
        nn_average_pool_events(&conv, &pool, values.data(), errors.data(), events.data(),
                               counts.data());
        ASSERT_EQ(errors_of(conv, events, counts), expected) << i;
        ASSERT_EQ(events.back().error, 0x5a5a) << "written behind the events";
    }
}

} // namespace

/* The convolutions of inference that frame their input in place (framed.h): the same outputs and
 * the same counts as nn_conv2d(), which the tests of padding compare with a naive statement. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/backward.h"
#include "workloads/nn/framed.h"
}

#include <gtest/gtest.h>

namespace
{

uint16_t narrow(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

struct shape {
    uint32_t channels, height, width, maps, kernel, stride, padding;
};

struct result {
    std::vector<int16_t> values;
    uint32_t saturations, wrapped;
};

/* A layer with random numbers, in activations with its input's room at 0 and its output behind. */
class framed_layer
{
  public:
    framed_layer(random_source *random, const shape &of, int32_t most)
    {
        layer.kind = NN_CONV2D;
        layer.activation =
            static_cast<uint8_t>(random->between(0u, 1u) != 0 ? NN_RELU : NN_IDENTITY);
        layer.kernel = static_cast<uint8_t>(of.kernel);
        layer.stride = static_cast<uint8_t>(of.stride);
        layer.padding = static_cast<uint8_t>(of.padding);
        layer.weight_fraction = 13;
        layer.input_fraction = layer.output_fraction = 11;
        layer.input = {narrow(of.channels), narrow(of.height), narrow(of.width), 0};
        layer.output = {narrow(of.maps),
                        narrow((of.height + 2 * of.padding - of.kernel) / of.stride + 1),
                        narrow((of.width + 2 * of.padding - of.kernel) / of.stride + 1), 0};
        input = random->int16s(nn_values(layer.input), most);
        weights = random->int16s(size_t{of.maps} * of.channels * of.kernel * of.kernel, most);
        biases = random->int16s(of.maps, 3000);
        layer.to = (nn_input_values(&layer) * 2 + 3) & ~3u;
    }

    result plain() const
    {
        std::vector<int16_t> made(nn_values(layer.output));
        struct nn_numerics numerics = {};
        const struct nn_arguments arguments = {&layer,       weights.data(), biases.data(),
                                               input.data(), made.data(),    &numerics};
        nn_conv2d(&arguments);
        return {made, numerics.saturations, numerics.wrapped};
    }

    /* in_place: the input is where the frame will be; else elsewhere, and stays as it is. */
    result framed(bool in_place) const
    {
        enum { GUARD = 0x5a5a };
        const size_t frame = layer.to / 2;
        const size_t outputs = nn_values(layer.output);
        std::vector<int16_t> activations(frame + outputs + 2, GUARD);
        if (in_place) {
            std::copy(input.begin(), input.end(), activations.begin());
        }
        struct nn_numerics numerics = {};
        const int16_t *const from = in_place ? activations.data() : input.data();
        const struct nn_arguments arguments = {&layer, weights.data(),      biases.data(),
                                               from,   &activations[frame], &numerics};
        nn_conv2d_framed(&arguments);
        EXPECT_EQ(activations[frame + outputs], GUARD) << "nothing is written behind the output";
        return {{activations.begin() + static_cast<long>(frame),
                 activations.begin() + static_cast<long>(frame + outputs)},
                numerics.saturations,
                numerics.wrapped};
    }

    struct nn_layer layer = {};
    std::vector<int16_t> input, weights, biases;
};

void expect_same(const result &found, const result &expected, const std::string &what)
{
    EXPECT_EQ(found.values, expected.values) << what;
    EXPECT_EQ(found.saturations, expected.saturations) << what;
    EXPECT_EQ(found.wrapped != 0, expected.wrapped != 0) << what;
}

void expect_both(random_source *random, const shape &of, int32_t most)
{
    const framed_layer layer(random, of, most);
    const std::string what = std::to_string(of.channels) + " x " + std::to_string(of.height) +
                             " x " + std::to_string(of.width) + " to " + std::to_string(of.maps) +
                             ", window " + std::to_string(of.kernel) + ", stride " +
                             std::to_string(of.stride) + ", padding " + std::to_string(of.padding);
    const result expected = layer.plain();
    expect_same(layer.framed(true), expected, what);
    expect_same(layer.framed(false), expected, what + ", input elsewhere");
}

TEST(NnFramed, GivesTheBitsOfThePlainConvolution)
{
    random_source random(1);
    for (const uint32_t kernel : {1u, 2u, 3u, 5u}) {
        for (const uint32_t padding : {0u, 1u, 2u}) {
            for (const uint32_t stride : {1u, 2u, 3u}) {
                for (const uint32_t channels : {1u, 3u}) {
                    for (uint32_t width = 1; width < 12; width++) {
                        const uint32_t height = random.between(1u, 9u);
                        if (width + 2 * padding >= kernel && height + 2 * padding >= kernel) {
                            expect_both(&random,
                                        {channels, height, width, random.between(1u, 4u), kernel,
                                         stride, padding},
                                        3000);
                        }
                    }
                }
            }
        }
    }
}

/* Of large numbers some sums wrap and more outputs are cut: the same are noticed. */
TEST(NnFramed, NoticesTheSameWraps)
{
    random_source random(2);
    int wraps = 0;
    for (int i = 0; i < 300; i++) {
        const uint32_t kernel = i % 2 == 0 ? 3 : 5;
        const shape of = {
            random.between(1u, 3u), random.between(5u, 8u), random.between(5u, 9u), 1, kernel, 1,
            random.between(0u, 2u)};
        const framed_layer layer(&random, of, 20000);
        wraps += layer.plain().wrapped != 0;
        expect_both(&random, of, 20000);
    }
    EXPECT_GT(wraps, 20);
    EXPECT_LT(wraps, 280);
}

/* A part of a network may have no room for a frame: its input is then read where it is. */
TEST(NnFramed, GoesWithoutAFrameWhereThereIsNoRoom)
{
    random_source random(3);
    framed_layer layer(&random, {2, 6, 7, 3, 3, 1, 1}, 3000);
    const result expected = layer.plain();
    layer.layer.from = layer.layer.to;
    expect_same(layer.framed(false), expected, "no room");
}

TEST(NnFramed, FramesWhatGoesBeyondItsInputOrHasOddRows)
{
    random_source random(4);
    const struct {
        shape of;
        bool unusual, frames;
        uint32_t values;
    } cases[] = {{{8, 14, 14, 16, 5, 1, 2}, true, true, 8 * 18 * 18},
                 {{4, 12, 12, 12, 5, 1, 0}, false, false, 4 * 12 * 12},
                 {{32, 13, 13, 64, 3, 1, 0}, true, true, 32 * 13 * 14},
                 {{1, 28, 28, 32, 3, 1, 0}, true, false, 28 * 28},
                 {{2, 5, 6, 1, 5, 2, 0}, true, false, 2 * 5 * 6},
                 {{2, 5, 7, 1, 3, 1, 1}, true, true, 2 * 7 * 10}};
    for (const auto &c : cases) {
        const framed_layer layer(&random, c.of, 100);
        EXPECT_EQ(nn_is_unusual_convolution(&layer.layer), c.unusual);
        EXPECT_EQ(nn_needs_frame(&layer.layer), c.frames);
        EXPECT_EQ(nn_input_values(&layer.layer), c.values);
    }
    framed_layer last(&random, cases[0].of, 100);
    last.layer.is_last = 1;
    EXPECT_FALSE(nn_is_unusual_convolution(&last.layer));
}

/* The room of an input is that of its frame, in int16. */
TEST(NnFramed, TablesHaveRoomForFrames)
{
    const test_network network(
        "name: framed\nvariant: modern\ninput: {channels: 1, height: 9, width: 9}\nlayers:\n"
        "  - {name: a, type: conv2d, maps: 3, kernel: 3, padding: 1, activation: relu}\n"
        "  - {name: b, type: conv2d, maps: 2, kernel: 3, padding: 1, activation: relu}\n"
        "  - {name: c, type: dense, units: 10, activation: softmax}\n");
    /* the image with its frame 11 x 11, on words 11 x 12; between them 3 maps framed 11 x 12 */
    const uint32_t image = 2 * 11 * 12;
    const uint32_t second = 2 * 2 * 9 * 9;
    const uint32_t first = 2 * 3 * 11 * 12;
    EXPECT_EQ(network.table->activation_bytes, (image > second ? image : second) + first);
}

} // namespace

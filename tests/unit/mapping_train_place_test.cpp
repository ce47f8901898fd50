/* mapping_train_place_test.cpp - places in DTCM of a core that trains LeNet-1 alone, in both number
 * formats. */
#include "tests/unit/nn_fixture.h"

/* It has functions in C, which leave out members of what they initialise. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wmissing-braces"
extern "C" {
#include "sim/mapping/train_place.h"
}
#pragma GCC diagnostic pop

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

constexpr uint32_t FIRST_PLACES = 4 * 24 * 24, SECOND_PLACES = 12 * 8 * 8; /* before pooling */

/* Of 16 cores on a chip. */
struct nn_train_core core_of(uint32_t value_bytes)
{
    struct nn_train_core core = {};
    core.value_bytes = value_bytes;
    core.parameter_count = 3248;
    core.slice_count = 208;
    core.members = 1;
    core.at_once = 1;
    core.groups = 16;
    core.image_bytes = 792;
    core.rule.optimizer = NN_MOMENTUM;
    return core;
}

uint32_t on_8(uint32_t bytes)
{
    return (bytes + 7) & ~7u;
}

struct nn_train_memory placed(train_place *place, uint32_t value_bytes)
{
    const std::unique_ptr<test_network> network = lenet1();
    const struct nn_train_core core = core_of(value_bytes);
    const uint32_t bounds[] = {0, 576, 0, 192, 0, 10};
    struct nn_train_memory memory;
    struct train_piece piece = {};
    piece.table = network->table;
    piece.at_once = 1;
    place(&core, &piece, bounds, core.slice_count, nullptr, &memory);
    EXPECT_EQ(memory.stages, 3u);
    return memory;
}

TEST(TrainPlace, Int16HasRoomForValuesBeforePooling)
{
    const struct nn_train_memory at = placed(train_place_int16, 2);
    EXPECT_EQ(at.stage[0].choice, at.stage[0].output + on_8(2 * FIRST_PLACES));
    EXPECT_EQ(at.stage[1].choice, at.stage[1].output + on_8(2 * SECOND_PLACES));
    EXPECT_EQ(at.taken, at.stage[2].errors + on_8(10 * 2));
    EXPECT_EQ(at.counts, at.events + on_8(576 * 4));
}

/* They are done with when sums, events and the peers' gradients begin. */
TEST(TrainPlace, OfTheOtherFormatTheySharePlace)
{
    const struct nn_train_memory at = placed(train_place_s1615, 4);
    EXPECT_EQ(at.stage[0].output, at.taken);
    EXPECT_EQ(at.stage[1].output, at.taken);
    EXPECT_EQ(at.stage[0].choice, at.stage[0].errors + on_8(4 * 576));
    EXPECT_EQ(at.taken, at.stage[2].errors + on_8(10 * 4));
    EXPECT_EQ(at.sums, at.taken + 4 * 3 * 208) << "three peers' slices at a time";
    EXPECT_EQ(at.counts, std::max(at.taken + on_8(4 * FIRST_PLACES), at.events + on_8(576 * 8)));
}

/* The convolutional network of Keras' examples on the 16 cores of a chip of 48: what is taken of
 * other members lies in the sums, beside the core's own, and all fits. */
TEST(TrainPlace, LargeNetworksTakeFromOthersWhereSumsAre)
{
    const test_network network(
        "name: keras\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\nlayers:\n"
        "  - {name: conv1, type: conv2d, maps: 32, kernel: 3, activation: relu}\n"
        "  - {name: pool1, type: max_pool2d, size: 2}\n"
        "  - {name: conv2, type: conv2d, maps: 64, kernel: 3, activation: relu}\n"
        "  - {name: pool2, type: max_pool2d, size: 2}\n"
        "  - {name: output, type: dense, units: 10, activation: softmax}\n");
    const struct train_sharing sharing = {16, 1, false, 1, false};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    ASSERT_TRUE(train_piece_is_large(network.table));
    EXPECT_FALSE(train_piece_is_large(lenet1()->table));
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, nullptr), STATUS_OK);
    for (uint32_t member = 0; member < 16; member++) {
        struct train_piece piece;
        struct nn_train_memory at;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, member, &piece, nullptr),
                  STATUS_OK);
        struct nn_train_core core = core_of(2);
        core.parameter_count = piece.count;
        core.slice_count = piece.count;
        core.chips = 48;
        core.members = 16;
        core.member = member;
        core.groups = 1;
        train_place_int16(&core, &piece, bounds, piece.count / 48 + 1, nullptr, &at);
        const uint32_t own = at.sums + member * 338 * 4;
        const uint32_t taken_end = at.taken + 3 * 338 * 4;
        EXPECT_EQ(at.taken, at.sums + (member < 4 ? (member + 1) * 338 : 100) * 4) << member;
        EXPECT_TRUE(taken_end <= own || at.taken >= own + 338 * 4) << member;
        EXPECT_LE(taken_end, at.events);
        EXPECT_EQ(at.events, at.sums + on_8(5408 * 4));
        EXPECT_EQ(at.stage[0].output, at.sums) << "before pooling, no sums are needed";
        EXPECT_EQ(at.stage[1].output, at.sums);
        EXPECT_LE(at.total, 65536u - 4992 - 3784);
        train_piece_deinit(&piece);
    }
    free(bounds);
}

/* LeNet-5 on the 17 cores of one chip, each of which has the states of all that it updates. */
TEST(TrainPlace, TightPiecesShareThePlacesOfOtherNetworks)
{
    const test_network network(
        "name: lenet5\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\nlayers:\n"
        "  - {name: conv1, type: conv2d, maps: 6, kernel: 5, padding: 2, activation: relu}\n"
        "  - {name: pool1, type: max_pool2d, size: 2}\n"
        "  - {name: conv2, type: conv2d, maps: 16, kernel: 5, activation: relu}\n"
        "  - {name: pool2, type: max_pool2d, size: 2}\n"
        "  - {name: hidden1, type: dense, units: 120, activation: relu}\n"
        "  - {name: hidden2, type: dense, units: 84, activation: relu}\n"
        "  - {name: output, type: dense, units: 10, activation: softmax}\n");
    const struct train_sharing sharing = {17, 1, false, 17, false};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    ASSERT_FALSE(train_piece_is_large(network.table));
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, nullptr), STATUS_OK);
    for (uint32_t member = 0; member < 17; member++) {
        struct train_piece piece;
        struct nn_train_memory roomy, at;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, member, &piece, nullptr),
                  STATUS_OK);
        struct nn_train_core core = core_of(2);
        core.parameter_count = piece.count;
        core.slice_count = piece.count;
        core.chips = 1;
        core.members = 17;
        core.member = member;
        core.groups = 1;
        EXPECT_FALSE(piece.tight);
        train_place_int16(&core, &piece, bounds, piece.count, nullptr, &roomy);
        piece.tight = true;
        train_place_int16(&core, &piece, bounds, piece.count, nullptr, &at);
        const uint32_t first = bounds[member]; /* conv1's values: its own part of conv2's sums */
        const uint32_t count = bounds[member + 1] - first;
        const uint32_t own = at.sums + 4 * first;
        const uint32_t taken_end = at.taken + 4 * 3 * count;
        EXPECT_TRUE(taken_end <= own || at.taken >= own + 4 * count) << member;
        EXPECT_EQ(at.stage[0].errors, at.taken);
        EXPECT_EQ(at.stage[1].errors, at.taken);
        EXPECT_EQ(at.stage[0].output, std::min(at.sums, at.taken)) << "before pooling";
        EXPECT_EQ(at.events, at.sums + on_8(1176 * 4)) << "nothing sticks out of the sums";
        EXPECT_LT(at.total + 4 * 16 * count, roomy.total) << "at least what 16 others give";
        EXPECT_LE(at.total, 65536u - 4992 - 3784);
        train_piece_deinit(&piece);
    }
    free(bounds);
}

/* Singles, without a table of exponentials: as the other format. */
TEST(TrainPlace, SinglesNeedNoTable)
{
    const struct nn_train_memory s1615 = placed(train_place_s1615, 4);
    const struct nn_train_memory at = placed(train_place_float32, 4);
    EXPECT_EQ(at.exp_table, s1615.exp_table);
    EXPECT_EQ(at.record, at.exp_table);
    EXPECT_EQ(at.total, s1615.total - on_8(4 * (NN_EXP_STEPS + 1)));
}

/* FC-300-100 on 48 chips, 12 images a core: gradients are summed where values and errors have been,
 * and there is no room for all of them. */
TEST(TrainPlace, BlocksSumGradientsWhereValuesHaveBeen)
{
    struct nn_train_core core = core_of(2);
    struct nn_block_plan plan = {};
    core.parameter_count = 8120;
    core.weights_end = 8088;
    core.slice_count = 504;
    core.slice_first = 1008;
    core.pixels = 784;
    plan.images = 12;
    plan.chips = 48;
    plan.layers = 3;
    plan.layer[0] = {300, 0, 7, 7, 0};
    plan.layer[1] = {100, 0, 3, 3, 0};
    plan.layer[2] = {10, 0, 10, 0, 0};
    const std::unique_ptr<test_network> network = lenet1();
    struct train_piece piece = {};
    piece.table = network->table;
    struct nn_train_memory at;
    train_place_int16(&core, &piece, nullptr, core.slice_count, &plan, &at);
    EXPECT_EQ(at.sums_begin, on_8(8120 * 2));
    EXPECT_EQ(at.gradients + 1008 * 4, at.sums_begin) << "of the piece's first";
    EXPECT_EQ(at.sums_words, 504u);
    EXPECT_EQ(plan.at.buffer[0], plan.at.ring);
    EXPECT_EQ(at.taken, plan.at.ring);
    EXPECT_EQ(plan.at.values, plan.at.ring + 2 * 4096) << "the ring has 7,296 bytes";
    EXPECT_EQ(plan.at.hidden[0], plan.at.values);
    EXPECT_EQ(plan.at.all[1], plan.at.hidden[1] + 12 * 100 * 2);
    EXPECT_EQ(at.total, plan.at.all[1] + 12 * 100 * 2);
    EXPECT_EQ(nn_block_pixel_columns(&plan, 784), 144u) << "1,024 sums of 7 rows";
}

} // namespace

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
    place(&core, &piece, bounds, core.slice_count, &memory);
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

/* The same, without a table of exponentials. */
TEST(TrainPlace, SinglesNeedNoTable)
{
    const struct nn_train_memory s1615 = placed(train_place_s1615, 4);
    const struct nn_train_memory at = placed(train_place_float32, 4);
    EXPECT_EQ(at.exp_table, s1615.exp_table);
    EXPECT_EQ(at.record, at.exp_table);
    EXPECT_EQ(at.total, s1615.total - on_8(4 * (NN_EXP_STEPS + 1)));
}

} // namespace

/* mapping_train_piece_test.cpp - the block of a network of dense layers that a chip has: rows and
 * columns of its units' weights. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/mapping/train_piece.h"
}

#include <gtest/gtest.h>

namespace
{

std::string dense(const char *name, unsigned units, const char *activation)
{
    return "  - {name: " + std::string(name) + ", type: dense, units: " + std::to_string(units) +
           ", activation: " + activation + "}\n";
}

/* 12 - 5 - 7 - 10, over two chips: units 0, 1 of the first layer on the first chip. */
TEST(TrainPiece, BlocksHaveRowsOfTheirUnitsAndColumnsToThem)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 3, width: 4}\n"
                               "layers:\n" +
                               dense("a", 5, "relu") + dense("b", 7, "relu") +
                               dense("c", 10, "softmax"));
    const struct nn_layer *whole = network.table->layer;
    const struct train_sharing sharing = {2, 1, true, 1};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic), STATUS_OK);
    for (uint32_t chip = 0; chip < 2; chip++) {
        const uint32_t units = chip == 0 ? 2 : 3; /* of the first layer */
        const uint32_t first = chip == 0 ? 0 : 2;
        const uint32_t rows = chip == 0 ? 3 : 4; /* of the second */
        const uint32_t first_row = chip == 0 ? 0 : 3;
        struct train_piece piece;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, chip, &piece, &diagnostic),
                  STATUS_OK);
        const struct nn_layer *own = piece.table->layer;
        EXPECT_EQ(own[0].output.channels, units);
        EXPECT_EQ(own[1].output.channels, rows);
        EXPECT_EQ(own[1].input.channels, 5u);
        EXPECT_EQ(own[2].output.channels, 10u);
        EXPECT_EQ(own[2].input.channels, 7u);
        EXPECT_EQ(piece.columns[0], 0u);
        EXPECT_EQ(piece.columns[2], 0u);
        EXPECT_EQ(piece.columns[1] % 2, 0u);
        EXPECT_EQ(piece.columns[1], own[2].weights / 2 + 70) << "behind all rows";
        EXPECT_EQ(piece.weights_end, piece.columns[1] + (units * 7 + 1) / 2 * 2);
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t i = 0; i < 5; i++) {
                EXPECT_EQ(piece.origin[own[1].weights / 2 + r * 5 + i],
                          whole[1].weights / 2 + (first_row + r) * 5 + i);
            }
        }
        for (uint32_t i = 0; i < units; i++) {
            for (uint32_t o = 0; o < 7; o++) {
                EXPECT_EQ(piece.origin[piece.columns[1] + i * 7 + o],
                          whole[1].weights / 2 + o * 5 + first + i);
            }
        }
        train_piece_deinit(&piece);
    }
    free(bounds);
}

} // namespace

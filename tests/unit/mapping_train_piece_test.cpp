/* mapping_train_piece_test.cpp - the pieces of a network: rows and columns of a chip's units in
 * blocks; units by ring, bands of rows and twins in groups. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/mapping/train_piece.h"
}

#include <gtest/gtest.h>
#include <map>

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
    const struct train_sharing sharing = {2, 1, true, 1, false};
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

/* A chip's units of the hidden layers of 12 - 5 - 7 - 10 over two chips. */
const struct chip_units {
    uint32_t first[2], count[2];
} CHIPS[] = {{{0, 0}, {2, 3}}, {{2, 3}, {3, 4}}};

/* Columns of layer k: weights [own unit of the layer before][unit]. */
void expect_columns(const struct train_piece &piece, const struct nn_layer *whole,
                    const struct chip_units &own, uint32_t k)
{
    const uint32_t inputs = whole[k].input.channels;
    const uint32_t outputs = whole[k].output.channels;
    for (uint32_t i = 0; i < own.count[k - 1] * outputs; i++) {
        EXPECT_EQ(piece.origin[piece.columns[k] + i],
                  whole[k].weights / 2 + i % outputs * inputs + own.first[k - 1] + i / outputs);
    }
}

/* The same network in columns: rows of the first layer only, behind them columns of both others,
 * each weight once, then the biases: those of the last layer on both chips. */
TEST(TrainPiece, ColumnsHaveEachWeightOnce)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 3, width: 4}\n"
                               "layers:\n" +
                               dense("a", 5, "relu") + dense("b", 7, "relu") +
                               dense("c", 10, "softmax"));
    const struct nn_layer *whole = network.table->layer;
    const struct train_sharing sharing = {2, 1, true, 1, true};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    struct diagnostic diagnostic = {};
    std::map<uint32_t, unsigned> copies; /* by place in the whole network's block */
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic), STATUS_OK);
    for (uint32_t chip = 0; chip < 2; chip++) {
        const struct chip_units &own = CHIPS[chip];
        struct train_piece piece;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, chip, &piece, &diagnostic),
                  STATUS_OK);
        EXPECT_TRUE(piece.in_columns);
        EXPECT_EQ(piece.columns[0], 0u);
        EXPECT_EQ(piece.columns[1], own.count[0] * 12);
        EXPECT_EQ(piece.columns[2], own.count[0] * 12 + (own.count[0] * 7 + 1) / 2 * 2);
        EXPECT_EQ(piece.weights_end, piece.columns[2] + own.count[1] * 10);
        expect_columns(piece, whole, own, 1);
        expect_columns(piece, whole, own, 2);
        for (uint32_t i = 0; i < piece.count; i++) {
            copies[piece.origin[i]]++;
        }
        train_piece_deinit(&piece);
    }
    copies.erase(TRAIN_PIECE_FILLER);
    EXPECT_EQ(copies.size(), 5u * 12 + 7 * 5 + 10 * 7 + 5 + 7 + 10);
    for (const auto &[place, count] : copies) {
        const uint32_t bias = place - whole[2].biases / 2;
        EXPECT_EQ(count, bias < 10 ? 2u : 1u) << place;
    }
    free(bounds);
}

/* 16 members on three rings are 6, 5 and 5: units are divided by ring, not by member. */
TEST(TrainPiece, RingsCarryAsManyUnits)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 4, width: 4}\n"
                               "layers:\n" +
                               dense("a", 120, "relu") + dense("b", 10, "softmax"));
    for (const uint32_t rings : {1u, 3u}) {
        const struct train_sharing sharing = {16, 1, false, rings, false};
        uint32_t *bounds = nullptr;
        uint32_t stages = 0;
        struct diagnostic diagnostic = {};
        ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic),
                  STATUS_OK);
        uint32_t units[3] = {};
        for (uint32_t m = 0; m < 16; m++) {
            units[m % 3] += bounds[m + 1] - bounds[m];
        }
        EXPECT_NEAR(units[0], rings == 3 ? 40 : 45, 1);
        EXPECT_NEAR(units[1], rings == 3 ? 40 : 37.5, 1);
        EXPECT_NEAR(units[2], rings == 3 ? 40 : 37.5, 1);
        EXPECT_EQ(units[0] + units[1] + units[2], 120u);
        free(bounds);
    }
}

/* Two maps of 6 x 6 places, pooled to three rows, for five members: three bands of the first map's
 * rows, two of the second's; members with bands of one map are twins. */
TEST(TrainPiece, MembersShareAMapByRows)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 1, height: 8, width: 8}\n"
                               "layers:\n"
                               "  - {name: c, type: conv2d, maps: 2, kernel: 3, activation: relu}\n"
                               "  - {name: p, type: max_pool2d, size: 2}\n" +
                               dense("out", 10, "softmax"));
    const struct train_sharing sharing = {5, 1, false, 1, false};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic), STATUS_OK);
    const uint32_t expected[] = {0, 3, 6, 9, 12, 18};
    const uint32_t rows[] = {1, 1, 1, 1, 2}, first_row[] = {0, 1, 2, 0, 1};
    /* Members 0 to 3 have 30 weights of the last layer, member 4 has 60. */
    const uint32_t first[] = {0, 4, 8, 0, 12}, count[] = {4, 4, 4, 12, 0};
    const uint32_t last_first[] = {0, 4, 8, 10, 10}, last_count[] = {4, 4, 2, 0, 0};
    for (uint32_t m = 0; m < 5; m++) {
        EXPECT_EQ(bounds[m], expected[m]);
        struct train_piece piece;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, m, &piece, &diagnostic),
                  STATUS_OK);
        EXPECT_EQ(piece.table->layer[0].output.channels, 1u);
        EXPECT_EQ(piece.table->layer[0].output.height, 2 * rows[m]) << m;
        EXPECT_EQ(piece.table->layer[1].output.height, rows[m]) << m;
        EXPECT_EQ(piece.part[0].skipped, first_row[m] * 2 * 8) << m;
        EXPECT_EQ(piece.part[0].twins, m < 3 ? 0x07u : 0x18u) << m;
        EXPECT_EQ(piece.part[0].added, m < 3 ? 0x07u : m == 3 ? 0x18u : 0u) << m;
        EXPECT_EQ(piece.part[0].block, 0u);
        EXPECT_EQ(piece.part[0].weights, 10u) << "nine and padding";
        EXPECT_EQ(piece.part[0].words, 12u) << "a bias and padding";
        EXPECT_EQ(piece.part[0].first, first[m]) << m;
        EXPECT_EQ(piece.part[0].count, count[m]) << m;
        EXPECT_EQ(piece.part[1].added, m < 3 ? 1u << m : 0u) << "all have the last layer's sums";
        EXPECT_EQ(piece.part[1].twins, 0x1fu);
        EXPECT_EQ(piece.part[1].block, 12u);
        EXPECT_EQ(piece.part[1].weights, 0u);
        EXPECT_EQ(piece.part[1].words, 10u);
        EXPECT_EQ(piece.part[1].first, last_first[m]) << m;
        EXPECT_EQ(piece.part[1].count, last_count[m]) << m;
        EXPECT_EQ(piece.shared, 22u);
        EXPECT_EQ(piece.first, 22u - nn_train_share_weights(&piece.part[0]));
        EXPECT_EQ((piece.count - piece.first) % TRAIN_PIECE_BLOCK, 0u);
        EXPECT_EQ(piece.table->layer[0].biases, 2 * 10u);
        EXPECT_EQ(piece.table->layer[2].biases, 2 * 12u);
        for (uint32_t i = 0; i < piece.part[0].count; i++) {
            const uint32_t weights = nn_train_share_weights(&piece.part[0]);
            const uint32_t at = i < weights ? piece.part[0].own_weights + i
                                            : piece.part[0].own_biases + i - weights;
            EXPECT_EQ(piece.owned_origin[at - piece.first], piece.origin[first[m] + i]);
            EXPECT_EQ(at < piece.weights_end, i < weights);
        }
        train_piece_deinit(&piece);
    }
    EXPECT_EQ(bounds[5], 18u);
    free(bounds);
}

} // namespace

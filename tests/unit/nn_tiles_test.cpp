/* The loops of tiles_host.c, with vectors, against those of tiles.c, one product after the other:
 * the same bits, and the same notice of a wrap. tiles.c is compiled with other names
 * (CMakeLists.txt). */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "workloads/nn/tiles.h"

void plain_dot_rows(const int16_t *rows, uint32_t row_bytes, const int16_t *x, uint32_t fours,
                    struct nn_sum *sums, uint32_t count);
void plain_tile_two(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end);
void plain_tile_one(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end,
                    uint32_t odd);
int32_t plain_tile_gradient(const struct nn_tile_events *events, const int16_t *input,
                            int32_t *gradient);
void plain_tile_input_sums(const struct nn_tile_events *events, const int16_t *weights,
                           int32_t *sums);
}

#include <gtest/gtest.h>

namespace
{

/* Magnitudes from those of trained networks to the ends of 16 bits, where sums wrap. */
const int16_t MAGNITUDES[] = {100, 2000, 8000, 20000, INT16_MAX};

/* Also the value that has no opposite. */
std::vector<int16_t> values_of(random_source *random, size_t count, int16_t magnitude)
{
    std::vector<int16_t> values = random->int16s(count, magnitude);
    for (size_t i = 0; magnitude == INT16_MAX && i < count; i += 7) {
        values[i] = INT16_MIN;
    }
    return values;
}

std::vector<int32_t> words_of(random_source *random, size_t count)
{
    std::vector<int32_t> words;
    for (const int16_t value : random->int16s(count, INT16_MAX)) {
        words.push_back(static_cast<int32_t>(static_cast<uint32_t>(value) * 0x8003u));
    }
    return words;
}

/* ---- sums that notice a wrap ---- */

/* Compares both for a starting value; returns how many sums have wrapped. */
uint32_t compare_dots(random_source *random, uint32_t fours, uint32_t count, int16_t magnitude,
                      int32_t start)
{
    const size_t values = fours * NN_TILE_FOUR;
    const std::vector<int16_t> rows = values_of(random, values * count, magnitude);
    const std::vector<int16_t> x = values_of(random, values, magnitude);
    struct nn_sum ours[NN_TILE_ROWS];
    struct nn_sum plain[NN_TILE_ROWS];
    for (uint32_t r = 0; r < count; r++) {
        ours[r] = plain[r] = nn_sum_from(start);
    }
    const auto row_bytes = static_cast<uint32_t>(values * sizeof(int16_t));
    nn_dot_rows(rows.data(), row_bytes, x.data(), fours, ours, count);
    plain_dot_rows(rows.data(), row_bytes, x.data(), fours, plain, count);
    uint32_t wrapped = 0;
    for (uint32_t r = 0; r < count; r++) {
        EXPECT_EQ(ours[r].value, plain[r].value);
        EXPECT_EQ(ours[r].wrapped, plain[r].wrapped);
        wrapped += plain[r].wrapped;
    }
    return wrapped;
}

TEST(NnTiles, DotProductsNoticeTheSameWraps)
{
    random_source random(1);
    uint32_t wrapped = 0;
    uint32_t tried = 0;
    for (const int16_t magnitude : MAGNITUDES) {
        for (const uint32_t fours : {1u, 2u, 3u, 7u, 50u, 196u}) {
            for (const int32_t start : {0, -70000, INT32_MAX - 1000000, INT32_MIN}) {
                const uint32_t count = 1 + tried % NN_TILE_ROWS;
                wrapped += compare_dots(&random, fours, count, magnitude, start);
                tried += count;
            }
        }
    }
    EXPECT_GT(wrapped, tried / 10);
    EXPECT_LT(wrapped, tried / 2);
}

/* 4 x 16,384^2 = 2^30: from 2^30 - 1 the sum just has room, from 2^30 it wraps; on its way it
 * wraps where the products' total does not. */
TEST(NnTiles, DotProductsWrapAtTheLastValue)
{
    const std::vector<int16_t> x(NN_TILE_FOUR, 1 << 14);
    struct nn_sum sum = nn_sum_from((1 << 30) - 1);
    nn_dot_rows(x.data(), 8, x.data(), 1, &sum, 1);
    EXPECT_EQ(sum.value, INT32_MAX);
    EXPECT_EQ(sum.wrapped, 0u);
    sum = nn_sum_from(1 << 30);
    nn_dot_rows(x.data(), 8, x.data(), 1, &sum, 1);
    EXPECT_EQ(sum.value, INT32_MIN);
    EXPECT_EQ(sum.wrapped, 1u);
    const std::vector<int16_t> row = {1 << 14, -(1 << 14), 0, 0};
    sum = nn_sum_from(INT32_MAX);
    nn_dot_rows(row.data(), 8, x.data(), 1, &sum, 1);
    EXPECT_EQ(sum.value, INT32_MAX);
    EXPECT_EQ(sum.wrapped, 1u);
}

/* ---- sums that wrap without notice ---- */

/* Words of coefficients, some of them 0 as behind ReLU. */
std::vector<uint32_t> coefficients_of(random_source *random, uint32_t count, int16_t magnitude)
{
    const std::vector<int16_t> halves = values_of(random, 2 * count, magnitude);
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lower = i % 5 < 3 ? static_cast<uint16_t>(halves[2 * i]) : 0;
        const uint32_t upper = i % 5 > 1 ? static_cast<uint16_t>(halves[2 * i + 1]) : 0;
        words.push_back(i % 5 == 4 ? 0 : lower | upper << 16);
    }
    return words;
}

TEST(NnTiles, RowsAddTheSameSums)
{
    random_source random(3);
    for (const int16_t magnitude : MAGNITUDES) {
        for (const uint32_t blocks : {1u, 2u, 3u, 98u}) {
            for (const uint32_t count : {1u, 2u, 5u, 12u}) {
                const uint32_t values = blocks * NN_TILE_EIGHT;
                const std::vector<int16_t> rows = values_of(&random, 2 * count * values, magnitude);
                const std::vector<uint32_t> words = coefficients_of(&random, count, magnitude);
                const std::vector<int32_t> start = words_of(&random, 2 * values);
                struct nn_tile tile = {.sums = nullptr,
                                       .sum_bytes = values * 4,
                                       .rows = rows.data(),
                                       .row_bytes = values * 2,
                                       .blocks = blocks};
                for (const uint32_t odd : {0u, 1u}) {
                    std::vector<int32_t> ours = start;
                    std::vector<int32_t> plain = start;
                    tile.sums = ours.data();
                    nn_tile_one(&tile, words.data(), words.data() + count, odd);
                    tile.sums = plain.data();
                    plain_tile_one(&tile, words.data(), words.data() + count, odd);
                    EXPECT_EQ(ours, plain) << magnitude << " " << blocks << " " << count;
                }
                std::vector<int32_t> ours = start;
                std::vector<int32_t> plain = start;
                tile.blocks = 2 * blocks - 1; /* of four */
                tile.sums = ours.data();
                nn_tile_two(&tile, words.data(), words.data() + count);
                tile.sums = plain.data();
                plain_tile_two(&tile, words.data(), words.data() + count);
                EXPECT_EQ(ours, plain) << magnitude << " " << blocks << " " << count;
            }
        }
    }
}

TEST(NnTiles, EventsAddTheSameSums)
{
    enum { CHANNELS = 3, WIDTH = 12, HEIGHT = 9, AREA = WIDTH * HEIGHT };
    random_source random(4);
    for (const int16_t magnitude : MAGNITUDES) {
        const std::vector<int16_t> input = values_of(&random, CHANNELS * AREA, magnitude);
        const std::vector<int16_t> errors = values_of(&random, 40, magnitude);
        std::vector<struct nn_event> events;
        for (uint32_t y = 0; y < 5; y++) {
            for (uint32_t x = 0; x < 8; x++) {
                events.push_back({static_cast<uint16_t>(y * WIDTH + x), errors[8 * y + x]});
            }
        }
        struct nn_tile_events tile = {events.data(), events.data(), events.data() + events.size(),
                                      CHANNELS,      WIDTH * 2,     AREA * 2};
        const std::vector<int32_t> start = words_of(&random, CHANNELS * AREA);
        std::vector<int32_t> ours = start;
        std::vector<int32_t> plain = start;
        EXPECT_EQ(nn_tile_gradient(&tile, input.data(), ours.data()),
                  plain_tile_gradient(&tile, input.data(), plain.data()));
        EXPECT_EQ(ours, plain);
        tile.row_bytes = WIDTH * 4;
        tile.map_bytes = AREA * 4;
        ours = plain = start;
        nn_tile_input_sums(&tile, input.data(), ours.data());
        plain_tile_input_sums(&tile, input.data(), plain.data());
        EXPECT_EQ(ours, plain);
    }
}

} /* namespace */

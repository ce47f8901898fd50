/* tiles.h - the innermost loops of the int16 kernels: tiles.c in portable C, tiles_arm968.S by hand
 * for the ARM968, which holds a tile's sums in registers, tiles_host.c with vectors for the
 * computer that simulates.  All give the same bits, and notice a wrap as if each sum's products
 * were added in the same order. All pointers are aligned to 4 bytes, strides are in bytes and
 * multiples of 4. */
#pragma once
#include "backward.h"
NN_LINKAGE_BEGIN

/* Outputs of nn_dot_rows(), coefficients of one call, their words, and the sums of their blocks. */
enum {
    NN_TILE_ROWS = 4,
    NN_TILE_IMAGES = 16,
    NN_TILE_COEFFICIENTS = 32,
    NN_TILE_WORDS = 16,
    NN_TILE_FOUR = 4,
    NN_TILE_EIGHT = 8
};

/* sums[r] += row r . x, of 1 to 4 rows and fours x 4 values, more than 0. */
void nn_dot_rows(const int16_t *rows, uint32_t row_bytes, const int16_t *x, uint32_t fours,
                 struct nn_sum *sums, uint32_t count);

/* Blocks of neighbouring sums += coefficient x value, for each row of values. */
struct nn_tile {
    int32_t *sums;
    uint32_t sum_bytes; /* from one row of sums to the next */
    const int16_t *rows;
    uint32_t row_bytes;
    uint32_t blocks; /* more than 0 */
};

/* Coefficients for a tile.  The ARM968 needs no counter: they end where the address is a multiple
 * of 64. */
struct nn_tile_words {
    uint32_t space[2 * NN_TILE_WORDS];
};

static inline uint32_t *nn_tile_words_end(struct nn_tile_words *words)
{
    const uintptr_t mask = sizeof(uint32_t) * NN_TILE_WORDS - 1;
    uint32_t *const last = words->space + NN_TILE_WORDS;
    return last + ((-(uintptr_t)last & mask) / sizeof(uint32_t));
}

/* Two rows of sums, four of each in a block.  words .. end: for each row of values the coefficient
 * of the first row of sums in the lower half, that of the second in the upper. */
void nn_tile_two(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end);

/* One row of sums, eight in a block.  words .. end: for each two rows of values the first one's
 * coefficient in the lower half, the second one's in the upper; odd: the first word is that of one
 * row, in the upper half. */
void nn_tile_one(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end,
                 uint32_t odd);

/* Events of one output map, windows of 5 x 5, input rows from word to word: even .. odd at even
 * places, odd .. end at odd ones.  NN_TILE_SIDE sums or weights in a row, 5 rows for each channel.
 */
enum { NN_TILE_SIDE = 5 };
struct nn_tile_events {
    const struct nn_event *even, *odd, *end;
    uint32_t channels, row_bytes, map_bytes; /* of the input, or of the sums that go back */
};

/* gradient[channel][row][column] += error x value of the event's window; returns the sum of the
 * errors.  There is an event. */
int32_t nn_tile_gradient(const struct nn_tile_events *events, const int16_t *input,
                         int32_t *gradient);

/* Sums of the event's window += error x weight; their order does not matter.  There is one. */
void nn_tile_input_sums(const struct nn_tile_events *events, const int16_t *weights, int32_t *sums);

NN_LINKAGE_END

/* tiles_host.c - the loops of tiles.h for the computer that simulates: the same bits as tiles.c,
 * with vectors of eight values.
 *
 * A sum of products is the same in any order, modulo 2^32.  Whether a partial sum has wrapped does
 * depend on the order, so vectors add only where a bound on the products' magnitudes rules it out;
 * elsewhere the products are added one by one, as the ARM968 does.  Sums of gradients and errors
 * wrap without notice: any order will do. */
#include "tiles.h"

#include "vectors_host.h"

#include <stddef.h>

enum { ROOM = INT32_MAX };

static inline uint32_t total(uint32x4 sums)
{
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static const int16_t *row_after(const int16_t *row, uint32_t bytes)
{
    return (const int16_t *)(const void *)((const uint8_t *)row + bytes);
}

static int32_t *sums_after(int32_t *sums, uint32_t bytes)
{
    return (int32_t *)(void *)((uint8_t *)sums + bytes);
}

static uint32_t magnitude(int32_t value)
{
    return value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
}

/* ---- sums that notice a wrap ---- */

/* A row's products with x, and not less than the sum of the row's squares. */
struct dot {
    uint32_t sum;
    double squares;
};

static inline struct dot dot_of(const int16_t *row, const int16_t *x, size_t count)
{
    enum { SHIFT = 14 }; /* so that a sum of rounded squares has room */
    uint32x4 sums = {0};
    uint32x4 squares = {0};
    const size_t vectors = count / VALUES * VALUES;
    for (size_t i = 0; i < vectors; i += VALUES) {
        const int16x8 values = load(row + i);
        sums += products(values, load(x + i));
        squares += (products(values, values) >> SHIFT) + 1;
    }
    struct dot dot = {total(sums), 0};
    for (size_t s = 0; s < SUMS; s++) {
        dot.squares += (double)squares[s] * (1 << SHIFT);
    }
    for (size_t i = vectors; i < count; i++) {
        dot.sum += (uint32_t)((int32_t)row[i] * x[i]);
        dot.squares += (double)row[i] * row[i];
    }
    return dot;
}

void nn_dot_rows(const int16_t *rows, uint32_t row_bytes, const int16_t *x, uint32_t fours,
                 struct nn_sum *sums, uint32_t count)
{
    const size_t values = (size_t)fours * NN_TILE_FOUR;
    const double squares = dot_of(x, x, values).squares;
    for (uint32_t r = 0; r < count; r++, rows = row_after(rows, row_bytes)) {
        const struct dot dot = dot_of(rows, x, values);
        const double room = (double)ROOM - magnitude(sums[r].value);
        /* The products' magnitudes add up to no more than the root of this (Cauchy, Schwarz). */
        if (dot.squares * squares < room * room) {
            sums[r].value = (int32_t)((uint32_t)sums[r].value + dot.sum);
            continue;
        }
        for (size_t i = 0; i < values; i++) {
            sums[r] = nn_mac(sums[r], rows[i], x[i]);
        }
    }
}

/* ---- sums that wrap without notice ---- */

/* sums[i] += the coefficients' first x first[i] + their second x second[i]. */
static void add_rows(int32_t *sums, int16x8 coefficients, const int16_t *first,
                     const int16_t *second, size_t count)
{
    size_t i = 0;
    for (; i + VALUES <= count; i += VALUES) {
        const int16x8 a = load(first + i);
        const int16x8 b = load(second + i);
        uint32x4 at[2];
        memcpy(at, sums + i, sizeof at);
        at[0] += products(coefficients, __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
        at[1] += products(coefficients, __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
        memcpy(sums + i, at, sizeof at);
    }
    for (; i < count; i++) {
        sums[i] = nn_wrapping_mac(sums[i], coefficients[0], first[i]);
        sums[i] = nn_wrapping_mac(sums[i], coefficients[1], second[i]);
    }
}

static int16_t lower(uint32_t word)
{
    return (int16_t)(uint16_t)word;
}

static int16_t upper(uint32_t word)
{
    return (int16_t)(uint16_t)(word >> 16);
}

/* Rows of values whose coefficients are all 0 add nothing; behind ReLU every second is one. */
static void add_pair(int32_t *sums, int16_t c, const int16_t *first, int16_t d,
                     const int16_t *second, size_t count)
{
    if (c != 0 || d != 0) {
        add_rows(sums, pair(c, d), first, second, count);
    }
}

void nn_tile_two(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end)
{
    const size_t count = (size_t)tile->blocks * NN_TILE_FOUR;
    int32_t *const other = sums_after(tile->sums, tile->sum_bytes);
    const int16_t *row = tile->rows;
    for (; end - words >= 2; words += 2) {
        const int16_t *const next = row_after(row, tile->row_bytes);
        add_pair(tile->sums, lower(words[0]), row, lower(words[1]), next, count);
        add_pair(other, upper(words[0]), row, upper(words[1]), next, count);
        row = row_after(next, tile->row_bytes);
    }
    if (words != end) {
        add_pair(tile->sums, lower(*words), row, 0, row, count);
        add_pair(other, upper(*words), row, 0, row, count);
    }
}

void nn_tile_one(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end,
                 uint32_t odd)
{
    const size_t count = (size_t)tile->blocks * NN_TILE_EIGHT;
    const int16_t *row = tile->rows;
    for (; words != end; words++, odd = 0) {
        const int16_t *const next = odd ? row : row_after(row, tile->row_bytes);
        add_pair(tile->sums, odd ? 0 : lower(*words), row, upper(*words), next, count);
        row = row_after(next, tile->row_bytes);
    }
}

int32_t nn_tile_gradient(const struct nn_tile_events *events, const int16_t *input,
                         int32_t *gradient)
{
    int32_t errors = 0;
    for (const struct nn_event *event = events->even; event != events->end; event++) {
        errors = nn_wrapping_add(errors, event->error);
    }
    for (uint32_t c = 0; c < events->channels; c++, input = row_after(input, events->map_bytes)) {
        const int16_t *line = input;
        for (uint32_t r = 0; r < NN_TILE_SIDE; r++, line = row_after(line, events->row_bytes)) {
            int32_t sums[NN_TILE_SIDE];
            memcpy(sums, gradient, sizeof sums);
            for (const struct nn_event *event = events->even; event != events->end; event++) {
                for (size_t i = 0; i < NN_TILE_SIDE; i++) {
                    sums[i] = nn_wrapping_mac(sums[i], event->error, line[event->place + i]);
                }
            }
            memcpy(gradient, sums, sizeof sums);
            gradient += NN_TILE_SIDE;
        }
    }
    return errors;
}

void nn_tile_input_sums(const struct nn_tile_events *events, const int16_t *weights, int32_t *sums)
{
    for (uint32_t c = 0; c < events->channels; c++, sums = sums_after(sums, events->map_bytes)) {
        int32_t *line = sums;
        for (uint32_t r = 0; r < NN_TILE_SIDE; r++, line = sums_after(line, events->row_bytes)) {
            for (const struct nn_event *event = events->even; event != events->end; event++) {
                int32_t *const at = line + event->place;
                for (size_t i = 0; i < NN_TILE_SIDE; i++) {
                    at[i] = nn_wrapping_mac(at[i], event->error, weights[i]);
                }
            }
            weights += NN_TILE_SIDE;
        }
    }
}

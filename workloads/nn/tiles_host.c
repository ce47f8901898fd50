/* tiles_host.c - the loops of tiles.h for the computer that simulates: the same bits as tiles.c,
 * with vectors of eight values.
 *
 * A sum of products is the same in any order, modulo 2^32.  Whether a partial sum has wrapped does
 * depend on the order, so vectors add only where a bound on the products' magnitudes rules it out;
 * elsewhere the products are added one by one, as the ARM968 does.  Sums of gradients and errors
 * wrap without notice: any order will do. */
#include "tiles.h"

#include <stddef.h>
#include <string.h>

typedef int16_t int16x8 __attribute__((vector_size(16)));
typedef int32_t int32x4 __attribute__((vector_size(16)));
typedef uint32_t uint32x4 __attribute__((vector_size(16)));

enum { VALUES = 8, SUMS = 4, ROOM = INT32_MAX };

static inline int16x8 load(const int16_t *at)
{
    int16x8 values;
    memcpy(&values, at, sizeof values);
    return values;
}

/* Each value times its coefficient, two neighbours added. */
static inline uint32x4 products(int16x8 coefficients, int16x8 values)
{
#if defined(__SSE2__)
    return (uint32x4)__builtin_ia32_pmaddwd128(coefficients, values);
#else
    enum { HALF = 16 };
    const int32x4 first = ((int32x4)((uint32x4)coefficients << HALF) >> HALF) *
                          ((int32x4)((uint32x4)values << HALF) >> HALF);
    const int32x4 second = ((int32x4)coefficients >> HALF) * ((int32x4)values >> HALF);
    return (uint32x4)first + (uint32x4)second;
#endif
}

/* A coefficient for each first and one for each second of two neighbours. */
static inline int16x8 pair(int16_t first, int16_t second)
{
    return (int16x8){first, second, first, second, first, second, first, second};
}

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

/* A row of a window: its five weights as coefficients of pairs. */
enum { ROW_PAIRS = 3, MAP_ROWS = NN_TILE_SIDE, MOST_CHANNELS = 64 };
struct window_row {
    int16x8 pairs[ROW_PAIRS];
};

/* Whether no order of adding could wrap a sum of this map; not less than the products' magnitudes:
 * for each input map, those of its weights times that of its largest value. */
static bool has_room(const struct nn_tile_map *map)
{
    uint64_t most = magnitude(map->bias);
    const int16_t *w = map->weights;
    const int16_t *value = map->input;
    for (uint32_t c = 0; c < map->channels; c++) {
        int32_t largest = 0;
        int32_t least = 0;
        uint32_t weights = 0;
        for (const int16_t *end = value + map->area; value != end; value++) {
            largest = *value > largest ? *value : largest;
            least = *value < least ? *value : least;
        }
        for (const int16_t *end = w + (size_t)NN_TILE_SIDE * NN_TILE_SIDE; w != end; w++) {
            weights += magnitude(*w);
        }
        most += (uint64_t)weights * (uint32_t)(largest > -least ? largest : -least);
    }
    return most < ROOM;
}

/* Sums at eight neighbouring places, of which those at even places stand in `even`. */
struct eight {
    uint32x4 even, odd;
};

static inline struct eight eight_of(const struct nn_tile_map *map, const struct window_row *row,
                                    const int16_t *at)
{
    const uint32_t bias = (uint32_t)map->bias;
    struct eight sums = {{bias, bias, bias, bias}, {bias, bias, bias, bias}};
    for (uint32_t c = 0; c < map->channels; c++, at += map->area) {
        const int16_t *line = at;
#pragma GCC unroll 1 /* five rows at once do not fit into the registers */
        for (size_t r = 0; r < MAP_ROWS; r++, row++, line += map->width) {
            /* Weights 0 and 1, 2 and 3, and 4 behind a nought: no value beyond the row is read. */
            const int16x8 middle = load(line + 3);
            sums.even += products(row->pairs[0], load(line));
            sums.even += products(row->pairs[1], load(line + 2));
            sums.even += products(row->pairs[2], middle);
            sums.odd += products(row->pairs[0], load(line + 1));
            sums.odd += products(row->pairs[1], middle);
            sums.odd += products(row->pairs[2], load(line + 4));
        }
    }
    return sums;
}

static void put_eight(const struct eight *sums, int32_t *at)
{
    for (size_t i = 0; i < SUMS; i++) {
        at[2 * i] = (int32_t)sums->even[i];
        at[2 * i + 1] = (int32_t)sums->odd[i];
    }
}

bool nn_tile_map(const struct nn_tile_map *map, int32_t *sums)
{
    const uint32_t columns = map->width - (NN_TILE_SIDE - 1);
    if (columns < VALUES || map->channels > MOST_CHANNELS || !has_room(map)) {
        return false;
    }
    struct window_row rows[MOST_CHANNELS * MAP_ROWS];
    const int16_t *w = map->weights;
    for (size_t r = 0; r < (size_t)map->channels * MAP_ROWS; r++, w += NN_TILE_SIDE) {
        rows[r] = (struct window_row){{pair(w[0], w[1]), pair(w[2], w[3]), pair(0, w[4])}};
    }
    const int16_t *line = map->input;
    for (uint32_t y = 0; y < map->lines; y++, line += map->width, sums += columns) {
        for (uint32_t x = 0; x < columns; x += VALUES) {
            /* The last eight of a row overlap those before. */
            const uint32_t first = columns - x < VALUES ? columns - VALUES : x;
            const struct eight eight = eight_of(map, rows, line + first);
            put_eight(&eight, sums + first);
        }
    }
    return true;
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

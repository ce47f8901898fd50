/* tiles.c - see tiles.h. */
#include "tiles.h"

#include <stddef.h>

static const int16_t *row_after(const int16_t *row, uint32_t bytes)
{
    return (const int16_t *)(const void *)((const uint8_t *)row + bytes);
}

static int32_t *sums_after(int32_t *sums, uint32_t bytes)
{
    return (int32_t *)(void *)((uint8_t *)sums + bytes);
}

static int16_t lower(uint32_t word)
{
    return (int16_t)(uint16_t)word;
}

static int16_t upper(uint32_t word)
{
    return (int16_t)(uint16_t)(word >> 16);
}

void nn_dot_rows(const int16_t *rows, uint32_t row_bytes, const int16_t *x, uint32_t fours,
                 struct nn_sum *sums, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++, rows = row_after(rows, row_bytes)) {
        struct nn_sum sum = sums[r];
        for (size_t i = 0; i < (size_t)fours * NN_TILE_FOUR; i++) {
            sum = nn_mac(sum, rows[i], x[i]);
        }
        sums[r] = sum;
    }
}

static void add_row(int32_t *sums, int16_t coefficient, const int16_t *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[i] = nn_wrapping_mac(sums[i], coefficient, row[i]);
    }
}

void nn_tile_two(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end)
{
    const size_t count = (size_t)tile->blocks * NN_TILE_FOUR;
    int32_t *const second = sums_after(tile->sums, tile->sum_bytes);
    const int16_t *row = tile->rows;
    for (; words != end; words++, row = row_after(row, tile->row_bytes)) {
        add_row(tile->sums, lower(*words), row, count);
        add_row(second, upper(*words), row, count);
    }
}

void nn_tile_one(const struct nn_tile *tile, const uint32_t *words, const uint32_t *end,
                 uint32_t odd)
{
    const size_t count = (size_t)tile->blocks * NN_TILE_EIGHT;
    const int16_t *row = tile->rows;
    for (; words != end; words++, odd = 0) {
        if (!odd) {
            add_row(tile->sums, lower(*words), row, count);
            row = row_after(row, tile->row_bytes);
        }
        add_row(tile->sums, upper(*words), row, count);
        row = row_after(row, tile->row_bytes);
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
            for (const struct nn_event *event = events->even; event != events->end; event++) {
                add_row(gradient, event->error, line + event->place, NN_TILE_SIDE);
            }
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
                add_row(line + event->place, event->error, weights, NN_TILE_SIDE);
            }
            weights += NN_TILE_SIDE;
        }
    }
}

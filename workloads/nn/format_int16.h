/* format_int16.h - the arithmetic of int16 values, in formats of the layer table: sums have the
 * fractional bits of both factors, and are rounded once when they are complete. */
#pragma once
#include "layer_table.h"
#include "sums_int16.h"

static inline int32_t nn_product(int16_t a, int16_t b)
{
    return (int32_t)a * b;
}

/* Two values that stand on a word. */
NN_INLINE void nn_put_pair(int16_t *at, uint32_t word)
{
    __builtin_memcpy(__builtin_assume_aligned(at, 4), &word, sizeof word);
}

NN_INLINE void nn_load_pixels(const uint8_t *pixels, uint32_t count, uint32_t shift,
                              int16_t *values)
{
    enum { BLOCK = 4 };
    const uint8_t *const end = pixels + count;
    const uint32_t odd = ((uintptr_t)values & 2) != 0 ? count : count % BLOCK; /* not on words */
    const uint8_t *const blocks = end - odd;
    for (; pixels != blocks; pixels += BLOCK, values += BLOCK) {
        const uint32_t first = pixels[0] | (uint32_t)pixels[1] << 16;
        const uint32_t second = pixels[2] | (uint32_t)pixels[3] << 16;
        nn_put_pair(values, first << shift);
        nn_put_pair(values + 2, second << shift);
    }
    for (; pixels != end; pixels++, values++) {
        *values = (int16_t)(*pixels << shift);
    }
}

/* format_int8.h - the arithmetic of int8 values: that of int16, to which kernels widen them in a
 * scratch place (int8.h).  A pixel enters as half of it, with 7 fractional bits if its full scale
 * is 1. */
#pragma once
#include "int8.h"
#include "sums_int16.h"

#define NN_SCRATCH_MEMBER       int16_t *scratch; /* nn_int8_layer_scratch() bytes */
#define NN_SCRATCH(place)       .scratch = (int16_t *)(void *)(place),
#define NN_SCRATCH_BYTES(table) nn_int8_scratch(table)

static inline void nn_load_pixels(const uint8_t *pixels, uint32_t count, uint32_t shift,
                                  int8_t *values)
{
    enum { FOUR = 4 };
    (void)shift;
    const bool on_words = (((uintptr_t)pixels | (uintptr_t)values) & 3) == 0;
    for (; on_words && count >= FOUR; count -= FOUR, pixels += FOUR, values += FOUR) {
        uint32_t word;
        __builtin_memcpy(&word, __builtin_assume_aligned(pixels, 4), sizeof word);
        word = word >> 1 & 0x7f7f7f7fu;
        __builtin_memcpy(__builtin_assume_aligned(values, 4), &word, sizeof word);
    }
    for (; count > 0; count--) {
        *values++ = (int8_t)(*pixels++ >> 1);
    }
}

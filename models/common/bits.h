/* bits.h - fields of machine words.  All shifts are defined for every argument in the stated range.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Bits high..low of word, 31 >= high >= low >= 0. */
static inline uint32_t bits_get(uint32_t word, unsigned high, unsigned low)
{
    return (word >> low) & (0xffffffffu >> (31 - (high - low)));
}

static inline bool bits_test(uint32_t word, unsigned bit)
{
    return ((word >> bit) & 1u) != 0;
}

/* Two's complement value of the low `width` bits, 1 <= width <= 32. */
static inline int32_t bits_sign_extend(uint32_t word, unsigned width)
{
    const uint32_t sign = 1u << (width - 1);
    const uint32_t value = width == 32 ? word : word & ((1u << width) - 1);
    return (int32_t)((value ^ sign) - sign);
}

/* Rotation right by any amount, taken modulo 32. */
static inline uint32_t bits_rotate_right(uint32_t word, unsigned amount)
{
    return (word >> (amount & 31u)) | (word << (-amount & 31u));
}

/* Number of set bits. */
static inline unsigned bits_count(uint32_t word)
{
    /* By fields of 2, 4 and 8 bits: hosts without an instruction for it would call a function. */
    word -= word >> 1 & 0x55555555u;
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0fu;
    return word * 0x01010101u >> 24;
}

/* The number of set bits, faster than bits_count() if mostly none or one is set. */
static inline unsigned bits_count_few(uint32_t word)
{
    return (word & (word - 1)) == 0 ? word != 0 : bits_count(word);
}

/* Is the number of set bits odd? */
static inline bool bits_parity(uint32_t word)
{
    return __builtin_parity(word) != 0;
}

/* Leading zeros, 32 for 0. */
static inline unsigned bits_leading_zeros(uint32_t word)
{
    return word == 0 ? 32u : (unsigned)__builtin_clz(word);
}

/* Index of the lowest set bit; word must not be 0. */
static inline unsigned bits_lowest(uint32_t word)
{
    return (unsigned)__builtin_ctz(word);
}

/* Index of the lowest set bit of 64 bits; word must not be 0. */
static inline unsigned bits_lowest64(uint64_t word)
{
    return (unsigned)__builtin_ctzll(word);
}

/* draw.h - random numbers that depend only on (seed, stream, index): integer arithmetic, the same
 * on every host.  mix() is the finaliser of SplitMix64, a bijection:
 *
 *     key(seed, stream) = mix(mix(seed) ^ stream << 32)
 *     word(.., index)   = mix(key + (index + 1) * 0x9e3779b97f4a7c15) */
#pragma once
#include <stdint.h>

/* Bases of streams: each layer's weights, each epoch's order, the start delays of chips and the
 * rates of links have a stream each. */
enum { DRAW_WEIGHTS = 1 << 24, DRAW_ORDER = 2 << 24, DRAW_STARTS = 3 << 24, DRAW_LINKS = 4 << 24 };

static inline uint64_t draw_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static inline uint64_t draw_word(uint64_t seed, uint32_t stream, uint64_t index)
{
    const uint64_t key = draw_mix(draw_mix(seed) ^ ((uint64_t)stream << 32));
    return draw_mix(key + (index + 1) * 0x9e3779b97f4a7c15u);
}

/* 0 .. bound - 1. */
static inline uint32_t draw_below(uint64_t word, uint32_t bound)
{
    return (uint32_t)(((word >> 32) * bound) >> 32);
}

/* [-1, 1), a multiple of 2^-52: exact. */
static inline double draw_signed_unit(uint64_t word)
{
    return (double)((int64_t)(word >> 11) - (INT64_C(1) << 52)) * 0x1p-52;
}

/* hash.h - random 32-bit words from numbers, without memory: the same on every machine, in
 * operations that a core without division does quickly. */
#pragma once
#include <stdint.h>

/* A bijection in which each bit of the result depends on each bit of the word: Wellons' "lowbias32"
 * (public domain, nullprogram.com, 2018). */
static inline uint32_t nn_hash(uint32_t word)
{
    word = (word ^ (word >> 16)) * 0x7feb352du;
    word = (word ^ (word >> 15)) * 0x846ca68bu;
    return word ^ (word >> 16);
}

/* Of a hash and one more number. */
static inline uint32_t nn_hash_with(uint32_t hash, uint32_t word)
{
    return nn_hash(hash * 0x9e3779b1u + word + 1);
}

/* vectors_host.h - vectors of eight int16 values, for the computer that simulates. */
#pragma once
#include <stdint.h>
#include <string.h>

typedef int16_t int16x8 __attribute__((vector_size(16)));
typedef int32_t int32x4 __attribute__((vector_size(16)));
typedef uint32_t uint32x4 __attribute__((vector_size(16)));

enum { VALUES = 8, SUMS = 4 };

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

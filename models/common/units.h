/* units.h - the one place where units are converted.
 * Time is uint64_t picoseconds (584 simulated years fit), frequency is Hz, sizes are bytes, energy
 * tables are in pJ.  Cycles become time only through their own clock. */
#ifndef MODELS_COMMON_UNITS_H
#define MODELS_COMMON_UNITS_H
#include "models/common/compiler.h"
#include <stdint.h>

#define PS_PER_NS     UINT64_C(1000)
#define PS_PER_US     UINT64_C(1000000)
#define PS_PER_MS     UINT64_C(1000000000)
#define PS_PER_S      UINT64_C(1000000000000)
#define HZ_PER_KHZ    UINT64_C(1000)
#define HZ_PER_MHZ    UINT64_C(1000000)
#define BYTES_PER_KIB UINT64_C(1024)
#define BYTES_PER_MIB UINT64_C(1048576)
#define PJ_PER_J      1e12

/* No event: later than every time. */
#define TIME_NEVER UINT64_MAX

/* A clock's period as an exact fraction of picoseconds, so that 130 MHz never drifts. */
struct clock {
    uint64_t period_ps_numerator;
    uint64_t period_ps_denominator;
};

static inline uint64_t units_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The clock of hz / divider; hz and divider are not 0. */
static inline struct clock clock_of(uint64_t hz, uint32_t divider)
{
    const uint64_t numerator = PS_PER_S * divider;
    const uint64_t common = units_gcd(numerator, hz);
    return (struct clock){numerator / common, hz / common};
}

/* Time of edge n, rounded down to a picosecond. */
static inline uint64_t cycles_to_ps(struct clock clock, uint64_t cycles)
{
    if (clock.period_ps_denominator == 1) {
        return cycles * clock.period_ps_numerator;
    }
    return (uint64_t)((uint128)cycles * clock.period_ps_numerator / clock.period_ps_denominator);
}

/* The first edge that is not before time_ps. */
static inline uint64_t ps_to_cycles_up(struct clock clock, uint64_t time_ps)
{
    const uint128 scaled = (uint128)time_ps * clock.period_ps_denominator;
    return (uint64_t)((scaled + clock.period_ps_numerator - 1) / clock.period_ps_numerator);
}

/* Frequency in Hz, for printing. */
static inline double clock_hz(struct clock clock)
{
    return (double)PS_PER_S * (double)clock.period_ps_denominator /
           (double)clock.period_ps_numerator;
}

#endif

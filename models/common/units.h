/* units.h - the only place where units are converted.
 * Time is uint64_t picoseconds (enough for 584 simulated years), frequency is Hz, sizes are bytes,
 * energy tables are in pJ.  Cycles are converted to time only through their own clock. */
#pragma once
#include "models/common/compiler.h"
#include <stdbool.h>
#include <stdint.h>

#define PS_PER_NS     UINT64_C(1000)
#define PS_PER_US     UINT64_C(1000000)
#define PS_PER_MS     UINT64_C(1000000000)
#define PS_PER_S      UINT64_C(1000000000000)
#define HZ_PER_KHZ    UINT64_C(1000)
#define HZ_PER_MHZ    UINT64_C(1000000)
#define HZ_PER_GHZ    UINT64_C(1000000000)
#define BYTES_PER_KIB UINT64_C(1024)
#define BYTES_PER_MIB UINT64_C(1048576)
#define PJ_PER_J      1e12

/* Time of an event that never happens: later than every time. */
#define TIME_NEVER UINT64_MAX

static inline uint64_t earlier_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

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
    if (clock.period_ps_denominator == 1) { /* fast path without 128 bits: called at every event */
        return time_ps / clock.period_ps_numerator + (time_ps % clock.period_ps_numerator != 0);
    }
    const uint128 scaled = (uint128)time_ps * clock.period_ps_denominator;
    return (uint64_t)((scaled + clock.period_ps_numerator - 1) / clock.period_ps_numerator);
}

/* A clock that is `times` slower. */
static inline struct clock clock_slower(struct clock clock, uint32_t times)
{
    const uint64_t numerator = clock.period_ps_numerator * times;
    const uint64_t common = units_gcd(numerator, clock.period_ps_denominator);
    return (struct clock){numerator / common, clock.period_ps_denominator / common};
}

static inline bool clock_equal(struct clock a, struct clock b)
{
    return a.period_ps_numerator == b.period_ps_numerator &&
           a.period_ps_denominator == b.period_ps_denominator;
}

/* A clock whose frequency may change while it runs.  Cycles are counted through a change; those
 * after base_cycle, whose edge was at base_ps, have the period of `clock`. */
struct pace {
    struct clock clock;
    uint64_t base_ps, base_cycle;
};

/* Time of a clock edge; for an edge before the last change, the time of the change. */
static inline uint64_t pace_ps(const struct pace *pace, uint64_t cycle)
{
    return cycle <= pace->base_cycle
               ? pace->base_ps
               : pace->base_ps + cycles_to_ps(pace->clock, cycle - pace->base_cycle);
}

/* The first edge that is neither before time_ps nor before the last change. */
static inline uint64_t pace_cycle_up(const struct pace *pace, uint64_t time_ps)
{
    return time_ps <= pace->base_ps
               ? pace->base_cycle
               : pace->base_cycle + ps_to_cycles_up(pace->clock, time_ps - pace->base_ps);
}

/* Changes the clock at the first edge that is not before now_ps. */
static inline void pace_change(struct pace *pace, struct clock clock, uint64_t now_ps)
{
    const uint64_t cycle = pace_cycle_up(pace, now_ps);
    pace->base_ps = pace_ps(pace, cycle);
    pace->base_cycle = cycle;
    pace->clock = clock;
}

/* Frequency in Hz, for printing. */
static inline double clock_hz(struct clock clock)
{
    return (double)PS_PER_S * (double)clock.period_ps_denominator /
           (double)clock.period_ps_numerator;
}

/* sysctl_clocks.c - the clock tree behind registers 20, 21 and 24 (SpiNNaker datasheet v2.02, 14).
 * See sysctl.h. */
#include "models/chip/sysctl.h"

#include "models/common/bits.h"

enum {
    PLL_POWER = 18,
    PLL_RANGE = 16, /* lowest bit of each field */
    PLL_DIVIDER_HIGH = 13,
    PLL_DIVIDER = 8,
    PLL_MULTIPLIER_HIGH = 5,
    MOST_MULTIPLIER = 63,
    MOST_DIVIDER = 4,
    SLOW_CRYSTAL = 4 /* the fourth source is the crystal divided by this */
};

enum clock_source { SOURCE_CRYSTAL, SOURCE_PLL1, SOURCE_PLL2, SOURCE_SLOW };

/* The lowest bits of each clock's two fields in the multiplexer register. */
static const struct {
    uint8_t source, divider;
} FIELD[SYSCTL_CLOCKS] = {[SYSCTL_CLOCK_CPU_A] = {0, 2},
                          [SYSCTL_CLOCK_CPU_B] = {5, 7},
                          [SYSCTL_CLOCK_MEMORY] = {10, 12},
                          [SYSCTL_CLOCK_ROUTER] = {15, 17},
                          [SYSCTL_CLOCK_SYSTEM] = {20, 22}};

/* Cores of clock A; the others have clock B. */
#define CORES_OF_CLOCK_A 0x16996u
#define INVERT_B         (1u << 31)

/* Upper ends of a PLL's ranges, except the last. */
static const uint64_t RANGE_HZ[] = {50 * HZ_PER_MHZ, 100 * HZ_PER_MHZ, 200 * HZ_PER_MHZ};

enum sysctl_clock sysctl_clock_of_core(unsigned core)
{
    return bits_test(CORES_OF_CLOCK_A, core) ? SYSCTL_CLOCK_CPU_A : SYSCTL_CLOCK_CPU_B;
}

static bool pll_clock(uint32_t pll, uint64_t crystal_hz, uint32_t divider, struct clock *clock)
{
    const uint32_t multiplier = bits_get(pll, PLL_MULTIPLIER_HIGH, 0);
    const uint32_t by = bits_get(pll, PLL_DIVIDER_HIGH, PLL_DIVIDER);
    if (!bits_test(pll, PLL_POWER) || multiplier == 0 || by == 0) {
        return false;
    }
    *clock = clock_of(crystal_hz * multiplier, by * divider);
    return true;
}

bool sysctl_clock_now(const struct sysctl *sysctl, enum sysctl_clock which, uint64_t crystal_hz,
                      struct clock *clock)
{
    const uint32_t mux = sysctl->clock_mux;
    const unsigned source = FIELD[which].source;
    const unsigned shift = FIELD[which].divider;
    const uint32_t divider = bits_get(mux, shift + 1, shift) + 1;
    switch ((enum clock_source)bits_get(mux, source + 1, source)) {
    case SOURCE_PLL1:
        return pll_clock(sysctl->pll1, crystal_hz, divider, clock);
    case SOURCE_PLL2:
        return pll_clock(sysctl->pll2, crystal_hz, divider, clock);
    case SOURCE_SLOW:
        *clock = clock_of(crystal_hz, SLOW_CRYSTAL * divider);
        return true;
    case SOURCE_CRYSTAL:
    default:
        *clock = clock_of(crystal_hz, divider);
        return true;
    }
}

static uint32_t pll_for(uint64_t hz, uint64_t crystal_hz)
{
    uint64_t multiplier = (hz + crystal_hz / 2) / crystal_hz;
    multiplier = multiplier < 1 ? 1 : multiplier;
    multiplier = multiplier > MOST_MULTIPLIER ? MOST_MULTIPLIER : multiplier;
    uint32_t range = 0;
    while (range < sizeof RANGE_HZ / sizeof *RANGE_HZ && hz > RANGE_HZ[range]) {
        range++;
    }
    return 1u << PLL_POWER | range << PLL_RANGE | 1u << PLL_DIVIDER | (uint32_t)multiplier;
}

static uint32_t select(enum sysctl_clock which, enum clock_source source, uint32_t divider)
{
    divider = divider > MOST_DIVIDER ? MOST_DIVIDER : divider;
    return (uint32_t)source << FIELD[which].source | (divider - 1) << FIELD[which].divider;
}

void sysctl_show_clocks(struct sysctl *sysctl, uint64_t crystal_hz, uint64_t cpu_hz,
                        uint32_t system_divider, uint32_t router_divider, uint64_t sdram_hz)
{
    sysctl->pll1 = pll_for(2 * cpu_hz, crystal_hz);
    sysctl->pll2 = pll_for(2 * sdram_hz, crystal_hz);
    sysctl->clock_mux = INVERT_B | select(SYSCTL_CLOCK_CPU_A, SOURCE_PLL1, 2) |
                        select(SYSCTL_CLOCK_CPU_B, SOURCE_PLL1, 2) |
                        select(SYSCTL_CLOCK_MEMORY, SOURCE_PLL2, 1) |
                        select(SYSCTL_CLOCK_ROUTER, SOURCE_PLL1, router_divider) |
                        select(SYSCTL_CLOCK_SYSTEM, SOURCE_PLL1, system_divider);
}

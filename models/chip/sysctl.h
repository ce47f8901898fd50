/* sysctl.h - the system controller of a chip (SpiNNaker datasheet v2.02, 14).  Word accesses in
 * privileged modes only.  Plain state: copying the struct saves it.  Effects of a write outside the
 * block are returned to the owner.  Not modelled: temperature (written values can be read back).
 * Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/register_reply.h"
#include "models/common/units.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { SYSCTL_CORES = 18, SYSCTL_TEMPERATURES = 3 };

struct sysctl {
    uint32_t cpu_disable, irq, cpu_ok;
    uint32_t soft_reset, hard_reset, subsystem_reset;
    uint32_t monitor_id; /* bits 4:0; the arbitration bit is kept separately */
    bool arbitration;
    bool watchdog_resets_monitor;
    uint8_t gap[2]; /* named, so that saved states are the same bytes with every compiler */
    uint32_t misc_control;
    uint32_t gpio_pulls, gpio_port, gpio_direction;
    uint32_t pll1, pll2, clock_mux;
    uint32_t flags;
    uint32_t temperature[SYSCTL_TEMPERATURES];
    uint32_t locks;
    uint32_t link_disable;
    uint32_t sleeping; /* updated by the owner */
    uint32_t reset_code;
    uint32_t driven; /* pins that other parts of the board drive high */
};

/* Parts of the chip: bits of the subsystem reset registers. */
enum sysctl_part {
    SYSCTL_PART_ROUTER = 0,
    SYSCTL_PART_PL340 = 1,
    SYSCTL_PART_SYSTEM_NOC = 2,
    SYSCTL_PART_COMMS_NOC = 3,
    SYSCTL_PART_TX = 4, /* six link transmitters, then six link receivers */
    SYSCTL_PART_RX = 10,
    SYSCTL_PART_AHB = 16,
    SYSCTL_PART_CHIP = 17
};

/* Effects requested by a write; a bit for each core or part. */
struct sysctl_effects {
    uint32_t irq;                    /* cores whose interrupt bit has changed */
    uint32_t soft_reset, hard_reset; /* cores to reset: by a pulse, or by a level that has risen */
    uint32_t parts;                  /* parts to reset, likewise */
    bool cores;                      /* reset levels of cores, or their stalls, may have changed */
    bool levels; /* reset levels of parts, or links on and off, may have changed */
    bool clocks;
};

enum sysctl_reset_code {
    SYSCTL_RESET_POWER_ON,
    SYSCTL_RESET_WATCHDOG,
    SYSCTL_RESET_PIN,
    SYSCTL_RESET_CHIP,
    SYSCTL_RESET_MONITOR /* the watchdog's interrupt; resets the monitor only */
};

/* Sets the power-on state. */
void sysctl_reset(struct sysctl *sysctl);

/* Resets the block with the whole chip, for one of the first four reasons.  The number of the
 * monitor is kept except at power-on, so an old monitor is not elected again; the boot area is kept
 * unless the watchdog is the reason. */
void sysctl_reset_with_chip(struct sysctl *sysctl, enum sysctl_reset_code code);

/* Drives the pins of `mask` from outside: those of `levels` high.  A reset of the block does not
 * change what is outside. */
void sysctl_drive(struct sysctl *sysctl, uint32_t mask, uint32_t levels);

/* Levels of the GPIO pins. */
uint32_t sysctl_pins(const struct sysctl *sysctl);

/* Whether the boot area shows System RAM instead of the boot ROM. */
bool sysctl_boot_from_ram(const struct sysctl *sysctl);

/* ---- clocks ---- */

enum sysctl_clock {
    SYSCTL_CLOCK_CPU_A,
    SYSCTL_CLOCK_CPU_B,
    SYSCTL_CLOCK_SYSTEM,
    SYSCTL_CLOCK_ROUTER,
    SYSCTL_CLOCK_MEMORY, /* twice the SDRAM's */
    SYSCTL_CLOCKS
};

/* A clock by the current registers, with a crystal of crystal_hz; false: there is no clock, since
 * its source is a PLL that is off. */
bool sysctl_clock_now(const struct sysctl *sysctl, enum sysctl_clock which, uint64_t crystal_hz,
                      struct clock *clock);

/* Which of the two core clocks drives this core. */
enum sysctl_clock sysctl_clock_of_core(unsigned core);

/* Sets the registers to what the monitor program writes for these clocks: cores at cpu_hz, system
 * bus and router at twice that, divided, SDRAM at sdram_hz.  Uses the nearest setting if none is
 * exact. */
void sysctl_show_clocks(struct sysctl *sysctl, uint64_t crystal_hz, uint64_t cpu_hz,
                        uint32_t system_divider, uint32_t router_divider, uint64_t sdram_hz);

/* ---- registers ---- */

enum register_reply sysctl_read32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                  uint32_t *value);

enum register_reply sysctl_write32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                   uint32_t value, struct sysctl_effects *effects);

C_LINKAGE_END

/* control.h - effects of a chip's system controller and watchdog on its parts: resets, stalls,
 * links on and off, clocks.  Private to models/machine.
 *
 * Changes to router, links and memory controller take effect at once.  Changes to whole cores, and
 * to clocks, take effect at the next multiple of chip.control_interval that is at least
 * chip.signal_floor away: cores run ahead of each other, but none passes such a time before all
 * others have reached it. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct chip;

/* State that may be saved by copying. */
struct control {
    uint64_t at_ps; /* when pending changes take effect; TIME_NEVER: none is pending */
    uint32_t soft_reset, hard_reset; /* cores to be reset at that time */
    uint32_t pulsed;                 /* of these, cores whose reset is a pulse */
    uint32_t held;                   /* cores held in reset */
    uint32_t chip_code;              /* reason for a pending reset of the whole chip; 0: none */
    uint32_t gap; /* named, so that saved states are the same bytes with every compiler */
    struct clock clock[SYSCTL_CLOCKS]; /* as last set by the registers */
};

/* Sets the clocks as configured, and the registers accordingly. */
void control_init(struct chip *chip);

/* Takes the times of the system AHB from the chip's parameters, at its present clock. */
void control_set_bus_times(struct chip *chip);

/* All cores leave the reset of power-on: see machine_leave_reset(). */
void control_power_on(struct chip *chip, uint64_t now_ps);

/* Accepts the effects of a write to the system controller at now_ps. */
void control_ask(struct chip *chip, const struct sysctl_effects *effects, uint64_t now_ps);

/* A register block requests a reset (the watchdog, through its outputs). */
void control_request(struct chip *chip, enum register_request request, uint64_t now_ps);

/* Performs the pending changes, at their time. */
void control_event(struct chip *chip);

/* Recomputes the next events of all cores and blocks, after a change of clocks or states. */
void control_plan(struct chip *chip);

C_LINKAGE_END

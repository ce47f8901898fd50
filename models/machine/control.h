/* control.h - what a chip's system controller and watchdog do to its parts: resets, stalls, links
 * on and off, clocks.  Private to models/machine.
 *
 * Router, links and memory controller follow at once.  What concerns whole cores, and clocks, waits
 * for the next multiple of chip.control_interval that is at least chip.signal_floor away: cores run
 * ahead of each other, but none runs over such a time before all others have come to it. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct chip;

/* What may be saved by copying. */
struct control {
    uint64_t at_ps;                  /* when what waits is done; TIME_NEVER: nothing waits */
    uint32_t soft_reset, hard_reset; /* cores that are to be reset then */
    uint32_t pulsed;                 /* ... for a time */
    uint32_t held;                   /* cores that are in reset */
    uint32_t chip_code;              /* the whole chip is to be reset, for this reason; 0: no */
    uint32_t gap; /* named, so that saved states are the same bytes with every compiler */
    struct clock clock[SYSCTL_CLOCKS]; /* as the registers have given them last */
};

/* The clocks as configured, and registers that show them. */
void control_init(struct chip *chip);

/* Takes what a write to the system controller at now_ps has asked for. */
void control_ask(struct chip *chip, const struct sysctl_effects *effects, uint64_t now_ps);

/* A register block asks for a reset (the watchdog, by its outputs). */
void control_request(struct chip *chip, enum register_request request, uint64_t now_ps);

/* Does what waits, at its time. */
void control_event(struct chip *chip);

C_LINKAGE_END

/* watchdog.h - the watchdog of a chip (ARM SP805; SpiNNaker datasheet v2.02, 15).
 * Its counter is computed from the tick of the last change, never ticked.  All times are ticks of
 * the system clock and may not go back.  What the outputs lead to is the owner's affair.  Plain
 * state: copying the struct saves it.  Owner: the chip. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct watchdog {
    uint32_t load;
    uint32_t count; /* at since_tick; what is left to the next zero */
    uint64_t since_tick;
    uint32_t control;
    bool raw;   /* raw interrupt */
    bool reset; /* reset output: stays until the block itself is reset */
    bool locked;
    uint8_t gap; /* named, so that saved states are the same bytes with every compiler */
};

void watchdog_reset(struct watchdog *watchdog, uint64_t tick);

/* Word registers. */
enum register_reply watchdog_read32(struct watchdog *watchdog, uint32_t offset, uint64_t tick,
                                    uint32_t *value);
enum register_reply watchdog_write32(struct watchdog *watchdog, uint32_t offset, uint32_t value,
                                     uint64_t tick);

/* Brings it up to `tick`: what has run out by then has set its output. */
void watchdog_advance(struct watchdog *watchdog, uint64_t tick);

/* The two outputs. */
bool watchdog_interrupt(const struct watchdog *watchdog);
bool watchdog_reset_request(const struct watchdog *watchdog);

/* First tick at which an output will rise that is low now; UINT64_MAX if none will. */
uint64_t watchdog_next_tick(const struct watchdog *watchdog);

/* As a row of the chip's table. */
extern const struct register_block WATCHDOG_BLOCK;

C_LINKAGE_END

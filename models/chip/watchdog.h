/* watchdog.h - the watchdog of a chip (ARM SP805; SpiNNaker datasheet v2.02, 15).  Its counter is
 * computed from the tick of the last change; there is no work per tick.  All times are ticks of the
 * system clock and must not go back.  The owner handles the outputs.  Plain state: copying the
 * struct saves it.  Owner: the chip. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct watchdog {
    uint32_t load;
    uint32_t count; /* at since_tick: ticks to the next zero */
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

/* Brings the watchdog up to `tick`: if it has expired by then, its output is set. */
void watchdog_advance(struct watchdog *watchdog, uint64_t tick);

/* The two outputs. */
bool watchdog_interrupt(const struct watchdog *watchdog);
bool watchdog_reset_request(const struct watchdog *watchdog);

/* First tick at which an output that is now low will rise; UINT64_MAX if none will. */
uint64_t watchdog_next_tick(const struct watchdog *watchdog);

/* The block's row in the chip's table. */
extern const struct register_block WATCHDOG_BLOCK;

C_LINKAGE_END

/* pl340.h - registers of the SDRAM controller and of its delay-locked loop (ARM PL340; SpiNNaker
 * datasheet v2.02, 13).  They keep written values and follow the controller's states.  The memory's
 * behaviour and timing come from sdram.h and the configuration, not from these registers.  No time:
 * an enabled loop is locked.  Plain state: copying the struct saves it.  Owner: the chip. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum pl340_state { PL340_CONFIGURE, PL340_READY, PL340_PAUSED, PL340_LOW_POWER };

enum {
#define REG(...)
#define SETTING(name, ...) PL340_##name,
#include "models/chip/pl340_regs.def"
#undef REG
#undef SETTING
    PL340_SETTINGS,
    PL340_MASTERS = 16,
    PL340_CHIPS = 2,
    PL340_DLL_WORDS = 2
};

struct pl340 {
    uint32_t state; /* enum pl340_state */
    uint32_t gap;   /* named, so that saved states are the same bytes with every compiler */
    uint32_t setting[PL340_SETTINGS];
    uint32_t master[PL340_MASTERS];
    uint32_t chip[PL340_CHIPS];
    uint32_t dll[PL340_DLL_WORDS];
};

void pl340_reset(struct pl340 *pl340);

/* Word registers. */
enum register_reply pl340_read32(struct pl340 *pl340, uint32_t offset, uint32_t *value);
enum register_reply pl340_write32(struct pl340 *pl340, uint32_t offset, uint32_t value);

/* The block's row in the chip's table. */
extern const struct register_block PL340_BLOCK;

C_LINKAGE_END

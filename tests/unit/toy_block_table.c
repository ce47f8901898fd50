/* toy_block_table.c - replaces models/machine/block_table.c: the same table with one more row. */
#include "models/chip/pl340.h"
#include "models/chip/watchdog.h"
#include "models/machine/blocks.h"
#include "tests/unit/toy_block.h"

const struct register_block *const REGISTER_BLOCKS[] = {
    &SYSCTL_BLOCK, &ROUTER_BLOCK,     &WATCHDOG_BLOCK, &PL340_BLOCK, &DMA_BLOCK,
    &COMMS_BLOCK,  &SYSTEM_RAM_BLOCK, &TOY_BLOCK,      NULL,
};

/* block_table.c - the register blocks of a chip, in the order of their events at equal times.  To
 * add a block, add a row. */
#include "models/chip/pl340.h"
#include "models/chip/watchdog.h"
#include "models/machine/blocks.h"

const struct register_block *const REGISTER_BLOCKS[] = {
    &SYSCTL_BLOCK, &ROUTER_BLOCK,     &WATCHDOG_BLOCK, &PL340_BLOCK,    &DMA_BLOCK,
    &COMMS_BLOCK,  &SYSTEM_RAM_BLOCK, &BOOT_ROM_BLOCK, &ETHERNET_BLOCK, NULL,
};

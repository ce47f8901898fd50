/* register_block.h - a block of registers as a row of a table (models/machine, block_table.c): all
 * that the chip needs to know of a block.
 *
 * A block that others reach only through its registers needs nothing but its functions and its row:
 * the chip keeps, saves and loads its state, advances its time, reads its interrupt lines and lists
 * its counters. */
#pragma once
#include "models/chip/memory_map.h"
#include "models/chip/sysctl.h"
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct chip;
struct core;

/* An access to a register. */
struct register_access {
    struct chip *chip;
    struct core *core; /* the core that makes the access, itself or by its DMA controller; core 0
                          for a neighbour */
    void *state;       /* the block's state on that chip; NULL if it has none of its own */
    uint32_t offset;   /* in the block, in bytes */
    uint8_t size;      /* in bytes: 4 unless the block supports parts of words */
    bool privileged;
    uint64_t now_ps;
    uint64_t tick; /* edges of the system clock so far; only for blocks with next_tick() */
};

/* What an event of a block requests from its chip. */
enum register_request {
    REGISTER_REQUEST_NONE,
    REGISTER_REQUEST_MONITOR_RESET, /* a reset, if the system controller is set to allow it */
    REGISTER_REQUEST_CHIP_RESET,
    REGISTER_REQUEST_FRAME /* a frame has left the chip's Ethernet controller for the host */
};

struct register_block {
    enum memory_block place;
    /* Whether a chip has the block; where it has not, accesses are unmodelled, and there is neither
     * a state nor counters.  NULL: every chip has it. */
    bool (*fitted)(const struct chip *chip);
    bool parts_of_words;  /* supports accesses to parts of words; otherwise they are bus errors */
    uint32_t state_bytes; /* size of its state, which has no pointers and names its padding */

    enum register_reply (*read)(const struct register_access *at, uint32_t *word);
    enum register_reply (*write)(const struct register_access *at, uint32_t word);

    /* Called at power-on and at resets of one of the chip's parts; NULL: neither has an effect. */
    void (*reset)(void *state, uint64_t tick);
    enum sysctl_part part; /* SYSCTL_PART_CHIP: reset with the whole chip only */

    /* Events that the block has by itself.  Either: the tick of the system clock of the next event,
     * queried after each access, event and change of clocks; UINT64_MAX: none. */
    uint64_t (*next_tick)(const void *state);
    /* Or: its time in ps, likewise; TIME_NEVER: none. */
    uint64_t (*next_ps)(const void *state);
    /* Or: the offset in struct chip of the time of the block's next event, in ps. */
    size_t next_at;
    enum register_request (*event)(struct chip *chip, void *state, uint64_t tick);

    /* Levels of the interrupts that all cores of the chip share, each at its VIC source's bit;
     * queried after each write and event.  NULL: it has none. */
    uint32_t (*lines)(const struct chip *chip, const void *state);

    /* The block's counters and the name of their component; NULL: none. */
    const char *component;
    const struct counter_info *(*counter_info)(size_t *count);
    const void *(*counters)(const struct chip *chip, const void *state);
};

/* The blocks of a chip, in the order of their events at equal times; ends with NULL.  Defined in
 * models/machine/block_table.c. */
extern const struct register_block *const REGISTER_BLOCKS[];

C_LINKAGE_END

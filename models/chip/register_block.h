/* register_block.h - a block of registers of a chip as a row of a table (models/machine,
 * block_table.c): all that the chip asks of it.
 *
 * A block of which only its registers are known to others needs no more than its functions and its
 * row: the chip keeps its state, saves and loads it, gives it its time, listens to its interrupt
 * lines and lists its counters. */
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
    struct core *core; /* who makes it, itself or by its DMA controller; core 0 for a neighbour */
    void *state;       /* of the block, on that chip; NULL when it has none of its own */
    uint32_t offset;   /* in the block, bytes */
    uint8_t size;      /* bytes: 4 unless the block takes parts of words */
    bool privileged;
    uint64_t now_ps;
    uint64_t tick; /* edges of the system clock so far; for blocks with next_tick() only */
};

/* What an event of a block asks of its chip. */
enum register_request {
    REGISTER_REQUEST_NONE,
    REGISTER_REQUEST_MONITOR_RESET, /* if the system controller is set to do it */
    REGISTER_REQUEST_CHIP_RESET
};

struct register_block {
    enum memory_block place;
    bool parts_of_words;  /* takes them; else they are bus errors */
    uint32_t state_bytes; /* of its state, which has no pointers and names its gaps */

    enum register_reply (*read)(const struct register_access *at, uint32_t *word);
    enum register_reply (*write)(const struct register_access *at, uint32_t word);

    /* Power-on, and resets of one of the chip's parts; NULL: neither does anything. */
    void (*reset)(void *state, uint64_t tick);
    enum sysctl_part part; /* SYSCTL_PART_CHIP: with the whole chip only */

    /* What happens in it by itself.  Either: at which tick of the system clock, asked anew after
     * each access, event and change of clocks; UINT64_MAX: nothing will. */
    uint64_t (*next_tick)(const void *state);
    /* Or: where in struct chip the block keeps the time of its next event, in ps. */
    size_t next_at;
    enum register_request (*event)(struct chip *chip, void *state, uint64_t tick);

    /* Levels of the interrupts that all cores of the chip share, each at the bit of its VIC source;
     * asked after each write and event.  NULL: it has none. */
    uint32_t (*lines)(const struct chip *chip, const void *state);

    /* What it counts, under the name of its component; NULL: nothing. */
    const char *component;
    const struct counter_info *(*counter_info)(size_t *count);
    const void *(*counters)(const struct chip *chip, const void *state);
};

/* The blocks of a chip, in the order of their events at equal times; NULL ends the list.
 * Defined in models/machine/block_table.c. */
extern const struct register_block *const REGISTER_BLOCKS[];

C_LINKAGE_END

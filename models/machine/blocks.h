/* blocks.h - the register blocks of one chip, as described by the rows of
 * models/chip/register_block.h.  Private to models/machine. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/common/units.h"
C_LINKAGE_BEGIN

/* Blocks that access more of their chip than their own state (block_rows.c). */
extern const struct register_block SYSCTL_BLOCK, ROUTER_BLOCK, DMA_BLOCK, COMMS_BLOCK,
    SYSTEM_RAM_BLOCK, BOOT_ROM_BLOCK, ETHERNET_BLOCK;

enum { BLOCKS_KEEPING = 2 }; /* blocks that may keep the time of their next event */

struct blocks {
    const struct register_block *const *rows;       /* of the table, ended by NULL */
    const struct register_block *at[MEMORY_BLOCKS]; /* NULL: not modelled */
    void *state[MEMORY_BLOCKS];
    uint8_t *memory; /* the state of all blocks, as it is saved */
    uint32_t bytes;
    uint64_t next_ps[MEMORY_BLOCKS]; /* next event of each block that tells it when asked */
    uint64_t ticks_ps;               /* the earliest of these; TIME_NEVER: none */
    /* Blocks with a next event, in the order of the table, and the times of these events. */
    const struct register_block *timed[MEMORY_BLOCKS];
    const uint64_t *timed_ps[MEMORY_BLOCKS];
    unsigned timed_count;
    /* The times that blocks keep themselves (next_at); TIME_NEVER: there is no such block. */
    const uint64_t *kept_ps[BLOCKS_KEEPING];
    /* Blocks with interrupt lines. */
    const struct register_block *lined[MEMORY_BLOCKS];
    unsigned lined_count;
};

/* Gives a chip the blocks of a table (REGISTER_BLOCKS), in their power-on state.  STATUS_INTERNAL:
 * out of memory. */
enum status blocks_init(struct chip *chip, const struct register_block *const *rows);
void blocks_deinit(struct chip *chip);

/* Resets the blocks of the given parts (bits of enum sysctl_part). */
void blocks_reset(struct chip *chip, uint32_t parts, uint64_t now_ps);

/* Recomputes the next event of every block, after a change of clocks or states. */
void blocks_plan(struct chip *chip);

/* Whether the chip has the block. */
static inline bool blocks_have(const struct blocks *blocks, const struct register_block *block)
{
    return blocks->at[block->place] == block;
}

/* Time of the next event of any block; TIME_NEVER: none of their own accord. */
static inline uint64_t blocks_next_ps(const struct blocks *blocks)
{
    return earlier_of(blocks->ticks_ps, earlier_of(*blocks->kept_ps[0], *blocks->kept_ps[1]));
}

/* The same without the block that keeps its time in *own_ps. */
static inline uint64_t blocks_others_ps(const struct blocks *blocks, const uint64_t *own_ps)
{
    const uint64_t *kept_ps = blocks->kept_ps[blocks->kept_ps[0] == own_ps ? 1 : 0];
    return earlier_of(blocks->ticks_ps, *kept_ps);
}

/* Executes the first of the events due at now_ps, and returns what the block requests. */
enum register_request blocks_event(struct chip *chip, uint64_t now_ps);

/* Call after a possible change of the blocks' interrupt lines at now_ps: sends changes to all
 * cores. */
void blocks_update_lines(struct chip *chip, uint64_t now_ps);

/* Accesses one datum; `access` holds its time and rights, and gets the block's state and tick.  An
 * access size that the block does not support is a bus error. */
enum register_reply blocks_access(const struct register_block *block,
                                  struct register_access *access, bool write, uint32_t *datum);

C_LINKAGE_END

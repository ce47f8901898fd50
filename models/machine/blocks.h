/* blocks.h - the register blocks of one chip: what the rows of models/chip/register_block.h come to
 * there.  Private to models/machine. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* Blocks that reach more of their chip than a state of their own (block_rows.c). */
extern const struct register_block SYSCTL_BLOCK, ROUTER_BLOCK, DMA_BLOCK, COMMS_BLOCK,
    SYSTEM_RAM_BLOCK;

struct blocks {
    const struct register_block *at[MEMORY_BLOCKS]; /* NULL: not modelled */
    void *state[MEMORY_BLOCKS];
    uint8_t *memory; /* all states, as they are saved */
    uint32_t bytes;
    uint64_t next_ps[MEMORY_BLOCKS]; /* of blocks with next_tick() */
    /* Blocks in which something happens, in the order of the table, and when. */
    const struct register_block *timed[MEMORY_BLOCKS];
    const uint64_t *timed_ps[MEMORY_BLOCKS];
    unsigned timed_count;
    /* Blocks with interrupt lines. */
    const struct register_block *lined[MEMORY_BLOCKS];
    unsigned lined_count;
};

/* All blocks as at power-on.  STATUS_INTERNAL: out of memory. */
enum status blocks_init(struct chip *chip);
void blocks_deinit(struct chip *chip);

/* Resets the blocks of the parts in a mask (bits of enum sysctl_part). */
void blocks_reset(struct chip *chip, uint32_t parts, uint64_t now_ps);

/* Finds out anew when blocks will next do something: clocks or states have changed. */
void blocks_plan(struct chip *chip);

/* When something will next happen in one of them; TIME_NEVER: nothing by itself. */
static inline uint64_t blocks_next_ps(const struct blocks *blocks)
{
    uint64_t next_ps = *blocks->timed_ps[0];
    for (unsigned i = 1; i < blocks->timed_count; i++) {
        next_ps = *blocks->timed_ps[i] < next_ps ? *blocks->timed_ps[i] : next_ps;
    }
    return next_ps;
}

/* Does the first of what happens at that time. */
void blocks_event(struct chip *chip, uint64_t now_ps);

/* Levels of the interrupts that all cores share, each at the bit of its source. */
uint32_t blocks_lines(const struct chip *chip);

/* One datum of an access; `access` has its place in time and rights.  An access of a size that the
 * block does not take is a bus error. */
enum register_reply blocks_access(const struct register_block *block,
                                  const struct register_access *access, bool write,
                                  uint32_t *datum);

C_LINKAGE_END

/* blocks.c - see blocks.h. */
#include "models/machine/blocks.h"

#include "models/common/bits.h"
#include "models/common/check.h"
#include "models/machine/chip.h"

#include <stdlib.h>

enum { WORD_BYTES = 4, STATE_ALIGNMENT = 8 };

/* A block's state takes so much of the memory for all. */
static uint32_t room_of(const struct register_block *block)
{
    return (block->state_bytes + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
}

/* Whether the block tells the time of its next event when asked, and does not keep it in the chip.
 */
static bool tells(const struct register_block *block)
{
    return block->next_tick != NULL || block->next_ps != NULL;
}

enum status blocks_init(struct chip *chip, const struct register_block *const *rows)
{
    static const uint64_t NONE_PS = TIME_NEVER;
    struct blocks *blocks = &chip->blocks;
    uint32_t used = 0;
    unsigned keeping = 0;
    blocks->rows = rows;
    blocks->kept_ps[0] = blocks->kept_ps[1] = &NONE_PS;
    for (unsigned i = 0; rows[i] != NULL; i++) {
        if (rows[i]->fitted == NULL || rows[i]->fitted(chip)) {
            blocks->at[rows[i]->place] = rows[i];
            blocks->bytes += room_of(rows[i]);
        }
    }
    blocks->memory = calloc(1, blocks->bytes + 1);
    if (blocks->memory == NULL) {
        return STATUS_INTERNAL;
    }
    for (unsigned i = 0; rows[i] != NULL; i++) {
        const struct register_block *block = rows[i];
        if (!blocks_have(blocks, block)) {
            continue;
        }
        blocks->state[block->place] = block->state_bytes == 0 ? NULL : blocks->memory + used;
        used += room_of(block);
        if (block->lines != NULL) {
            blocks->lined[blocks->lined_count++] = block;
        }
        if (block->event != NULL) {
            const bool keeps = !tells(block);
            const char *kept = (const char *)chip + block->next_at;
            const uint64_t *time_ps =
                keeps ? (const uint64_t *)(const void *)kept : &blocks->next_ps[block->place];
            blocks->timed[blocks->timed_count] = block;
            blocks->timed_ps[blocks->timed_count++] = time_ps;
            if (keeps) {
                CHECK(keeping < BLOCKS_KEEPING, "too many blocks keep the times of their events");
                blocks->kept_ps[keeping++] = time_ps;
            }
        }
    }
    blocks_reset(chip, UINT32_MAX, 0);
    blocks_plan(chip);
    return STATUS_OK;
}

void blocks_deinit(struct chip *chip)
{
    free(chip->blocks.memory);
}

void blocks_reset(struct chip *chip, uint32_t parts, uint64_t now_ps)
{
    const uint64_t tick = pace_cycle_up(&chip->d.pace[SYSCTL_CLOCK_SYSTEM], now_ps);
    for (unsigned i = 0; chip->blocks.rows[i] != NULL; i++) {
        const struct register_block *block = chip->blocks.rows[i];
        if (block->reset != NULL && blocks_have(&chip->blocks, block) &&
            bits_test(parts, block->part)) {
            block->reset(chip->blocks.state[block->place], tick);
        }
    }
}

static void find_next(struct chip *chip, const struct register_block *block)
{
    const void *state = chip->blocks.state[block->place];
    uint64_t *next_ps = &chip->blocks.next_ps[block->place];
    if (block->next_ps != NULL) {
        *next_ps = block->next_ps(state);
        return;
    }
    const uint64_t tick = block->next_tick(state);
    *next_ps = tick == UINT64_MAX ? TIME_NEVER : pace_ps(&chip->d.pace[SYSCTL_CLOCK_SYSTEM], tick);
}

/* Finds the earliest event of the blocks that tell theirs. */
static void find_earliest(struct blocks *blocks)
{
    blocks->ticks_ps = TIME_NEVER;
    for (unsigned i = 0; i < blocks->timed_count; i++) {
        if (tells(blocks->timed[i])) {
            blocks->ticks_ps = earlier_of(blocks->ticks_ps, *blocks->timed_ps[i]);
        }
    }
}

static void plan(struct chip *chip, const struct register_block *block)
{
    find_next(chip, block);
    find_earliest(&chip->blocks);
}

void blocks_plan(struct chip *chip)
{
    for (unsigned i = 0; i < chip->blocks.timed_count; i++) {
        if (tells(chip->blocks.timed[i])) {
            find_next(chip, chip->blocks.timed[i]);
        }
    }
    find_earliest(&chip->blocks);
}

/* Levels of the interrupts that all cores share, each at its source's bit. */
static uint32_t lines_of(const struct chip *chip)
{
    const struct blocks *blocks = &chip->blocks;
    uint32_t lines = 0;
    for (unsigned i = 0; i < blocks->lined_count; i++) {
        const struct register_block *block = blocks->lined[i];
        lines |= block->lines(chip, blocks->state[block->place]);
    }
    return lines;
}

void blocks_update_lines(struct chip *chip, uint64_t now_ps)
{
    const uint32_t lines = lines_of(chip);
    for (uint32_t left = lines ^ chip->d.lines; left != 0; left &= left - 1) {
        const unsigned source = bits_lowest(left);
        for (unsigned p = 0; p < chip->core_count; p++) {
            core_signal(&chip->core[p], (enum vic_source)source, bits_test(lines, source),
                        now_ps + chip->parameters.chip_signal_floor_ps);
        }
    }
    chip->d.lines = lines;
}

enum register_request blocks_event(struct chip *chip, uint64_t now_ps)
{
    unsigned i = 0;
    while (*chip->blocks.timed_ps[i] != now_ps) {
        i++;
    }
    const struct register_block *block = chip->blocks.timed[i];
    void *state = chip->blocks.state[block->place];
    if (!tells(block)) {
        return block->event(chip, state, 0);
    }
    const uint64_t tick = block->next_tick != NULL ? block->next_tick(state) : 0;
    const enum register_request request = block->event(chip, state, tick);
    plan(chip, block);
    blocks_update_lines(chip, now_ps);
    return request;
}

enum register_reply blocks_access(const struct register_block *block,
                                  struct register_access *access, bool write, uint32_t *datum)
{
    struct chip *chip = access->chip;
    if (access->size != WORD_BYTES && !block->parts_of_words) {
        return REGISTER_BUS_ERROR;
    }
    access->state = chip->blocks.state[block->place];
    if (block->next_tick != NULL) {
        access->tick = pace_cycle_up(&chip->d.pace[SYSCTL_CLOCK_SYSTEM], access->now_ps + 1) - 1;
    }
    const enum register_reply reply =
        write ? block->write(access, *datum) : block->read(access, datum);
    if (tells(block)) {
        plan(chip, block);
    }
    if (write && block->lines != NULL) {
        blocks_update_lines(chip, access->now_ps);
    }
    return reply;
}

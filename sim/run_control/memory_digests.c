/* memory_digests.c - see memory_digests.h. */
#include "sim/run_control/memory_digests.h"

#include "models/chip/memory_map.h"
#include "sim/data/sha256.h"
#include "sim/grow.h"
#include "sim/steps.h"

enum { PARTS = OUTCOME_MEMORY_BLOCKS - 1 }; /* blocks of one memory; a core has its ITCM, too */

/* Pieces of memory come in order: chips, on each SDRAM, System RAM, then ITCM and DTCM of each
 * core; within a memory by address.  They come twice: to find how far each memory is written, which
 * says how large its blocks are, and to be hashed. */
struct digests {
    struct outcome *outcome;
    struct range {
        uint32_t first, bytes; /* of what was written, ITCM not */
    } * range;                 /* of each row of outcome->memory */
    size_t range_room;
    size_t at; /* the row of the piece */
    struct sha256 hash;
    bool hashes; /* the second time */
    bool open;   /* `hash` has a block's bytes */
    bool failed; /* out of memory */
};

static enum outcome_memory_kind kind_of(uint32_t address, int instance)
{
    if (instance >= 0) {
        return OUTCOME_CORE_MEMORY;
    }
    return memory_map_find(address).block == MEMORY_SDRAM ? OUTCOME_SDRAM : OUTCOME_SYSTEM_RAM;
}

static bool is_of(const struct outcome_memory *row, const struct outcome_memory *piece)
{
    return row->x == piece->x && row->y == piece->y && row->kind == piece->kind &&
           row->core == piece->core;
}

/* ---- how far each memory is written ---- */

static bool add_row(struct digests *digests, const struct outcome_memory *row)
{
    struct outcome *outcome = digests->outcome;
    const size_t at = outcome->memory_count;
    struct outcome_memory *memory =
        grow(outcome->memory, &outcome->memory_room, at, sizeof *outcome->memory);
    struct range *range = grow(digests->range, &digests->range_room, at, sizeof *digests->range);
    outcome->memory = memory == NULL ? outcome->memory : memory;
    digests->range = range == NULL ? digests->range : range;
    if (memory == NULL || range == NULL) {
        return false;
    }
    memory[at] = *row;
    range[at] = (struct range){0};
    outcome->memory_count++;
    return true;
}

/* Whether a piece is the only one of a memory of its own within the row. */
static bool is_itcm(const struct outcome_memory *row, uint32_t address)
{
    return row->kind == OUTCOME_CORE_MEMORY && address == 0;
}

static void find(struct digests *digests, uint32_t address, uint32_t count)
{
    struct range *range = &digests->range[digests->at];
    if (!is_itcm(&digests->outcome->memory[digests->at], address)) {
        range->first = range->bytes == 0 ? address : range->first;
        range->bytes = address + count - range->first;
    }
}

/* The least power of two of which at most PARTS hold the range, each beginning at a multiple. */
static uint32_t step_of(const struct range *range)
{
    uint32_t step = 1;
    while ((range->first + range->bytes - 1) / step - range->first / step >= PARTS) {
        step *= 2;
    }
    return step;
}

/* ---- hashing ---- */

static void close_block(struct digests *digests)
{
    uint8_t digest[SHA256_BYTES];
    struct outcome_memory *row = &digests->outcome->memory[digests->at];
    if (digests->open) {
        sha256_final(&digests->hash, digest);
        row->block[row->count - 1].digest = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 |
                                            (uint32_t)digest[2] << 8 | digest[3];
        digests->open = false;
    }
}

static void add_bytes(struct digests *digests, uint32_t block, uint32_t address,
                      const uint8_t *bytes, uint32_t count)
{
    struct outcome_memory *row = &digests->outcome->memory[digests->at];
    const uint8_t head[] = {(uint8_t)address, (uint8_t)(address >> 8), (uint8_t)(address >> 16),
                            (uint8_t)(address >> 24)};
    if (!digests->open || row->block[row->count - 1].address != block) {
        close_block(digests);
        row->block[row->count++].address = block;
        sha256_init(&digests->hash);
        digests->open = true;
    }
    sha256_update(&digests->hash, head, sizeof head);
    sha256_update(&digests->hash, bytes, count);
}

static void hash(struct digests *digests, uint32_t address, const uint8_t *bytes, uint32_t count)
{
    const struct outcome_memory *row = &digests->outcome->memory[digests->at];
    const bool whole = is_itcm(row, address);
    const uint32_t step = whole ? count : step_of(&digests->range[digests->at]);
    while (count > 0) {
        const uint32_t block = address / step * step;
        const uint32_t left = block + step - address;
        const uint32_t part = left < count ? left : count;
        add_bytes(digests, block, address, bytes, part);
        address += part;
        bytes += part;
        count -= part;
    }
}

/* ---- both ---- */

static void take(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                 const uint8_t *bytes, uint32_t count)
{
    struct digests *digests = context;
    struct outcome *outcome = digests->outcome;
    const struct outcome_memory piece = {
        .x = x, .y = y, .kind = (uint8_t)kind_of(address, instance), .core = instance};
    if (digests->failed || count == 0) {
        return;
    }
    if (digests->hashes) {
        while (!is_of(&outcome->memory[digests->at], &piece)) {
            close_block(digests);
            digests->at++;
        }
        hash(digests, address, bytes, count);
        return;
    }
    if (outcome->memory_count == 0 || !is_of(&outcome->memory[outcome->memory_count - 1], &piece)) {
        digests->failed = !add_row(digests, &piece);
    }
    if (!digests->failed) {
        digests->at = outcome->memory_count - 1;
        find(digests, address, count);
    }
}

enum status memory_digests(const struct machine *machine, struct outcome *outcome,
                           struct diagnostic *diagnostic)
{
    struct digests digests = {.outcome = outcome};
    machine_each_written(machine, take, &digests);
    digests.at = 0;
    digests.hashes = true;
    machine_each_written(machine, take, &digests);
    close_block(&digests);
    free(digests.range);
    return digests.failed ? no_memory(diagnostic) : STATUS_OK;
}

/* plan_train_values.c - see plan_train.h: writes and reads parameters and optimizer state. */
#include "sim/mapping/plan_train.h"

#include "models/common/check.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4 };

/* A block of values in the machine, with the network's parameter that each value belongs to. */
struct block {
    uint32_t address;
    const uint32_t *origin;
    uint32_t count;
    uint32_t words, word_bytes; /* words of each value; bytes of a word */
    uint8_t *bytes;             /* count x words x word_bytes, owned */
};

/* The slice of some words that a core owns after an exchange, as exchange_owned() computes it:
 * slices of whole packets travel around the ring, and each ends one chip before its start. */
static struct plan_slice owned_on(const struct exchange_plan *ring, struct plan_slice words)
{
    if (ring->chips <= 1) {
        return words;
    }
    const uint32_t slice = (ring->position + 1) % ring->chips;
    const uint32_t begin = exchange_bound(ring->words, ring->chips, slice);
    const uint32_t end = exchange_bound(ring->words, ring->chips, slice + 1);
    return (struct plan_slice){words.first + begin, end - begin};
}

/* A core's plan of a distribution, in the data of its chip. */
static const struct distribution_plan *distribution_of(const struct plan_train *train, size_t core)
{
    const size_t chip = core / train->cores;
    const uint32_t offset = train->record[core].exchange.tree - train->exchange_address;
    return (const void *)(train->exchange_data.bytes + chip * train->exchange_data.of_chip +
                          offset);
}

static struct plan_slice owned_of(const struct plan_train *train, size_t core)
{
    const struct nn_train_core *record = &train->record[core];
    const struct plan_slice whole = {record->slice_first, record->slice_count};
    if (train->exchange->owned != NULL) {
        const struct exchange_owned owned =
            train->exchange->owned(&record->exchange, distribution_of(train, core));
        return (struct plan_slice){whole.first + owned.first, owned.count};
    }
    return owned_on(&record->between_boards, owned_on(&record->exchange, whole));
}

/* The block that a core holds: its piece, if the core is the first on its chip that holds it, or
 * the core's own state.  False: none. */
static bool block_of(const struct load_plan *plan, size_t core, enum plan_train_values what,
                     struct block *block)
{
    const struct plan_train *train = plan->train;
    const struct nn_train_core *record = &train->record[core];
    const struct train_piece *piece = &train->piece[plan_train_piece_of(train, core)];
    if (what == PLAN_TRAIN_PARAMETERS) {
        *block = (struct block){record->parameters, piece->origin, piece->count, 1,
                                train->value_bytes, NULL};
        return plan_train_holds(train, core);
    }
    const struct plan_slice whole = {record->slice_first, record->slice_count};
    const struct plan_slice owned = train->all_images ? whole : owned_of(train, core);
    *block = (struct block){record->state, piece->owned_origin + (owned.first - piece->first),
                            owned.count,   nn_rule_state_words(&record->rule),
                            WORD_BYTES,    NULL};
    return block->count * block->words > 0;
}

static void put_value(uint8_t *to, uint32_t bytes, int32_t value)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)((uint32_t)value >> 8 * i);
    }
}

static int32_t get_value(const uint8_t *from, uint32_t bytes)
{
    uint32_t value = 0;
    CHECK(bytes > 0, "a value has bytes");
    for (uint32_t i = 0; i < bytes; i++) {
        value |= (uint32_t)from[i] << 8 * i;
    }
    const uint32_t unused = 32 - 8 * bytes;
    return (int32_t)(value << unused) >> unused;
}

static uint32_t bytes_of(const struct block *block)
{
    return block->count * block->words * block->word_bytes;
}

/* Index in the network's block of word i of a block; TRAIN_PIECE_FILLER: the word is padding. */
static size_t place_of(const struct block *block, uint32_t i)
{
    const uint32_t origin = block->origin[i / block->words];
    return origin == TRAIN_PIECE_FILLER ? TRAIN_PIECE_FILLER
                                        : (size_t)origin * block->words + i % block->words;
}

enum status plan_train_write_values(const struct load_plan *plan, struct machine *machine,
                                    enum plan_train_values what, const int32_t *values)
{
    enum status status = STATUS_OK;
    for (size_t core = 0; core < plan->core_count && status == STATUS_OK; core++) {
        struct block block;
        if (!block_of(plan, core, what, &block)) {
            continue;
        }
        block.bytes = calloc(1, bytes_of(&block));
        for (uint32_t i = 0; i < block.count * block.words && block.bytes != NULL; i++) {
            if (place_of(&block, i) != TRAIN_PIECE_FILLER) {
                put_value(block.bytes + (size_t)i * block.word_bytes, block.word_bytes,
                          values[place_of(&block, i)]);
            }
        }
        status = block.bytes == NULL ? STATUS_INTERNAL
                                     : machine_write(machine, plan->core[core].core, block.address,
                                                     block.bytes, bytes_of(&block));
        free(block.bytes);
    }
    return status;
}

static enum status take_block(const struct block *block, struct machine_core core, int32_t *values,
                              bool *seen, struct diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < block->count * block->words; i++) {
        const size_t place = place_of(block, i);
        const int32_t here =
            get_value(block->bytes + (size_t)i * block->word_bytes, block->word_bytes);
        if (place == TRAIN_PIECE_FILLER) {
            continue;
        }
        if (seen[place] && values[place] != here) {
            return diagnose(diagnostic, STATUS_INTERNAL,
                            "%s %zu is %d on chip %u,%u and %d elsewhere",
                            block->words == 1 ? "parameter" : "word of state", place, here, core.x,
                            core.y, values[place]);
        }
        values[place] = here;
        seen[place] = true;
    }
    return STATUS_OK;
}

enum status plan_train_read_values(const struct load_plan *plan, const struct machine *machine,
                                   enum plan_train_values what, int32_t *values,
                                   struct diagnostic *diagnostic)
{
    const bool parameters = what == PLAN_TRAIN_PARAMETERS;
    const size_t words = (size_t)plan->table->parameter_bytes / 2 *
                         (parameters ? 1 : nn_rule_state_words(&plan->train->record[0].rule));
    bool *seen = calloc(words + 1, sizeof *seen);
    enum status status = seen == NULL ? no_memory(diagnostic) : STATUS_OK;
    memset(values, 0, words * sizeof *values);
    const size_t cores = plan->train->exchange->replicas ? plan->train->cores : plan->core_count;
    for (size_t i = 0; i < cores && status == STATUS_OK; i++) {
        const struct machine_core core = plan->core[i].core;
        struct block block;
        if (!block_of(plan, i, what, &block)) {
            continue;
        }
        block.bytes = calloc(1, bytes_of(&block));
        status = block.bytes == NULL
                     ? no_memory(diagnostic)
                     : machine_read(machine, core, block.address, block.bytes, bytes_of(&block));
        if (status == STATUS_OK) {
            status = take_block(&block, core, values, seen, diagnostic);
        }
        free(block.bytes);
    }
    free(seen);
    return status;
}

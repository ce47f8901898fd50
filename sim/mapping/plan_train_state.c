/* plan_train_state.c - see plan_train.h: what the owners of parameters keep from update to update.
 */
#include "sim/mapping/plan_train.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4, UNIT_WORDS = 2 };

/* Words of its piece that a core updates. */
struct owned {
    uint32_t first, count;
};

/* Of a core's slice, what exchange_owned() says: slices of whole packets go around the ring, and
 * each ends one chip before it began. */
static struct owned owned_of(const struct nn_train_core *record)
{
    const struct exchange_plan *ring = &record->exchange;
    if (ring->chips <= 1) {
        return (struct owned){record->slice_first, record->slice_count};
    }
    const uint32_t units = (ring->words + UNIT_WORDS - 1) / UNIT_WORDS;
    const uint32_t slice = (ring->position + 1) % ring->chips;
    const uint32_t begin = units * slice / ring->chips * UNIT_WORDS;
    const uint32_t end = units * (slice + 1) / ring->chips * UNIT_WORDS;
    return (struct owned){record->slice_first + begin,
                          (end < ring->words ? end : ring->words) - begin};
}

/* One core's words in the machine, and where each parameter's lie in the network's state. */
struct part {
    const struct nn_train_core *record;
    const uint32_t *origin;
    struct owned owned;
    uint32_t words; /* of each parameter */
    int32_t *block; /* of the machine; owned */
    uint32_t bytes;
};

static enum status part_of(const struct load_plan *plan, size_t core, struct part *part)
{
    const struct nn_train_core *record = &plan->train->record[core];
    const struct owned whole = {record->slice_first, record->slice_count};
    const struct owned owned = plan->train->all_images ? whole : owned_of(record);
    const struct train_piece *piece = &plan->train->piece[plan_train_piece_of(plan->train, core)];
    const uint32_t words = nn_rule_state_words(&record->rule);
    *part = (struct part){.record = record,
                          .origin = piece->origin + owned.first,
                          .owned = owned,
                          .words = words,
                          .block = calloc((size_t)owned.count * words + 1, WORD_BYTES),
                          .bytes = owned.count * words * WORD_BYTES};
    return part->block == NULL ? STATUS_INTERNAL : STATUS_OK;
}

static enum status take_part(const struct part *part, int32_t *state, bool *seen,
                             struct diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < part->owned.count; i++) {
        const uint32_t origin = part->origin[i];
        if (origin == TRAIN_PIECE_FILLER) {
            continue;
        }
        int32_t *to = state + (size_t)origin * part->words;
        const int32_t *from = part->block + (size_t)i * part->words;
        if (seen[origin] && memcmp(to, from, (size_t)part->words * WORD_BYTES) != 0) {
            return diagnose(diagnostic, STATUS_INTERNAL,
                            "two owners of parameter %u keep different state", origin);
        }
        memcpy(to, from, (size_t)part->words * WORD_BYTES);
        seen[origin] = true;
    }
    return STATUS_OK;
}

enum status plan_train_read_state(const struct load_plan *plan, const struct machine *machine,
                                  int32_t *state, struct diagnostic *diagnostic)
{
    bool *seen = calloc(plan->table->parameter_bytes / 2 + 1, sizeof *seen);
    enum status status = seen == NULL ? STATUS_INTERNAL : STATUS_OK;
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        struct part part;
        status = part_of(plan, i, &part);
        if (status == STATUS_OK && part.bytes > 0) {
            status = machine_read(machine, plan->core[i].core, part.record->state, part.block,
                                  part.bytes);
        }
        if (status == STATUS_OK) {
            status = take_part(&part, state, seen, diagnostic);
        }
        free(part.block);
    }
    free(seen);
    return status;
}

enum status plan_train_write_state(const struct load_plan *plan, struct machine *machine,
                                   const int32_t *state)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        struct part part;
        status = part_of(plan, i, &part);
        for (uint32_t k = 0; k < part.owned.count && status == STATUS_OK; k++) {
            if (part.origin[k] != TRAIN_PIECE_FILLER) {
                memcpy(part.block + (size_t)k * part.words,
                       state + (size_t)part.origin[k] * part.words,
                       (size_t)part.words * WORD_BYTES);
            }
        }
        if (status == STATUS_OK && part.bytes > 0) {
            status = machine_write(machine, plan->core[i].core, part.record->state, part.block,
                                   part.bytes);
        }
        free(part.block);
    }
    return status;
}

/* ahead.h - checkpoint and rollback of a core that runs ahead: a copy of the state that decides its
 * future, and an undo log of its stores since.  Private to models/arm968; the owner's side is in
 * arm968.h. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/common/c_linkage.h"

#include <string.h>
C_LINKAGE_BEGIN

enum { AHEAD_UNDO_WORDS = 4096 };

/* A core's state at the checkpoint, and the old values of the words of its data memory that it has
 * stored to since, oldest first.  Translated code appends to the undo log by itself
 * (translate/emit.c). */
struct ahead_checkpoint {
    struct ahead_word {
        uint32_t offset, value;
    } word[AHEAD_UNDO_WORDS];
    /* struct arm968 up to `code`: all that a run can change but code and what is derived from it */
    uint8_t state[offsetof(struct arm968, code)];
};

static inline bool ahead_is(const struct arm968 *cpu)
{
    return cpu->undo_log != NULL;
}

/* Whether no word can be logged, including when the core is not ahead. */
static inline bool ahead_is_full(const struct arm968 *cpu)
{
    return cpu->undo_log == cpu->undo_log_end;
}

/* Whether `words` words can be logged. */
static inline bool ahead_has_room(const struct arm968 *cpu, unsigned words)
{
    return cpu->undo_log_end - cpu->undo_log >= (ptrdiff_t)words;
}

/* Logs the word of the data memory at `offset` before it is stored to. */
static inline void ahead_log_word(struct arm968 *cpu, uint32_t offset)
{
    struct ahead_word *word = cpu->undo_log++;
    word->offset = offset & ~3u;
    memcpy(&word->value, cpu->config.data.bytes + word->offset, sizeof word->value);
}

/* Logs several words before they are stored to. */
static inline void ahead_log_words(struct arm968 *cpu, uint32_t offset, unsigned count)
{
    struct ahead_word *word = cpu->undo_log;
    const uint8_t *bytes = cpu->config.data.bytes;
    cpu->undo_log += count;
    for (const uint32_t end = offset + 4 * count; offset < end; offset += 4, word++) {
        word->offset = offset;
        memcpy(&word->value, bytes + offset, sizeof word->value);
    }
}

C_LINKAGE_END

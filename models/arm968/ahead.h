/* ahead.h - a core that runs on though it may be taken back: a copy of what decides its future, and
 * a journal of what it has stored since.  Private to models/arm968; the owner's side is in
 * arm968.h. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/common/c_linkage.h"

#include <string.h>
C_LINKAGE_BEGIN

enum { AHEAD_JOURNAL_WORDS = 4096 };

/* What a core was, and the words of its data memory that it has stored to since, oldest first.
 * Translated code adds to the journal by itself (translate/emit.c). */
struct ahead_note {
    struct ahead_word {
        uint32_t offset, value;
    } word[AHEAD_JOURNAL_WORDS];
    /* struct arm968 up to `code`: all that a run can change but code and what is derived from it */
    uint8_t state[offsetof(struct arm968, code)];
};

static inline bool ahead_is(const struct arm968 *cpu)
{
    return cpu->journal != NULL;
}

/* Whether no word can be noted, be it that the core is not ahead. */
static inline bool ahead_is_full(const struct arm968 *cpu)
{
    return cpu->journal == cpu->journal_end;
}

/* Whether that many words can be noted. */
static inline bool ahead_has_room(const struct arm968 *cpu, unsigned words)
{
    return cpu->journal_end - cpu->journal >= (ptrdiff_t)words;
}

/* Notes the word of the data memory at `offset`, which is about to be stored to. */
static inline void ahead_note_word(struct arm968 *cpu, uint32_t offset)
{
    struct ahead_word *word = cpu->journal++;
    word->offset = offset & ~3u;
    memcpy(&word->value, cpu->config.data.bytes + word->offset, sizeof word->value);
}

/* The same of several words. */
static inline void ahead_note_words(struct arm968 *cpu, uint32_t offset, unsigned count)
{
    struct ahead_word *word = cpu->journal;
    const uint8_t *bytes = cpu->config.data.bytes;
    cpu->journal += count;
    for (const uint32_t end = offset + 4 * count; offset < end; offset += 4, word++) {
        word->offset = offset;
        memcpy(&word->value, bytes + offset, sizeof word->value);
    }
}

C_LINKAGE_END

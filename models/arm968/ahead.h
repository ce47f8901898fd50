/* ahead.h - a core that runs on though it may be taken back: a copy of what decides its future, and
 * a journal of what it has stored since.  Private to models/arm968; the owner's side is in
 * arm968.h. */
#ifndef MODELS_ARM968_AHEAD_H
#define MODELS_ARM968_AHEAD_H
#include "models/arm968/arm968_state.h"

#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { AHEAD_JOURNAL_WORDS = 4096 };

/* What a core was, and the words of its data memory that it has stored to since, oldest first.
 * Translated code adds to the journal by itself (translate/emit.c). */
struct ahead_note {
    uint32_t words;
    uint32_t gap;
    struct ahead_word {
        uint32_t offset, value;
    } word[AHEAD_JOURNAL_WORDS];
    /* struct arm968 up to `code`: all that a run can change but code and what is derived from it */
    uint8_t state[offsetof(struct arm968, code)];
};

/* Notes the word of the data memory at `offset`, which is about to be stored to; false: no room. */
static inline bool ahead_journal(struct arm968 *cpu, uint32_t offset)
{
    struct ahead_note *note = cpu->note;
    if (note->words == AHEAD_JOURNAL_WORDS) {
        return false;
    }
    struct ahead_word *word = &note->word[note->words++];
    word->offset = offset & ~3u;
    memcpy(&word->value, cpu->config.data.bytes + word->offset, sizeof word->value);
    return true;
}

#ifdef __cplusplus
}
#endif
#endif

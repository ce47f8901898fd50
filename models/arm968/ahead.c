/* ahead.c - see ahead.h.
 *
 * While a core runs ahead its window for stores is empty, so that every store comes to memory.c,
 * which keeps the old words here; the interpreter and its speed are otherwise what they always are.
 * Native code, which stores by itself, keeps them by itself. */
#include "models/arm968/ahead.h"

#include "models/common/check.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

void arm968_ahead_begin(struct arm968 *cpu)
{
    CHECK(!ahead_is(cpu) && !cpu->flat, "a core runs ahead of itself once");
    if (cpu->note == NULL) {
        cpu->note = malloc(sizeof *cpu->note);
        memory_need(cpu->note);
    }
    memcpy(cpu->note->state, cpu, sizeof cpu->note->state);
    cpu->journal = cpu->note->word;
    cpu->journal_end = cpu->note->word + AHEAD_JOURNAL_WORDS;
    cpu->ahead_ends = false;
    cpu->store = (struct window){0};
}

void arm968_ahead_settle(struct arm968 *cpu)
{
    cpu->journal = NULL;
    cpu->journal_end = NULL;
    cpu->store = cpu->load;
}

void arm968_ahead_take_back(struct arm968 *cpu)
{
    const struct ahead_note *note = cpu->note;
    for (const struct ahead_word *word = cpu->journal; word-- != note->word;) {
        memcpy(cpu->config.data.bytes + word->offset, &word->value, sizeof word->value);
    }
    memcpy(cpu, note->state, sizeof note->state);
    arm968_ahead_settle(cpu);
}

/* ahead.c - see ahead.h.
 *
 * While a core runs ahead its window for stores is empty, so that every store comes to memory.c,
 * which keeps the old words here; the interpreter and its speed are otherwise what they always are.
 * Native code, which stores by itself, keeps them by itself. */
#include "models/arm968/ahead.h"

#include "models/common/check.h"

#include <stdlib.h>
#include <string.h>

void arm968_ahead_begin(struct arm968 *cpu)
{
    CHECK(!cpu->ahead && !cpu->flat, "a core runs ahead of itself once");
    if (cpu->note == NULL) {
        cpu->note = malloc(sizeof *cpu->note);
        CHECK(cpu->note != NULL, "out of memory");
    }
    memcpy(cpu->note->state, cpu, sizeof cpu->note->state);
    cpu->note->words = 0;
    cpu->ahead = true;
    cpu->ahead_ends = false;
    memory_set_windows(cpu);
}

void arm968_ahead_settle(struct arm968 *cpu)
{
    cpu->ahead = false;
    memory_set_windows(cpu);
}

void arm968_ahead_take_back(struct arm968 *cpu)
{
    const struct ahead_note *note = cpu->note;
    for (uint32_t i = note->words; i > 0; i--) {
        const struct ahead_word *word = &note->word[i - 1];
        memcpy(cpu->config.data.bytes + word->offset, &word->value, sizeof word->value);
    }
    memcpy(cpu, note->state, sizeof note->state);
    arm968_ahead_settle(cpu);
}

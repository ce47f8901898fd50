/* ahead.c - see ahead.h.
 * While a core runs ahead its window for stores is empty, so every store goes through memory.c,
 * which logs the old words here; the interpreter and its speed are otherwise unchanged.  Native
 * code, which stores directly, logs them itself. */
#include "models/arm968/ahead.h"

#include "models/common/check.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

void arm968_ahead_begin(struct arm968 *cpu)
{
    CHECK(!ahead_is(cpu) && !cpu->flat, "a core runs ahead of itself once");
    if (cpu->checkpoint == NULL) {
        cpu->checkpoint = malloc(sizeof *cpu->checkpoint);
        memory_need(cpu->checkpoint);
    }
    memcpy(cpu->checkpoint->state, cpu, sizeof cpu->checkpoint->state);
    cpu->undo_log = cpu->checkpoint->word;
    cpu->undo_log_end = cpu->checkpoint->word + AHEAD_UNDO_WORDS;
    cpu->ahead_ends = false;
    cpu->store = (struct window){0};
}

void arm968_ahead_settle(struct arm968 *cpu)
{
    cpu->undo_log = NULL;
    cpu->undo_log_end = NULL;
    memory_set_store_window(cpu);
}

void arm968_ahead_roll_back(struct arm968 *cpu)
{
    const struct ahead_checkpoint *checkpoint = cpu->checkpoint;
    for (const struct ahead_word *word = cpu->undo_log; word-- != checkpoint->word;) {
        memcpy(cpu->config.data.bytes + word->offset, &word->value, sizeof word->value);
    }
    memcpy(cpu, checkpoint->state, sizeof checkpoint->state);
    arm968_ahead_settle(cpu);
}

/* elf_crash.c - see elf_crash.h. */
#include "sim/flat/elf_crash.h"

#include "sim/crash/last_instructions.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that has executed more is not run once more: a second or two of the host. */
enum { REPLAY_INSTRUCTIONS = 500000000, WHY_CHARS = 768 };

/* Why the program is not run once more; false: it can be. */
static bool refuses(const struct session *session, const struct crash_core *end,
                    char why[WHY_CHARS])
{
    const struct semihosting *semihosting = &session->semihosting;
    const uint64_t from =
        end->instructions > LAST_INSTRUCTIONS ? end->instructions - LAST_INSTRUCTIONS : 0;
    const char *because = NULL;
    if (session->signal != 0) {
        because = "a signal has ended it";
    } else if (session->options->gdb_port != 0) {
        because = "GDB may have changed something";
    } else if (semihosting->console.reads > 0 || semihosting->console.lost_errno != 0) {
        because = "it depends on its input and output";
    } else if (session->options->files != NULL) {
        because = "it may have changed its files";
    }
    if (because != NULL) {
        (void)snprintf(why, WHY_CHARS, "not known: the program is not run once more, as %s",
                       because);
        return true;
    }
    if (end->instructions <= REPLAY_INSTRUCTIONS) {
        return false;
    }
    (void)snprintf(why, WHY_CHARS,
                   "the program has executed %" PRIu64 " instructions, and is run once more only "
                   "up to %d; with its options and\n  --trace - --trace-from %" PRIu64
                   " --trace-count %d",
                   end->instructions, REPLAY_INSTRUCTIONS, from, 2 * LAST_INSTRUCTIONS);
    return true;
}

static bool is_same_end(const struct crash_core *first, const struct crash_core *again)
{
    return first->cycle == again->cycle && first->instructions == again->instructions &&
           first->cpsr == again->cpsr && memcmp(first->r, again->r, sizeof first->r) == 0;
}

/* Runs the program to its last instructions at full speed, and then one by one. */
static enum status run_again(struct session *again, const struct crash_core *end,
                             struct last_instructions *last, struct diagnostic *diagnostic)
{
    struct session_step step;
    bool goes_on = true;
    TRY(session_prepare(again, diagnostic));
    again->semihosting.console.mute = true;
    const struct arm968 *cpu = again->flat.cpu;
    while (goes_on) {
        const struct trace_view before = trace_view_of(cpu);
        const uint64_t left = end->instructions - before.instructions;
        const uint64_t span = left > LAST_INSTRUCTIONS ? left - LAST_INSTRUCTIONS : 1;
        goes_on = session_advance(again, before.cycle + span, &step, diagnostic);
        const struct trace_view after = trace_view_of(cpu);
        if (span == 1) {
            last_instructions_note(last, session_read, &again->flat, &before, &after);
        }
        goes_on = goes_on && before.instructions <= end->instructions;
    }
    struct crash_core now;
    crash_core_take(&now, cpu, again->entry);
    return is_same_end(end, &now) ? STATUS_OK : STATUS_GUEST;
}

static void write_instructions(FILE *out, const struct session *session,
                               const struct crash_core *end)
{
    struct elf_run_options options = *session->options;
    struct last_instructions last = {.count = 0};
    struct diagnostic about = {0};
    char why[WHY_CHARS];
    if (refuses(session, end, why)) {
        (void)fprintf(out, "\nlast instructions: %s\n", why);
        return;
    }
    options.profile = options.stacks = options.trace = options.trace_from = NULL;
    options.count_from = options.count_to = NULL;
    options.gdb_port = 0;
    options.warn = NULL;
    RELEASED(session_deinit) struct session again;
    session_init(&again, &options);
    if (run_again(&again, end, &last, &about) != STATUS_OK) {
        (void)fputs("\nlast instructions: not known: run once more, the program has come to "
                    "another end\n",
                    out);
        return;
    }
    (void)fputs("\nlast instructions\n", out);
    (void)last_instructions_write(&last, LAST_INSTRUCTIONS, &session->image, out);
}

char *elf_crash_text(const struct session *session, const struct diagnostic *diagnostic)
{
    struct crash_core end;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) {
        return NULL;
    }
    crash_core_take(&end, session->flat.cpu, session->entry);
    const enum status status =
        crash_core_trace_back(&end, &session->image, session_read, &session->flat);
    (void)fprintf(out, "\nwhat      %s\ntime      cycle %" PRIu64 ", %" PRIu64 " instructions\n\n",
                  diagnostic->text, end.cycle, end.instructions);
    if (status == STATUS_OK) {
        crash_write_backtrace(out, &end);
        (void)fputc('\n', out);
    }
    crash_write_registers(out, &end);
    write_instructions(out, session, &end);
    (void)fputc('\n', out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

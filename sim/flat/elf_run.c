/* elf_run.c - see elf_run.h. */
#include "sim/flat/elf_run.h"

#include "sim/file.h"
#include "sim/flat/elf_crash.h"
#include "sim/flat/elf_gdb.h"
#include "sim/flat/elf_session.h"
#include "sim/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The counts between the two ends of the region, if one was requested. */
static enum status measure_region(const struct session *session, struct elf_run_result *result,
                                  struct diagnostic *diagnostic)
{
    const struct region_end *from = &session->from;
    const struct region_end *to = &session->to;
    const struct elf_run_options *options = session->options;
    if (!from->wanted) {
        return STATUS_OK;
    }
    if (!from->reached || !to->reached) {
        return file_refuse(options->file, NULL, diagnostic,
                           "--count: the program has not come to %s",
                           from->reached ? options->count_to : options->count_from);
    }
    if (to->cycles < from->cycles) {
        return file_refuse(
            options->file, "a region goes from the first arrival at FROM to the first at TO",
            diagnostic,
            "--count: the program has come to %s, after %llu instructions, before it has come to "
            "%s, after %llu",
            options->count_to, (unsigned long long)to->instructions, options->count_from,
            (unsigned long long)from->instructions);
    }
    result->region_instructions = to->instructions - from->instructions;
    result->region_cycles = to->cycles - from->cycles;
    return STATUS_OK;
}

/* Writes what is left of the output; a failure, of this or an earlier write, is one of the run. */
static enum status finish_output(struct session *session, struct diagnostic *diagnostic)
{
    struct console *console = &session->semihosting.console;
    console_flush(console);
    if (console->lost_errno == 0) {
        return STATUS_OK;
    }
    if (console->lost_errno == EPIPE &&
        session_is_interrupted(session)) { /* nobody reads the last line */
        session->signal = session->options->interrupt->signal;
    }
    return diagnose(diagnostic, STATUS_INTERNAL,
                    "some of the program's output is lost: cannot write standard %s: %s",
                    console->lost_on == STDOUT_FILENO ? "output" : "error",
                    strerror(console->lost_errno));
}

/* Adds the outcome of a later step.  If the run has failed already, its message remains, and the
 * step's becomes a warning; but output that is lost decides the exit status. */
static enum status join(const struct session *session, enum status status, enum status step,
                        const struct diagnostic *about, struct diagnostic *diagnostic)
{
    if (step == STATUS_OK) {
        return status;
    }
    if (status == STATUS_OK) {
        *diagnostic = *about;
    } else if (session->options->warn != NULL && session->signal != SIGPIPE) {
        session->options->warn(about);
    }
    return step;
}

/* Warns of a stack that has run into the heap's part of memory, as far as the program has asked
 * where that is.  A fault has its own hint. */
static void warn_of_stack(const struct session *session, enum status status)
{
    const uint32_t lowest = arm968_lowest_sp(session->flat.cpu);
    const uint32_t limit = session->semihosting.stack_limit;
    struct diagnostic about = {0};
    if (lowest >= limit || lowest < session->flat.base || status == STATUS_GUEST ||
        session->options->warn == NULL) {
        return;
    }
    (void)diagnose(&about, STATUS_GUEST,
                   "the stack ran into the heap's part of memory: its lowest sp was 0x%08x, below "
                   "0x%08x, where the stack's part ends",
                   lowest, limit);
    diagnostic_at(&about, session->image.path, 0, 0);
    session->options->warn(&about);
}

/* Writes everything that is to be written after the run. */
static enum status finish_files(struct session *session, enum status status,
                                struct diagnostic *diagnostic)
{
    struct diagnostic about = {0};
    enum status step = elf_profile_finish(&session->profile, &about);
    status = join(session, status, step, &about, diagnostic);
    about = (struct diagnostic){0};
    step = instruction_trace_close(&session->trace, &about);
    return join(session, status, step, &about, diagnostic);
}

enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic)
{
    struct session session;
    session_init(&session, options);
    *result = (struct elf_run_result){0};
    enum status status = session_prepare(&session, diagnostic);
    if (status == STATUS_OK) {
        struct diagnostic about = {0};
        session.view = core_view_of(session.flat.cpu);
        status = options->gdb_port != 0 ? elf_gdb_run(&session, diagnostic)
                                        : session_run_to_end(&session, diagnostic);
        warn_of_stack(&session, status);
        if (status == STATUS_GUEST || status == STATUS_LIMIT) {
            result->crash = elf_crash_text(&session, diagnostic);
        }
        const enum status output = finish_output(&session, &about);
        status = join(&session, status, output, &about, diagnostic);
        result->has_run = true;
        result->signal = session.signal;
        result->exit_status = session.semihosting.exit_status;
        result->instructions = arm968_counters(session.flat.cpu)->instructions;
        result->cycles = arm968_cycle(session.flat.cpu);
        if (status == STATUS_OK) {
            status = measure_region(&session, result, diagnostic);
        }
        status = finish_files(&session, status, diagnostic);
    }
    session_deinit(&session);
    return status;
}

/* elf_run.c - see elf_run.h. */
#include "sim/flat/elf_run.h"

#include "sim/file.h"
#include "sim/flat/elf_gdb.h"
#include "sim/flat/elf_session.h"
#include "sim/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODE_BITS = 0x1f, WHY_CHARS = 64 };

/* After this many faults without an instruction in between, the fault handlers count as an endless
 * loop. */
enum { FAULTS_FOR_EVER = 2 * VECTORS };

/* Periods in which an unfinished output line is flushed, and signals are checked.  Code that runs
 * for the first time takes a hundred times as long as other code: a slice of it still takes only a
 * fraction of a second. */
enum { FLUSH_CYCLES = 1 << 25, SLICE_CYCLES = 1 << 18 };

static bool handler_missing(const struct session *session)
{
    const uint32_t vector = arm968_register(session->flat.cpu, 15);
    const uint8_t *word = flat_core_bytes(&session->flat, vector, VECTOR_BYTES);
    static const uint8_t EMPTY[VECTOR_BYTES];
    return word == NULL || memcmp(word, EMPTY, sizeof EMPTY) == 0;
}

/* Whether fault handlers fault endlessly, which the limit of instructions cannot end. */
static bool faults_for_ever(struct session *session)
{
    const uint64_t instructions = arm968_counters(session->flat.cpu)->instructions;
    session->faults = instructions == session->fault_instructions ? session->faults + 1 : 1;
    session->fault_instructions = instructions;
    return session->faults == FAULTS_FOR_EVER;
}

static enum status guest_failed(struct session *session, enum arm968_stop stop, const char *why,
                                struct diagnostic *diagnostic)
{
    session->scene.stack_limit = session->semihosting.stack_limit;
    return elf_fault_tell(&session->scene, stop, why, diagnostic);
}

enum status session_ended(struct session *session, enum status status, const char *why,
                          struct diagnostic *diagnostic)
{
    const struct arm968 *cpu = session->flat.cpu;
    char place[ELF_PLACE_CHARS];
    session->scene.stack_limit = session->semihosting.stack_limit;
    elf_place_now(&session->scene, place);
    (void)diagnose(diagnostic, status, "%s at %s", why, place);
    diagnostic_at(diagnostic, session->options->file, 0, 0);
    elf_fault_hint(&session->scene, (enum arm968_mode)(arm968_cpsr(cpu) & MODE_BITS), diagnostic);
    return status;
}

static void arrive(struct session *session, struct region_end *end)
{
    if (end->wanted && !end->reached && arm968_register(session->flat.cpu, 15) == end->address) {
        end->reached = true;
        end->instructions = arm968_counters(session->flat.cpu)->instructions;
        end->cycles = arm968_cycle(session->flat.cpu);
    }
}

/* Starts the trace when its start is reached. */
static void look_for_trace(struct session *session)
{
    const struct region_end *from = &session->trace_from;
    if (session->trace.stream == NULL || session->tracing) {
        return;
    }
    session->tracing = from->wanted
                           ? arm968_register(session->flat.cpu, 15) == from->address
                           : arm968_counters(session->flat.cpu)->instructions >= from->instructions;
}

/* A horizon (cycle) before which the program cannot exceed the instruction limit or the start of
 * the trace, since each instruction takes at least one cycle. */
static uint64_t limit_horizon(const struct session *session, uint64_t *left)
{
    const uint64_t limit = session->options->max_instructions;
    const uint64_t done = arm968_counters(session->flat.cpu)->instructions;
    *left = limit == 0 ? UINT64_MAX : limit > done ? limit - done : 0;
    uint64_t most = *left;
    const struct region_end *from = &session->trace_from;
    if (session->trace.stream != NULL && !from->wanted && from->instructions > done) {
        most = from->instructions - done < most ? from->instructions - done : most;
    }
    return most == UINT64_MAX ? most : arm968_cycle(session->flat.cpu) + most;
}

/* Whether the core is at the vector of an exception; a debugger's breakpoints may be elsewhere. */
static bool is_at_vector(const struct session *session)
{
    const uint32_t pc = arm968_register(session->flat.cpu, 15);
    return pc != 0 && pc < VECTORS * VECTOR_BYTES;
}

/* The core is at a vector, or at a fault that will lead to one. */
static enum status look_at_exception(struct session *session, enum arm968_stop stop,
                                     struct diagnostic *diagnostic)
{
    elf_fault_note(&session->scene);
    if (handler_missing(session)) {
        return guest_failed(session, stop, ", and no handler is installed", diagnostic);
    }
    if (stop == ARM968_STOP_FAULT && faults_for_ever(session)) {
        return guest_failed(session, stop, ", and its handler does nothing but fault", diagnostic);
    }
    session->scene.software_interrupts = arm968_counters(session->flat.cpu)->software_interrupts;
    return STATUS_OK;
}

/* Handles a stop of the core; true if the program continues. */
static bool stopped(struct session *session, enum arm968_stop stop, enum status *status,
                    struct diagnostic *diagnostic)
{
    *status = STATUS_OK;
    switch (stop) {
    case ARM968_STOP_REQUEST:
        semihosting_perform(&session->semihosting);
        return !session->semihosting.exited;
    case ARM968_STOP_MARK:
        arrive(session, &session->from);
        arrive(session, &session->to);
        return true;
    case ARM968_STOP_BREAKPOINT: /* which hides a mark at the same address */
        arrive(session, &session->from);
        arrive(session, &session->to);
        if (!is_at_vector(session)) {
            return true;
        }
        *status = look_at_exception(session, stop, diagnostic);
        return *status == STATUS_OK;
    case ARM968_STOP_FAULT:
        *status = look_at_exception(session, stop, diagnostic);
        return *status == STATUS_OK;
    case ARM968_STOP_WAIT:
        *status =
            session_ended(session, STATUS_GUEST,
                          "the program waits for an interrupt that nothing can raise,", diagnostic);
        return false;
    case ARM968_STOP_HORIZON:
        if (arm968_cycle(session->flat.cpu) >= session->flush_cycle) {
            console_flush(&session->semihosting.console);
            session->flush_cycle = arm968_cycle(session->flat.cpu) + FLUSH_CYCLES;
        }
        return true;
    case ARM968_STOP_AHEAD:
    case ARM968_STOP_OUTSIDE:
    default:
        return true;
    }
}

/* Runs the core to its next stop; true if the program continues. */
static bool run_once(struct session *session, uint64_t until, struct session_step *step,
                     struct diagnostic *diagnostic)
{
    step->stop = arm968_run(session->flat.cpu, until);
    return stopped(session, step->stop, &step->status, diagnostic);
}

/* The same for a single instruction, for the profile and the trace. */
static bool run_observed(struct session *session, struct session_step *step,
                         struct diagnostic *diagnostic)
{
    const struct arm968 *cpu = session->flat.cpu;
    const struct core_view before = session->view;
    struct trace_view traced = {0};
    if (session->tracing) {
        traced = trace_view_of(cpu);
    }
    const bool goes_on = run_once(session, arm968_cycle(cpu) + 1, step, diagnostic);
    if (session->tracing) {
        const struct trace_view after = trace_view_of(cpu);
        elf_trace_step(&session->trace, &session->flat, &traced, &after);
    }
    if (session->profile.calls == NULL) {
        return goes_on;
    }
    session->view = core_view_of(cpu);
    if (call_profile_step(session->profile.calls, &before, &session->view) != STATUS_OK) {
        step->status = no_memory(diagnostic);
        return false;
    }
    return goes_on;
}

static uint64_t horizon(const struct session *session, uint64_t *left)
{
    const uint64_t last = limit_horizon(session, left);
    const uint64_t stop_every = session->options->stop_every;
    const uint64_t now = arm968_cycle(session->flat.cpu);
    const uint64_t every = stop_every != 0 && stop_every < SLICE_CYCLES ? stop_every : SLICE_CYCLES;
    return every < last - now ? now + every : last;
}

static bool is_interrupted(const struct session *session)
{
    const struct elf_interrupt *interrupt = session->options->interrupt;
    return interrupt != NULL && interrupt->signal != 0;
}

/* Checks for an external reason to end the program (a signal, a limit); STATUS_OK: none. */
static enum status look_at_limits(struct session *session, uint64_t left,
                                  struct diagnostic *diagnostic)
{
    char why[WHY_CHARS];
    if (is_interrupted(session)) {
        session->signal = session->options->interrupt->signal;
        const char *name = sigabbrev_np(session->signal);
        (void)snprintf(why, sizeof why, "ended by SIG%s", name == NULL ? "?" : name);
    } else if (left == 0) {
        (void)snprintf(why, sizeof why, "stopped after %llu instructions",
                       (unsigned long long)session->options->max_instructions);
    } else {
        return STATUS_OK;
    }
    return session_ended(session, STATUS_LIMIT, why, diagnostic);
}

bool session_advance(struct session *session, uint64_t until, struct session_step *step,
                     struct diagnostic *diagnostic)
{
    uint64_t left;
    look_for_trace(session);
    const uint64_t own = horizon(session, &left);
    step->stop = ARM968_STOP_HORIZON;
    step->status = look_at_limits(session, left, diagnostic);
    if (step->status != STATUS_OK) {
        return false;
    }
    const bool observed =
        session->profile.calls != NULL || (session->tracing && session->trace.left > 0);
    return observed ? run_observed(session, step, diagnostic)
                    : run_once(session, until < own ? until : own, step, diagnostic);
}

enum status session_run_to_end(struct session *session, struct diagnostic *diagnostic)
{
    struct session_step step;
    while (session_advance(session, UINT64_MAX, &step, diagnostic)) {
    }
    return step.status;
}

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
    if (console->lost_errno == EPIPE && is_interrupted(session)) { /* nobody reads the last line */
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
    step = elf_trace_close(&session->trace, &about);
    return join(session, status, step, &about, diagnostic);
}

enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic)
{
    struct session session = {.options = options, .gdb = {.file = -1}};
    session.scene = (struct elf_scene){.image = &session.image, .flat = &session.flat};
    host_files_init(&session.semihosting.files);
    *result = (struct elf_run_result){0};
    enum status status = session_prepare(&session, diagnostic);
    if (status == STATUS_OK) {
        struct diagnostic about = {0};
        session.view = core_view_of(session.flat.cpu);
        status = options->gdb_port != 0 ? elf_gdb_run(&session, diagnostic)
                                        : session_run_to_end(&session, diagnostic);
        warn_of_stack(&session, status);
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
    gdb_server_close(&session.gdb);
    (void)elf_trace_close(&session.trace, NULL);
    elf_profile_discard(&session.profile);
    arm968_translator_destroy(session.translator);
    flat_core_deinit(&session.flat);
    host_files_deinit(&session.semihosting.files);
    free(session.command_line);
    elf_image_deinit(&session.image);
    return status;
}

/* elf_advance.c - see elf_session.h: runs a program from stop to stop. */
#include "sim/flat/elf_session.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

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
    session->entry = elf_fault_entry(&session->scene, stop);
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
        instruction_trace_step(&session->trace, session_read, &session->flat, &traced, &after);
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

/* Checks for an external reason to end the program (a signal, a limit); STATUS_OK: none. */
static enum status look_at_limits(struct session *session, uint64_t left,
                                  struct diagnostic *diagnostic)
{
    char why[WHY_CHARS];
    if (session_is_interrupted(session)) {
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

/* crash_take.c - see crash.h: which core is shown, and its last instructions and packets by running
 * the job again. */
#include "sim/run_control/core_memory.h"
#include "sim/run_control/core_watch.h"
#include "sim/run_control/crash.h"
#include "sim/run_control/waits.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the core that is shown ---- */

static size_t index_of(const struct outcome *outcome, struct machine_core core)
{
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct machine_core at = outcome->core[i].core;
        if (at.x == core.x && at.y == core.y && at.p == core.p) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* The first program that could go on. */
static size_t first_running(const struct session *session)
{
    for (size_t i = 0; i < session->program_cores; i++) {
        const struct machine_core core = session->outcome->core[i].core;
        const enum machine_core_state state = machine_core_view(session->machine, core).state;
        if (state == MACHINE_CORE_RUNNING || state == MACHINE_CORE_BLOCKED) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* The core without a fault that shows best how the run has ended; SIZE_MAX: there is none. */
static size_t find_index(const struct session *session)
{
    const struct outcome *outcome = session->outcome;
    const struct outcome_wait *wait = waits_first(outcome);
    const size_t running = outcome->end == OUTCOME_LIMIT ? first_running(session) : SIZE_MAX;
    if (session->failed_core < outcome->core_count) {
        return session->failed_core;
    }
    if (running != SIZE_MAX) {
        return running;
    }
    return wait != NULL ? wait->of : outcome->core_count > 0 ? 0 : SIZE_MAX;
}

/* False: there is nothing to show. */
static bool find_subject(const struct session *session, struct crash_subject *subject)
{
    const struct outcome *outcome = session->outcome;
    if (outcome->end == OUTCOME_DONE || session->given_up) {
        return false;
    }
    *subject = (struct crash_subject){.index = SIZE_MAX, .time_ps = outcome->time_ps};
    if (session->crash != NULL) {
        subject->faulted = true;
        subject->core = session->crash->fault[0].core;
        subject->time_ps = session->crash->fault[0].time_ps;
        subject->index = index_of(outcome, subject->core);
        subject->state = session->crash->first;
        return true;
    }
    if (session->stop == MACHINE_STOPPED) { /* from outside */
        return false;
    }
    subject->index = find_index(session);
    if (subject->index == SIZE_MAX) {
        return false;
    }
    subject->core = outcome->core[subject->index].core;
    return true;
}

/* Of a core that has not faulted: it stands still, with its stack. */
static enum status take_state(const struct session *session, struct crash_subject *subject)
{
    const struct core_memory memory = {session->machine, subject->core};
    crash_core_take(&subject->state, machine_core_processor(session->machine, subject->core),
                    CRASH_ENTRY_NONE);
    return crash_core_trace_back(&subject->state, session_program_of(session, subject->core),
                                 core_memory_read, &memory);
}

/* ---- the run again ---- */

enum { COMMAND_CHARS = 512, WHY_CHARS = COMMAND_CHARS + 256 };

/* Why the job is not run again; false: it can be. */
static bool refuses(const struct session *session, char why[WHY_CHARS])
{
    const struct job *job = session->job;
    const uint64_t most = job->config->record_crash_replay;
    const uint64_t executed = outcome_sum(session->outcome, "core", "instructions");
    char command[COMMAND_CHARS];
    if (job->options.frame != NULL) {
        (void)snprintf(why, WHY_CHARS, "not known: a host that is not modelled has taken part");
        return true;
    }
    if (job->options.given.memory != NULL) {
        (void)snprintf(why, WHY_CHARS,
                       "not known: the programs have worked on the caller's memory");
        return true;
    }
    if (executed <= most) {
        return false;
    }
    outcome_command(job->config, command, sizeof command);
    (void)snprintf(why, WHY_CHARS,
                   "the run has executed %" PRIu64
                   " instructions, and is run again for them only up to %" PRIu64
                   " (record.crash_replay):\n  %s --set record.crash_replay=%" PRIu64,
                   executed, most, command, executed);
    return true;
}

static void tell_nobody(struct session *session)
{
    (void)session;
}

/* The same simulation, of which nothing is recorded or told. */
static struct job job_again(const struct job *job, struct sim_config *config)
{
    struct job again = *job; /* owns nothing */
    *config = *job->config;
    config->record_profile_cycles = 0;
    config->record_interval_ps = 0;
    config->record_timeline_what = 0;
    config->record_trace_core = "";
    config->record_parameter_norms = 0;
    config->record_checkpoint_every_epochs = 0;
    again.config = config;
    again.options.run_until = job_run_plain; /* a simulation kernel has one machine */
    again.options.progress = NULL;
    again.options.hook = NULL;
    again.options.hook_events = 0;
    again.options.results = NULL;
    again.options.for_golden = false;
    return again;
}

static enum status run_again(const struct job *job, struct core_watch *watch,
                             struct crash_core *end, struct diagnostic *diagnostic)
{
    struct session session;
    RELEASED(outcome_deinit) struct outcome outcome = {.core = NULL};
    FREED struct sim_config *config = malloc(sizeof *config);
    if (config == NULL) {
        return no_memory(diagnostic);
    }
    const struct job again = job_again(job, config);
    TRY(session_open(&session, &again, &outcome, diagnostic));
    session.watch = watch;
    core_watch_begin(watch, session.machine);
    enum status status = STATUS_OK;
    if (session.plan.train != NULL) {
        status = session_train(&session, diagnostic);
    } else {
        (void)session_run(&session, tell_nobody);
    }
    core_watch_end(watch, session.machine);
    const struct arm968 *cpu = machine_core_processor(session.machine, watch->core);
    crash_core_take(end, cpu, watch->ends_at_fault ? CRASH_ENTRY_FAULT : CRASH_ENTRY_NONE);
    session_close(&session);
    return status;
}

/* Whether the second run has ended in the same state. */
static bool is_same_end(const struct crash_core *first, const struct crash_core *again)
{
    return first->cycle == again->cycle && first->instructions == again->instructions &&
           first->cpsr == again->cpsr && memcmp(first->r, again->r, sizeof first->r) == 0;
}

enum status crash_take(const struct session *session, struct diagnostic *diagnostic)
{
    struct crash_subject subject;
    char why[WHY_CHARS];
    if (!find_subject(session, &subject)) {
        return STATUS_OK;
    }
    if (!subject.faulted && take_state(session, &subject) != STATUS_OK) {
        return no_memory(diagnostic);
    }
    if (refuses(session, why)) {
        return crash_report(session, &subject, NULL, why, diagnostic);
    }
    struct crash_core end;
    struct diagnostic about = {0};
    FREED struct core_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        return no_memory(diagnostic);
    }
    watch->core = subject.core;
    watch->until_active_cycles = subject.state.active_cycles;
    watch->ends_at_fault = subject.faulted;
    const enum status status = run_again(session->job, watch, &end, &about);
    if (status != STATUS_OK || !is_same_end(&subject.state, &end)) {
        return crash_report(session, &subject, NULL,
                            "not known: run again, the core has come to another end (a debugger "
                            "may have changed something)",
                            diagnostic);
    }
    return crash_report(session, &subject, watch, NULL, diagnostic);
}

/* runner.c - see handle.h: the run as a coroutine. */
#include "models/common/units.h"
#include "sim/library/handle.h"
#include "sim/results/summary.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- turns ---- */

static void give_turn(struct spinnsim *handle, enum handle_state state)
{
    (void)pthread_mutex_lock(&handle->mutex);
    handle->state = state;
    (void)pthread_cond_broadcast(&handle->turn);
    (void)pthread_mutex_unlock(&handle->mutex);
}

/* The runner waits until it shall run, the caller until it does not. */
static void await_turn(struct spinnsim *handle, bool runs)
{
    (void)pthread_mutex_lock(&handle->mutex);
    while ((handle->state == HANDLE_RUNNING) != runs) {
        (void)pthread_cond_wait(&handle->turn, &handle->mutex);
    }
    (void)pthread_mutex_unlock(&handle->mutex);
}

static void stand(struct spinnsim *handle)
{
    give_turn(handle, HANDLE_STANDS);
    await_turn(handle, true);
}

/* ---- where it stands ---- */

static enum machine_stop run_machine(void *context, struct machine *machine, uint64_t time_ps)
{
    struct spinnsim *handle = context;
    enum machine_stop stop;
    uint64_t to_ps;
    handle->machine = machine;
    if (handle->closing) {
        return MACHINE_STOPPED;
    }
    do {
        to_ps = handle->pause_ps < time_ps ? handle->pause_ps : time_ps;
        stop = machine_run_until(machine, to_ps);
        if (stop == MACHINE_REACHED && to_ps == handle->pause_ps) {
            handle->pause_ps = TIME_NEVER;
            stand(handle);
            if (handle->closing) {
                return MACHINE_STOPPED;
            }
        }
    } while (stop == MACHINE_REACHED && to_ps < time_ps);
    return stop;
}

static bool hear(void *context, const struct job_event *event)
{
    struct spinnsim *handle = context;
    handle->live = *event->live;
    handle->machine = event->live->machine;
    handle->event = *event;
    if (!handle->closing && (handle->events >> event->kind & 1u) != 0) {
        handle->at_event = true;
        stand(handle);
    }
    const bool stops = event->kind == JOB_EPOCH_CHECK ? handle->stops_epoch : handle->stops;
    return !handle->closing && !stops;
}

void runner_follow(struct spinnsim *handle, struct job_options *options)
{
    options->run_until = run_machine;
    options->run_context = handle;
    options->hook = hear;
    options->hook_context = handle;
}

/* ---- the run ---- */

static char *summary_text(const struct record *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream != NULL) {
        summary_write(stream, record);
        (void)fclose(stream);
    }
    return text;
}

static void *run(void *context)
{
    struct spinnsim *handle = context;
    struct experiment *experiment = &handle->experiment;
    await_turn(handle, true);
    handle->status = experiment_execute(experiment, &handle->diagnostic);
    handle->machine = NULL;
    if (handle->status == STATUS_OK) {
        handle->summary = summary_text(&experiment->record);
        handle->status = experiment_verdict(experiment, &handle->diagnostic);
    }
    give_turn(handle, HANDLE_ENDED);
    return NULL;
}

static enum status begin(struct spinnsim *handle, struct diagnostic *diagnostic)
{
    handle->state = HANDLE_STANDS;
    if (pthread_create(&handle->runner, NULL, run, handle) != 0) {
        handle->state = HANDLE_READY;
        return diagnose(diagnostic, STATUS_INTERNAL, "a run needs a thread, and there is none");
    }
    return STATUS_OK;
}

enum status runner_go_on(struct spinnsim *handle, struct diagnostic *diagnostic)
{
    /* The checks are heard once somebody may want an end. */
    const uint32_t checks =
        SPINNSIM_EVENT(SPINNSIM_STEP_CHECK) | SPINNSIM_EVENT(SPINNSIM_EPOCH_CHECK);
    const uint32_t always = SPINNSIM_EVENT(SPINNSIM_BEFORE_RUN);
    const bool may_end = handle->stops || handle->stops_epoch || handle->closing;
    if (handle->state == HANDLE_ENDED) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the run has ended\vopen the experiment again to run it once more");
    }
    if (handle->state == HANDLE_READY) {
        TRY(begin(handle, diagnostic));
    }
    handle->at_event = false;
    handle->experiment.job.options.hook_events = always | handle->events | (may_end ? checks : 0);
    give_turn(handle, HANDLE_RUNNING);
    await_turn(handle, false);
    if (handle->state == HANDLE_ENDED) {
        (void)pthread_join(handle->runner, NULL);
        if (diagnostic != NULL) {
            *diagnostic = handle->diagnostic;
        }
        return handle->status;
    }
    return STATUS_OK;
}

void runner_end(struct spinnsim *handle)
{
    struct diagnostic none;
    handle->closing = true;
    if (handle->state == HANDLE_STANDS) {
        (void)runner_go_on(handle, &none);
    }
}

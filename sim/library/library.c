/* library.c - see spinnsim.h: opens and closes experiments, and runs them. */
#include "models/common/units.h"
#include "sim/file.h"
#include "sim/library/handle.h"
#include "sim/steps.h"
#include "sim/version.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Both lists of events are in the same order. */
#define EVENT(NAME, name, help)                                                                    \
    _Static_assert((int)SPINNSIM_##NAME == (int)JOB_##NAME, "events.def and spinnsim.h differ");
#include "sim/run_control/events.def"
_Static_assert((int)SPINNSIM_EVENTS == (int)JOB_EVENTS, "events.def and spinnsim.h differ");
_Static_assert((int)SPINNSIM_REJECTED == (int)STATUS_REJECTED, "status.h and spinnsim.h differ");

const char *spinnsim_version(void)
{
    return SPINNSIM_VERSION;
}

const char *spinnsim_event_name(enum spinnsim_event_kind kind)
{
    return (unsigned)kind < SPINNSIM_EVENTS ? job_event_name((enum job_event_kind)kind) : "";
}

/* ---- opening ---- */

/* The folder that was installed beside this code, or that of the build; in malloc'ed memory. */
static char *find_folder(const char *given, const char *name, const char *built)
{
    Dl_info self;
    if (given != NULL) {
        return strdup(given);
    }
    if (dladdr((const void *)find_folder, &self) != 0 && self.dli_fname != NULL) {
        const char *slash = strrchr(self.dli_fname, '/');
        /* A library may lie one folder deeper than a program: lib/x86_64-linux-gnu. */
        for (int up = 0; up < 2 && slash != NULL; up++) {
            char *path = file_print("%.*s/%s../share/spinnsim/%s", (int)(slash - self.dli_fname),
                                    self.dli_fname, up == 0 ? "" : "../", name);
            if (path == NULL || access(path, F_OK) == 0) {
                return path;
            }
            free(path);
        }
    }
    return strdup(built);
}

static bool copy_options(struct spinnsim *handle, const struct spinnsim_options *options)
{
    handle->configs = find_folder(options->configs, "configs", SPINN_SOURCE_DIR "/configs");
    handle->workloads = find_folder(options->workloads, "workloads", SPINN_BINARY_DIR "/workloads");
    handle->data = options->data == NULL ? NULL : strdup(options->data);
    handle->set = calloc(options->set_count + 1, sizeof *handle->set);
    bool copied = handle->configs != NULL && handle->workloads != NULL && handle->set != NULL &&
                  (handle->data != NULL) == (options->data != NULL);
    for (size_t i = 0; copied && i < options->set_count; i++) {
        handle->set[handle->set_count] = strdup(options->set[i]);
        copied = handle->set[handle->set_count] != NULL;
        handle->set_count += copied ? 1 : 0;
    }
    return copied;
}

static void free_all(struct spinnsim *handle)
{
    experiment_deinit(&handle->experiment);
    for (size_t i = 0; i < handle->set_count; i++) {
        free(handle->set[i]);
    }
    free(handle->set);
    free(handle->configs);
    free(handle->workloads);
    free(handle->data);
    free(handle->summary);
    (void)pthread_cond_destroy(&handle->turn);
    (void)pthread_mutex_destroy(&handle->mutex);
    free(handle);
}

static enum status prepare(struct spinnsim *handle, const char *file,
                           const struct spinnsim_options *options, struct diagnostic *diagnostic)
{
    if (!copy_options(handle, options)) {
        return no_memory(diagnostic);
    }
    struct experiment_request request = {
        .file = file,
        .configs_folder = handle->configs,
        .sets = (const char *const *)handle->set,
        .set_count = handle->set_count,
        .job = {.data_dir = handle->data,
                .workloads_folder = handle->workloads,
                .threads = options->threads == 0 ? 1 : options->threads,
                .tier = TIER_AUTO},
    };
    runner_follow(handle, &request.job);
    TRY(experiment_prepare(&handle->experiment, &request, diagnostic));
    if (!experiment_has_events(&handle->experiment)) {
        handle->experiment.job.options.hook = NULL;
    }
    return STATUS_OK;
}

enum spinnsim_status spinnsim_open(const char *file, const struct spinnsim_options *options,
                                   struct spinnsim **experiment, struct spinnsim_error *error)
{
    static const struct spinnsim_options NONE = {0};
    struct diagnostic diagnostic = {0};
    *experiment = NULL;
    struct spinnsim *handle = calloc(1, sizeof *handle);
    if (handle == NULL) {
        return handle_status(no_memory(&diagnostic), &diagnostic, error);
    }
    (void)pthread_mutex_init(&handle->mutex, NULL);
    (void)pthread_cond_init(&handle->turn, NULL);
    handle->pause_ps = TIME_NEVER;
    const enum status status =
        prepare(handle, file, options == NULL ? &NONE : options, &diagnostic);
    if (status != STATUS_OK) {
        free_all(handle);
        return handle_status(status, &diagnostic, error);
    }
    *experiment = handle;
    return SPINNSIM_OK;
}

void spinnsim_close(struct spinnsim *experiment)
{
    if (experiment != NULL) {
        runner_end(experiment);
        free_all(experiment);
    }
}

/* ---- running ---- */

static enum spinnsim_status go_on(struct spinnsim *handle, uint64_t pause_ps, uint32_t events,
                                  bool *ended, struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    handle->pause_ps = pause_ps;
    handle->events = events;
    const enum status status = runner_go_on(handle, &diagnostic);
    if (ended != NULL) {
        *ended = handle->state == HANDLE_ENDED;
    }
    return handle_status(status, &diagnostic, error);
}

enum spinnsim_status spinnsim_run_until(struct spinnsim *experiment, uint64_t time_ps, bool *ended,
                                        struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    if (experiment->experiment.config.backend != CONFIG_BACKEND_SPINNAKER) {
        return handle_status(diagnose(&diagnostic, STATUS_CONFIGURATION,
                                      "the host has no machine time\vbackend: spinnaker has; or "
                                      "run to an event"),
                             &diagnostic, error);
    }
    if (time_ps <= spinnsim_time_ps(experiment) && experiment->state == HANDLE_STANDS) {
        return SPINNSIM_OK;
    }
    return go_on(experiment, time_ps, 0, ended, error);
}

enum spinnsim_status spinnsim_run_to(struct spinnsim *experiment, uint32_t events,
                                     struct spinnsim_event *event, bool *ended,
                                     struct spinnsim_error *error)
{
    const enum spinnsim_status status = go_on(experiment, TIME_NEVER, events, ended, error);
    if (event != NULL && experiment->at_event) {
        const struct job_event *now = &experiment->event;
        *event = (struct spinnsim_event){.kind = (enum spinnsim_event_kind)now->kind,
                                         .epoch = now->epoch,
                                         .update = now->update,
                                         .time_ps = now->time_ps,
                                         .loss = now->loss,
                                         .accuracy = now->accuracy};
    }
    return status;
}

enum spinnsim_status spinnsim_run(struct spinnsim *experiment, struct spinnsim_error *error)
{
    return go_on(experiment, TIME_NEVER, 0, NULL, error);
}

void spinnsim_stop(struct spinnsim *experiment, bool epoch)
{
    experiment->stops = experiment->stops || !epoch;
    experiment->stops_epoch = true;
}

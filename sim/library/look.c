/* look.c - see spinnsim.h: the machine while it stands, and results. */
#include "sim/library/handle.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

static enum status need_machine(const struct spinnsim *handle, struct diagnostic *diagnostic)
{
    return handle->state == HANDLE_STANDS && handle->machine != NULL
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION,
                          "there is a machine while a run of backend spinnaker stands\v"
                          "spinnsim_run_until() or spinnsim_run_to() first");
}

uint64_t spinnsim_time_ps(const struct spinnsim *experiment)
{
    struct diagnostic none;
    return need_machine(experiment, &none) == STATUS_OK ? machine_time_ps(experiment->machine) : 0;
}

/* ---- memory ---- */

static enum status refuse_place(struct spinnsim_place place, uint32_t count,
                                struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_CONFIGURATION,
                    "chip (%u,%u) core %u has no %u bytes of memory at 0x%08x", place.x, place.y,
                    place.core, count, place.address);
}

static enum status access_memory(const struct spinnsim *handle, struct spinnsim_place place,
                                 void *read, const void *written, uint32_t count,
                                 struct diagnostic *diagnostic)
{
    const struct machine_core core = {place.x, place.y, place.core};
    TRY(need_machine(handle, diagnostic));
    if (!machine_has_core(handle->machine, core)) {
        return refuse_place(place, count, diagnostic);
    }
    const enum status status =
        read != NULL ? machine_read(handle->machine, core, place.address, read, count)
                     : machine_write(handle->machine, core, place.address, written, count);
    return status == STATUS_OK ? status : refuse_place(place, count, diagnostic);
}

enum spinnsim_status spinnsim_read_memory(const struct spinnsim *experiment,
                                          struct spinnsim_place place, void *bytes, uint32_t count,
                                          struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    return handle_status(access_memory(experiment, place, bytes, NULL, count, &diagnostic),
                         &diagnostic, error);
}

enum spinnsim_status spinnsim_write_memory(struct spinnsim *experiment, struct spinnsim_place place,
                                           const void *bytes, uint32_t count,
                                           struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    return handle_status(access_memory(experiment, place, NULL, bytes, count, &diagnostic),
                         &diagnostic, error);
}

/* ---- counters ---- */

struct counting {
    const char *name;
    int x, y; /* -1: all */
    uint64_t sum;
    bool found;
};

static void count(void *context, const struct machine_counter *counter)
{
    struct counting *counting = context;
    const size_t length = strlen(counter->component);
    if (strncmp(counting->name, counter->component, length) == 0 && counting->name[length] == '.' &&
        strcmp(counting->name + length + 1, counter->info->name) == 0) {
        counting->found = true;
        if ((counting->x < 0 || counting->x == counter->x) &&
            (counting->y < 0 || counting->y == counter->y)) {
            counting->sum += counter->value;
        }
    }
}

static enum status sum_counter(const struct spinnsim *handle, struct counting *counting,
                               struct diagnostic *diagnostic)
{
    TRY(need_machine(handle, diagnostic));
    machine_each_counter(handle->machine, count, counting);
    if (!counting->found) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "there is no counter of this name\v`spinnsim columns` lists them");
        diagnostic_key(diagnostic, counting->name);
        return STATUS_CONFIGURATION;
    }
    return STATUS_OK;
}

enum spinnsim_status spinnsim_counter(const struct spinnsim *experiment, const char *name, int x,
                                      int y, uint64_t *value, struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    struct counting counting = {.name = name, .x = x, .y = y};
    const enum status status = sum_counter(experiment, &counting, &diagnostic);
    *value = counting.sum;
    return handle_status(status, &diagnostic, error);
}

/* ---- results ---- */

const char *spinnsim_summary(const struct spinnsim *experiment)
{
    return experiment->summary;
}

static enum status record(struct spinnsim *handle, const char *folder, bool replace,
                          struct diagnostic *diagnostic)
{
    if (handle->summary == NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        handle->state == HANDLE_ENDED ? "the run has left no results"
                                                      : "the run has not ended\vspinnsim_run()");
    }
    TRY(experiment_check_folder(&handle->experiment, folder, replace, diagnostic));
    return record_write(&handle->experiment.record, folder, diagnostic);
}

enum spinnsim_status spinnsim_record(struct spinnsim *experiment, const char *folder, bool replace,
                                     struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    return handle_status(record(experiment, folder, replace, &diagnostic), &diagnostic, error);
}

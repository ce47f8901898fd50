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

/* Whether a counter has the name COMPONENT.NAME. */
static bool is_counter(const char *name, const struct machine_counter *counter)
{
    const size_t length = strlen(counter->component);
    return strncmp(name, counter->component, length) == 0 && name[length] == '.' &&
           strcmp(name + length + 1, counter->info->name) == 0;
}

static void count(void *context, const struct machine_counter *counter)
{
    struct counting *counting = context;
    if (is_counter(counting->name, counter)) {
        counting->found = true;
        if ((counting->x < 0 || counting->x == counter->x) &&
            (counting->y < 0 || counting->y == counter->y)) {
            counting->sum += counter->value;
        }
    }
}

static enum status check_found(const struct counting *counting, struct diagnostic *diagnostic)
{
    if (!counting->found) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "there is no counter of this name\v`spinnsim columns` lists them");
        diagnostic_key(diagnostic, counting->name);
        return STATUS_CONFIGURATION;
    }
    return STATUS_OK;
}

static enum status sum_counter(const struct spinnsim *handle, struct counting *counting,
                               struct diagnostic *diagnostic)
{
    TRY(need_machine(handle, diagnostic));
    machine_each_counter(handle->machine, count, counting);
    return check_found(counting, diagnostic);
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

/* Counters by index. */
struct naming {
    size_t index, at;
    struct spinnsim_counter_info *info;
};

static void name_counter(void *context, const char *component, const struct counter_info *info)
{
    struct naming *naming = context;
    if (naming->at++ == naming->index) {
        (void)snprintf(naming->info->name, sizeof naming->info->name, "%s.%s", component,
                       info->name);
        naming->info->unit = info->unit;
        naming->info->help = info->help;
    }
}

bool spinnsim_counter_at(size_t index, struct spinnsim_counter_info *info)
{
    struct naming naming = {.index = index, .info = info};
    machine_each_counter_name(name_counter, &naming);
    return index < naming.at;
}

/* Counters of each part. */
struct listing {
    struct counting counting; /* whether there is such a name */
    struct spinnsim_count *rows;
    size_t room, count;
};

static void list_counter(void *context, const struct machine_counter *counter)
{
    struct listing *listing = context;
    if (is_counter(listing->counting.name, counter)) {
        listing->counting.found = true;
        if (listing->count < listing->room) {
            listing->rows[listing->count] = (struct spinnsim_count){
                counter->x, counter->y, counter->instance, counter->value};
        }
        listing->count++;
    }
}

enum spinnsim_status spinnsim_counts(const struct spinnsim *experiment, const char *name,
                                     struct spinnsim_count *rows, size_t room, size_t *count,
                                     struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    struct listing listing = {.counting = {.name = name}, .rows = rows, .room = room};
    enum status status = need_machine(experiment, &diagnostic);
    if (status == STATUS_OK) {
        machine_each_counter(experiment->machine, list_counter, &listing);
        status = check_found(&listing.counting, &diagnostic);
    }
    *count = listing.count;
    return handle_status(status, &diagnostic, error);
}

/* ---- links ---- */

enum spinnsim_status spinnsim_links(const struct spinnsim *experiment, struct spinnsim_link *rows,
                                    size_t room, size_t *count, struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    const enum status status = need_machine(experiment, &diagnostic);
    *count = 0;
    if (status != STATUS_OK) {
        return handle_status(status, &diagnostic, error);
    }
    const struct topology *topology = machine_topology(experiment->machine);
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            if (chip->neighbour[link] == TOPOLOGY_NO_CHIP) {
                continue;
            }
            const struct topology_chip *to = &topology->chip[chip->neighbour[link]];
            if (*count < room) {
                rows[*count] =
                    (struct spinnsim_link){chip->x, chip->y, (uint8_t)link,
                                           to->x,   to->y,   chip->between_boards[link]};
            }
            ++*count;
        }
    }
    return SPINNSIM_OK;
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

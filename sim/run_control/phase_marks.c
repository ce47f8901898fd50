/* phase_marks.c - see phase_marks.h. */
#include "sim/run_control/phase_marks.h"

#include "models/common/units.h"
#include "sim/run_control/session_stream.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char STAGE_PREFIX[] = "stage_";
static const char *const LAYER_PHASES[] = {"forward", "backward"};

/* Phases that any role may have. */
static const char *const ROLE_PHASES[] = {
    "setup_load",       "images_wait",       "packets_wait", "window_wait",
    "result_store",     "transfers_wait",    "signals_wait", "gradients_exchange",
    "weights_exchange", "parameters_update", "record_store", "values_exchange",
    "commands_wait"};

const char *stage_text(enum stage stage)
{
    static const char *const TEXT[STAGES] = {"load", "train", "test", "run"};
    return TEXT[stage];
}

static unsigned add_phase(struct phase_marks *marks, const char *layer, const char *name)
{
    struct phase *phase = &marks->phase[marks->phase_count];
    (void)snprintf(phase->layer, sizeof phase->layer, "%s", layer);
    (void)snprintf(phase->name, sizeof phase->name, "%s", name);
    return marks->phase_count++;
}

static bool add_mark(struct phase_marks *marks, const struct elf_image *program, const char *symbol,
                     bool is_stage, unsigned phase)
{
    const struct elf_symbol *found = program == NULL ? NULL : elf_image_find(program, symbol);
    if (found == NULL || !found->function) {
        return false;
    }
    marks->mark[marks->mark_count].address = found->address;
    marks->mark[marks->mark_count].is_stage = is_stage;
    marks->mark[marks->mark_count].phase = phase;
    marks->mark_count++;
    return true;
}

static void add_layer(struct phase_marks *marks, const struct elf_image *program,
                      const struct network_layer *layer, size_t index, const char *name)
{
    char symbol[PHASE_NAME_CHARS];
    (void)snprintf(symbol, sizeof symbol, "layer_%02zu_%s", index, name);
    if (program == NULL || elf_image_find(program, symbol) != NULL) {
        (void)add_mark(marks, program, symbol, false, add_phase(marks, layer->name, name));
    }
}

/* Index of the share named component.counter. */
static size_t share_of(const char *component, const char *counter)
{
    size_t i = 0;
    for (; i < machine_share_count(); i++) {
        const struct machine_share_name name = machine_share_name(i);
        if (strcmp(name.component, component) == 0 && strcmp(name.info->name, counter) == 0) {
            break;
        }
    }
    return i;
}

enum { SIDE = 256, CORES = 18 };

static size_t place_of(struct machine_core core)
{
    return ((size_t)core.x * SIDE + core.y) * CORES + core.p;
}

enum status phase_marks_init(struct phase_marks *marks, const struct elf_image *program,
                             const struct network *network, struct diagnostic *diagnostic)
{
    memset(marks, 0, sizeof *marks);
    marks->place = calloc((size_t)SIDE * SIDE * CORES, sizeof *marks->place);
    if (marks->place == NULL) {
        return no_memory(diagnostic);
    }
    for (unsigned s = 0; s < STAGES; s++) {
        marks->stage_start_ps[s] = TIME_NEVER;
    }
    marks->first_stage = network == NULL ? STAGE_RUN : STAGE_LOAD;
    marks->stage_start_ps[marks->first_stage] = 0;
    marks->active_cycles = share_of("core", "active_cycles");
    marks->sleep_cycles = share_of("core", "sleep_cycles");
    (void)add_phase(marks, "", "start");
    for (size_t i = 0; i < sizeof ROLE_PHASES / sizeof *ROLE_PHASES; i++) {
        if (program != NULL && elf_image_find(program, ROLE_PHASES[i]) != NULL) {
            (void)add_mark(marks, program, ROLE_PHASES[i], false,
                           add_phase(marks, "", ROLE_PHASES[i]));
        }
    }
    for (size_t i = 0; network != NULL && i < network->layer_count; i++) {
        for (size_t p = 0; p < sizeof LAYER_PHASES / sizeof *LAYER_PHASES; p++) {
            add_layer(marks, program, &network->layer[i], i, LAYER_PHASES[p]);
        }
    }
    for (unsigned s = 0; s < STAGES; s++) {
        char symbol[PHASE_NAME_CHARS];
        (void)snprintf(symbol, sizeof symbol, "%s%s", STAGE_PREFIX, stage_text((enum stage)s));
        (void)add_mark(marks, program, symbol, true, s);
    }
    return STATUS_OK;
}

void phase_marks_deinit(struct phase_marks *marks)
{
    free(marks->core);
    free(marks->place);
    memset(marks, 0, sizeof *marks);
}

static bool add_core(struct phase_marks *marks, struct machine_core core)
{
    if (marks->core_count == marks->core_room) {
        const size_t room = 2 * marks->core_room + CORES;
        struct phase_core *larger = realloc(marks->core, room * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        marks->core = larger;
        marks->core_room = room;
    }
    struct phase_core *added = &marks->core[marks->core_count++];
    memset(added, 0, sizeof *added);
    added->core = core;
    added->stage = marks->first_stage;
    marks->place[place_of(core)] = (uint32_t)marks->core_count;
    return true;
}

enum status phase_marks_set(struct phase_marks *marks, struct machine *machine,
                            struct machine_core core)
{
    if (!add_core(marks, core)) {
        return STATUS_INTERNAL;
    }
    for (unsigned i = 0; i < marks->mark_count; i++) {
        const enum status status = machine_add_mark(machine, core, marks->mark[i].address);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static struct phase_core *core_of(struct phase_marks *marks, struct machine_core core)
{
    const uint32_t place = core.p < CORES ? marks->place[place_of(core)] : 0;
    return place == 0 ? NULL : &marks->core[place - 1];
}

/* Adds what the core has done since its last mark to its current phase. */
static void settle(struct phase_marks *marks, const struct machine *machine, struct machine_core id,
                   struct phase_core *core)
{
    uint64_t now[MACHINE_SHARES_MAX] = {0};
    struct phase_sum *sum = &marks->sum[core->stage][core->phase];
    machine_core_shares(machine, id, now);
    for (size_t i = 0; i < MACHINE_SHARES_MAX; i++) {
        sum->share[i] += now[i] - core->since[i];
    }
    core->cycles[core->stage][core->phase] +=
        now[marks->active_cycles] - core->since[marks->active_cycles] + now[marks->sleep_cycles] -
        core->since[marks->sleep_cycles];
    memcpy(core->since, now, sizeof now);
    if (marks->timeline != NULL) {
        const uint64_t now_ps = machine_core_time_ps(machine, id);
        timeline_phase(marks->timeline, id, core->stage, core->phase, core->since_ps, now_ps);
        core->since_ps = now_ps;
    }
}

void phase_marks_pass(struct phase_marks *marks, const struct machine *machine,
                      struct machine_core core, uint32_t address)
{
    struct phase_core *of = core_of(marks, core);
    for (unsigned i = 0; of != NULL && i < marks->mark_count; i++) {
        if (marks->mark[i].address != address) {
            continue;
        }
        settle(marks, machine, core, of);
        if (marks->mark[i].is_stage) {
            const enum stage stage = (enum stage)marks->mark[i].phase;
            of->stage = stage;
            const uint64_t now_ps = machine_core_time_ps(machine, core);
            if (now_ps < marks->stage_start_ps[stage]) {
                marks->stage_start_ps[stage] = now_ps;
            }
        } else {
            of->phase = marks->mark[i].phase;
            marks->sum[of->stage][of->phase].times++;
        }
        return;
    }
}

/* Finds the least and most cycles that a core spent in each phase. */
static void take_spread(struct phase_marks *marks, const struct phase_core *core, bool first)
{
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; i < marks->phase_count; i++) {
            struct phase_sum *sum = &marks->sum[s][i];
            const uint64_t cycles = core->cycles[s][i];
            sum->least_cycles = first || cycles < sum->least_cycles ? cycles : sum->least_cycles;
            sum->most_cycles = cycles > sum->most_cycles ? cycles : sum->most_cycles;
        }
    }
}

void phase_marks_visit(struct phase_marks *marks, struct session_stream *stream)
{
    size_t cores = marks->core_count;
    session_stream_visit(stream, marks->sum, sizeof marks->sum);
    session_stream_visit(stream, marks->stage_start_ps, sizeof marks->stage_start_ps);
    session_stream_visit(stream, &cores, sizeof cores);
    stream->failed = stream->failed || cores != marks->core_count;
    if (!stream->failed && cores > 0) { /* they are the cores that have been loaded */
        session_stream_visit(stream, marks->core, cores * sizeof *marks->core);
    }
}

void phase_marks_finish(struct phase_marks *marks, const struct machine *machine)
{
    bool first = true;
    for (size_t i = 0; i < marks->core_count; i++) {
        struct phase_core *core = &marks->core[i];
        if (machine_core_started(machine, core->core)) {
            settle(marks, machine, core->core, core);
            take_spread(marks, core, first);
            first = false;
        }
    }
}

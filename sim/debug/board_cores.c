/* board_cores.c - which cores there are, and what they run.  See board_state.h. */
#include "sim/debug/board_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct job_program *board_program_of(const struct job *job, const struct outcome_core *core)
{
    if (core->service) {
        return &job->monitor;
    }
    for (size_t i = 0; i < job->program_count; i++) {
        const struct job_program *program = &job->program[i];
        if (job->program_count == 1 || strcmp(program->name, core->role) == 0) {
            return program;
        }
    }
    return NULL;
}

static bool is_same(struct machine_core a, struct machine_core b)
{
    return a.x == b.x && a.y == b.y && a.p == b.p;
}

unsigned board_process_of(const struct board_debugger *debugger, struct machine_core core)
{
    unsigned process = debugger->target.processes;
    while (process > 0 && !is_same(board_core_of(debugger, process)->core, core)) {
        process--;
    }
    return process;
}

static void add_core(struct board_debugger *debugger, unsigned number, struct machine_core core)
{
    const struct job *job = debugger->job;
    struct board_core *to = &debugger->core[number];
    to->core = core;
    (void)snprintf(to->name, sizeof to->name, "core %d,%d,%d", core.x, core.y, core.p);
    for (size_t i = 0; i < debugger->outcome->core_count; i++) {
        const struct outcome_core *loaded = &debugger->outcome->core[i];
        if (is_same(loaded->core, core)) {
            to->program = board_program_of(job, loaded);
        }
    }
    if (to->program != NULL) {
        to->path =
            debugger->path[to->program == &job->monitor ? job->program_count
                                                        : (size_t)(to->program - job->program)];
    }
}

/* GDB may run in another folder. */
static bool find_paths(struct board_debugger *debugger)
{
    const struct job *job = debugger->job;
    debugger->path = calloc(job->program_count + 1, sizeof *debugger->path);
    debugger->path_count = debugger->path == NULL ? 0 : job->program_count + 1;
    for (size_t i = 0; i < debugger->path_count; i++) {
        const char *path =
            i < job->program_count ? job->program[i].image.path : job->monitor.image.path;
        debugger->path[i] = path == NULL ? NULL : realpath(path, NULL);
    }
    return debugger->path != NULL;
}

bool board_list_cores(struct board_debugger *debugger)
{
    enum { CORES = 18 };
    const unsigned chips = machine_chip_count(debugger->machine);
    unsigned count = 0;
    debugger->core = calloc((size_t)chips * CORES, sizeof *debugger->core);
    if (debugger->core == NULL || !find_paths(debugger)) {
        return false;
    }
    for (unsigned i = 0; i < chips; i++) {
        const struct machine_chip chip = machine_chip_at(debugger->machine, i);
        for (unsigned p = 0; p < CORES; p++) {
            const struct machine_core core = {chip.x, chip.y, (uint8_t)p};
            if (machine_has_core(debugger->machine, core)) {
                add_core(debugger, count++, core);
            }
        }
    }
    debugger->target.processes = count;
    return true;
}

unsigned board_selected(const struct board_debugger *debugger, unsigned process)
{
    return debugger->selected == 0 ? process : debugger->selected;
}

bool board_take_numbers(const char *text, unsigned count, unsigned *numbers, const char **behind)
{
    for (unsigned i = 0; i < count; i++) {
        char *end;
        const unsigned long number = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || number > UINT8_MAX || (i + 1 < count && *end != ',')) {
            return false;
        }
        numbers[i] = (unsigned)number;
        *behind = end;
        text = end + 1;
    }
    return true;
}

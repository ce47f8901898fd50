/* board.c - see board.h. */
#include "sim/debug/board_state.h"

#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Machine time of the first slice; from then on a slice takes some milliseconds of the host. */
#define FIRST_SLICE_PS UINT64_C(1000000)

enum status board_debugger_create(uint16_t port, struct board_debugger **debugger,
                                  struct diagnostic *diagnostic)
{
    *debugger = NULL;
    struct board_debugger *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->slice_ps = FIRST_SLICE_PS;
    const enum status status = gdb_server_open(&made->server, port, diagnostic);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *debugger = made;
    return STATUS_OK;
}

void board_debugger_see(struct board_debugger *debugger, const struct job *job,
                        const struct outcome *outcome)
{
    debugger->job = job;
    debugger->outcome = outcome;
}

/* ---- the processes ---- */

/* The program of a core: the one that its role names, or the only one. */
static const char *program_of(const struct job *job, const struct outcome_core *core)
{
    for (size_t i = 0; i < job->program_count; i++) {
        const struct job_program *program = &job->program[i];
        if (job->program_count == 1 || strcmp(program->name, core->role) == 0) {
            return program->path[0] == '\0' ? NULL : program->path;
        }
    }
    return NULL;
}

static const struct outcome_core *loaded_core(const struct outcome *outcome,
                                              struct machine_core core)
{
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct machine_core at = outcome->core[i].core;
        if (at.x == core.x && at.y == core.y && at.p == core.p) {
            return &outcome->core[i];
        }
    }
    return NULL;
}

static void add_core(struct board_debugger *debugger, unsigned number, struct machine_core core)
{
    struct board_core *to = &debugger->core[number];
    const struct outcome_core *loaded = loaded_core(debugger->outcome, core);
    *to = (struct board_core){.core = core, .loaded = loaded != NULL};
    to->program = loaded == NULL ? NULL : program_of(debugger->job, loaded);
    (void)snprintf(to->name, sizeof to->name, "core %d,%d,%d", core.x, core.y, core.p);
}

/* All working cores, in the order of chips; false: out of memory. */
static bool list_cores(struct board_debugger *debugger)
{
    enum { CORES = 18 };
    const unsigned chips = machine_chip_count(debugger->machine);
    unsigned count = 0;
    debugger->core = calloc((size_t)chips * CORES, sizeof *debugger->core);
    for (unsigned i = 0; debugger->core != NULL && i < chips; i++) {
        const struct machine_chip chip = machine_chip_at(debugger->machine, i);
        for (uint8_t p = 0; p < CORES; p++) {
            const struct machine_core core = {chip.x, chip.y, p};
            if (machine_has_core(debugger->machine, core)) {
                add_core(debugger, count++, core);
            }
        }
    }
    debugger->target = board_target(debugger);
    debugger->target.processes = count;
    return debugger->core != NULL;
}

/* ---- the run ---- */

static enum status begin(struct board_debugger *debugger, struct machine *machine)
{
    const struct machine_history_options options = {0};
    debugger->machine = machine;
    if (!list_cores(debugger)) {
        return STATUS_INTERNAL;
    }
    return machine_history_create(machine, &options, &debugger->history);
}

static bool pauses(void *context)
{
    const struct board_debugger *debugger = context;
    return debugger->paused || debugger->ended;
}

/* Serves clients until the run has come to its time, or GDB does not want it any more.  False: out
 * of memory. */
static bool serve(struct board_debugger *debugger)
{
    struct diagnostic diagnostic = {0};
    while (!pauses(debugger) && !debugger->let_go) {
        if (debugger->client == NULL &&
            gdb_client_await(&debugger->server, &debugger->target, -1, &debugger->client,
                             &diagnostic) != STATUS_OK) {
            return false;
        }
        (void)gdb_client_serve(debugger->client, pauses, debugger);
        if (pauses(debugger)) {
            break;
        }
        const enum gdb_end end = gdb_client_end(debugger->client);
        debugger->let_go = end == GDB_DETACHED;
        debugger->ended = end == GDB_DEAD || end == GDB_FINISHED;
        gdb_client_close(debugger->client);
        debugger->client = NULL;
    }
    return true;
}

static enum machine_stop run_alone(struct board_debugger *debugger, uint64_t time_ps)
{
    struct history_hit hit;
    switch (machine_history_run(debugger->history, time_ps, &hit)) {
    case HISTORY_REACHED:
        return MACHINE_REACHED;
    case HISTORY_QUIESCENT:
        return MACHINE_QUIESCENT;
    case HISTORY_HIT:
    case HISTORY_BEGIN:
    case HISTORY_ENDED:
    default:
        return MACHINE_STOPPED;
    }
}

enum machine_stop board_debugger_run_until(void *context, struct machine *machine, uint64_t time_ps)
{
    struct board_debugger *debugger = context;
    if (debugger->history == NULL && begin(debugger, machine) != STATUS_OK) {
        return MACHINE_STOPPED;
    }
    if (!debugger->let_go && !debugger->ended) {
        debugger->until_ps = time_ps;
        debugger->paused = false;
        if (!serve(debugger)) {
            return MACHINE_STOPPED;
        }
        if (debugger->let_go) {
            gdb_server_close(&debugger->server);
            machine_history_rest(debugger->history);
        }
    }
    if (debugger->let_go) {
        return run_alone(debugger, time_ps);
    }
    if (debugger->ended) {
        return debugger->quiet ? MACHINE_QUIESCENT : MACHINE_STOPPED;
    }
    return MACHINE_REACHED;
}

/* Of a machine that is gone. */
static void keep_points(void *context)
{
    (void)context;
}

void board_debugger_destroy(struct board_debugger *debugger)
{
    if (debugger != NULL) {
        debugger->target.remove_all_points = keep_points;
        if (debugger->client != NULL) {
            const struct gdb_stop end = {.why = GDB_EXITED, .process = 1};
            gdb_client_finish(debugger->client, &end);
        }
        gdb_client_close(debugger->client);
        gdb_server_close(&debugger->server);
        machine_history_destroy(debugger->history);
        free(debugger->core);
        free(debugger);
    }
}

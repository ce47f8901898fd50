/* board.c - see board.h. */
#include "sim/debug/board_state.h"

#include "sim/steps.h"

#include <stdlib.h>

/* Machine time of the first slice; from then on a slice takes some milliseconds of the host. */
#define FIRST_SLICE_PS UINT64_C(1000000)

enum status board_debugger_check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->stage_count > 0) {
        return config_refuse(config, "stages",
                             "--set stages=null --set vote=null trains network.name alone",
                             diagnostic, "--gdb: each stage has machines of its own");
    }
    if (job_is_sampled(config)) {
        return config_refuse(config, "run.sample", "--set run.sample=null executes all", diagnostic,
                             "--gdb: each place of the sample has a machine of its own");
    }
    if (config->check_memory) {
        return config_refuse(config, "check.memory", "check.memory: false", diagnostic,
                             "--gdb: going back does not take back what has been written");
    }
    if (config->record_timeline_what != 0) {
        return config_refuse(config, "record.timeline.what", "record.timeline.what: []", diagnostic,
                             "--gdb: what is run again would be recorded again");
    }
    if (config->backend != CONFIG_BACKEND_SPINNAKER) {
        return config_refuse(config, "backend", "--set backend=spinnaker", diagnostic,
                             "--gdb: there are no cores to debug");
    }
    return STATUS_OK;
}

enum status board_debugger_create(uint16_t port, const struct job *job,
                                  const struct outcome *outcome, struct board_debugger **debugger,
                                  struct diagnostic *diagnostic)
{
    *debugger = NULL;
    struct board_debugger *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    *made = (struct board_debugger){.job = job, .outcome = outcome, .slice_ps = FIRST_SLICE_PS};
    const enum status status = gdb_server_open(&made->server, port, diagnostic);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *debugger = made;
    return STATUS_OK;
}

/* ---- the run ---- */

static bool begin(struct board_debugger *debugger, struct machine *machine)
{
    const struct machine_history_options options = {0};
    debugger->machine = machine;
    debugger->target = board_target(debugger);
    return board_list_cores(debugger) &&
           machine_history_create(machine, &options, &debugger->history) == STATUS_OK;
}

static bool pauses(void *context)
{
    const struct board_debugger *debugger = context;
    return debugger->paused || debugger->ended;
}

/* Serves clients until it is the owner's turn, or GDB does not want the run any more.  False: out
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

/* Lets GDB run the machine, up to until_ps.  The owner then finds it there, though a step has gone
 * beyond. */
static bool run_by_gdb(struct board_debugger *debugger)
{
    if (debugger->turn == MACHINE_QUIESCENT) { /* the owner has given the machine something to do */
        machine_history_changed(debugger->history);
    }
    debugger->paused = false;
    debugger->turn = MACHINE_REACHED;
    if (!serve(debugger)) {
        return false;
    }
    if (!debugger->ended && machine_time_ps(debugger->machine) > debugger->until_ps) {
        machine_history_rewind(debugger->history, debugger->until_ps);
    }
    if (debugger->let_go) {
        gdb_server_close(&debugger->server);
        machine_history_rest(debugger->history);
    }
    return true;
}

enum machine_stop board_debugger_run_until(void *context, struct machine *machine, uint64_t time_ps)
{
    struct board_debugger *debugger = context;
    if (debugger->history == NULL && !begin(debugger, machine)) {
        return MACHINE_STOPPED;
    }
    debugger->until_ps = time_ps;
    if (!debugger->let_go && !debugger->ended && !run_by_gdb(debugger)) {
        return MACHINE_STOPPED;
    }
    if (debugger->ended) {
        return MACHINE_STOPPED;
    }
    return debugger->let_go ? run_alone(debugger, time_ps) : debugger->turn;
}

/* Of a machine that is gone. */
static void keep_points(void *context)
{
    (void)context;
}

void board_debugger_end(struct board_debugger *debugger, int exit_status)
{
    if (debugger == NULL || debugger->client == NULL) {
        return;
    }
    const struct gdb_stop end = {.why = GDB_EXITED, .process = 1, .number = (unsigned)exit_status};
    gdb_client_finish(debugger->client, &end);
}

void board_debugger_destroy(struct board_debugger *debugger)
{
    if (debugger == NULL) {
        return;
    }
    debugger->target.remove_all_points = keep_points;
    gdb_client_close(debugger->client);
    gdb_server_close(&debugger->server);
    machine_history_destroy(debugger->history);
    for (size_t i = 0; i < debugger->path_count; i++) {
        free(debugger->path[i]);
    }
    free(debugger->path);
    free(debugger->wide);
    free(debugger->core);
    free(debugger);
}

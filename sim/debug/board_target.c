/* board_target.c - the cores of a machine as processes of GDB.  See board_state.h. */
#include "sim/debug/board_state.h"

#include "sim/gdb/registers.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* A slice aims at this much of the host's time, so that Ctrl-C is heard. */
enum { SLICE_LEAST_MS = 5, SLICE_MOST_MS = 40 };

/* ---- processes, registers, memory ---- */

static struct gdb_process process(void *context, unsigned number)
{
    const struct board_core *core = board_core_of(context, number);
    return (struct gdb_process){core->name, core->path, core->program != NULL};
}

static struct arm968 *processor(const struct board_debugger *debugger, unsigned number)
{
    return machine_core_processor(debugger->machine, board_core_of(debugger, number)->core);
}

static bool read_register(void *context, unsigned number, unsigned index, uint32_t *value)
{
    return gdb_read_register(processor(context, number), index, value);
}

/* A core that sleeps, or waits for an access, has begun an instruction: its registers are fixed. */
static bool write_register(void *context, unsigned number, unsigned index, uint32_t value)
{
    struct board_debugger *debugger = context;
    const struct machine_core core = board_core_of(debugger, number)->core;
    if (machine_core_view(debugger->machine, core).state != MACHINE_CORE_RUNNING ||
        !gdb_write_register(processor(debugger, number), index, value)) {
        return false;
    }
    debugger->changed = true;
    return true;
}

static size_t read_memory(void *context, unsigned number, uint32_t address, uint8_t *bytes,
                          size_t count)
{
    const struct board_debugger *debugger = context;
    const struct machine_core core = board_core_of(debugger, number)->core;
    if (machine_read(debugger->machine, core, address, bytes, (uint32_t)count) == STATUS_OK) {
        return count;
    }
    size_t there = 0; /* the range goes beyond a memory */
    while (there < count && machine_read(debugger->machine, core, address + (uint32_t)there,
                                         &bytes[there], 1) == STATUS_OK) {
        there++;
    }
    return there;
}

static bool write_memory(void *context, unsigned number, uint32_t address, const uint8_t *bytes,
                         size_t count)
{
    struct board_debugger *debugger = context;
    const struct machine_core core = board_core_of(debugger, number)->core;
    const bool done =
        machine_write(debugger->machine, core, address, bytes, (uint32_t)count) == STATUS_OK;
    debugger->changed = debugger->changed || done;
    return done;
}

/* ---- points ---- */

static enum gdb_answer answer_of(enum status status)
{
    return status == STATUS_OK ? GDB_DONE : GDB_FAILED;
}

static enum gdb_answer set_point(void *context, const struct gdb_point *point)
{
    struct machine_history *history = ((struct board_debugger *)context)->history;
    const struct machine_core core = board_core_of(context, point->process)->core;
    switch (point->kind) {
    case GDB_BREAK_SOFTWARE:
    case GDB_BREAK_HARDWARE:
        return answer_of(machine_history_break(history, core, point->address));
    case GDB_WATCH_WRITE: /* GDB may set it twice */
        (void)machine_history_unwatch(history, core, point->address, point->bytes);
        return answer_of(machine_history_watch(history, core, point->address, point->bytes));
    case GDB_WATCH_READ:
    case GDB_WATCH_ACCESS:
    case GDB_POINT_KINDS:
    default:
        return GDB_UNKNOWN;
    }
}

static enum gdb_answer remove_point(void *context, const struct gdb_point *point)
{
    struct machine_history *history = ((struct board_debugger *)context)->history;
    const struct machine_core core = board_core_of(context, point->process)->core;
    if (point->kind == GDB_WATCH_WRITE) {
        (void)machine_history_unwatch(history, core, point->address, point->bytes);
    } else if (!board_breaks_all(context, point->process, point->address)) {
        (void)machine_history_unbreak(history, core, point->address);
    }
    return GDB_DONE;
}

static void remove_all_points(void *context)
{
    struct board_debugger *debugger = context;
    debugger->wide_count = 0;
    debugger->selected = 0;
    machine_history_clear(debugger->history);
}

/* ---- running ---- */

static void resume(void *context, enum gdb_resume how, unsigned number)
{
    struct board_debugger *debugger = context;
    debugger->how = how;
    debugger->process = number;
    if (debugger->changed || how == GDB_STEP_BACK || how == GDB_CONTINUE_BACK) {
        debugger->told = MACHINE_REACHED; /* what comes may be another end */
    }
    if (debugger->changed) {
        machine_history_changed(debugger->history);
        debugger->changed = false;
    }
}

static const struct {
    enum arm968_fault_kind kind;
    enum gdb_signal signal;
    const char *text;
} FAULTS[] = {{ARM968_FAULT_UNDEFINED, GDB_SIGNAL_ILL, "undefined instruction"},
              {ARM968_FAULT_BREAKPOINT, GDB_SIGNAL_TRAP, "BKPT"},
              {ARM968_FAULT_PREFETCH, GDB_SIGNAL_SEGV, "the instruction cannot be fetched"},
              {ARM968_FAULT_DATA, GDB_SIGNAL_SEGV, "data abort"}};

/* The program cannot go on: without GDB, the run would end here. */
static struct gdb_stop stop_of_fault(struct board_debugger *debugger, const struct history_hit *hit,
                                     struct gdb_stop stop)
{
    debugger->told = MACHINE_STOPPED;
    stop.why = GDB_SIGNALLED;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        if (FAULTS[i].kind == hit->fault.kind) {
            stop.number = FAULTS[i].signal;
            (void)snprintf(debugger->text, sizeof debugger->text, "%s: %s at 0x%08" PRIx32,
                           board_core_of(debugger, stop.process)->name, FAULTS[i].text,
                           hit->fault.kind == ARM968_FAULT_DATA ? hit->fault.address
                                                                : hit->fault.pc);
            stop.text = debugger->text;
        }
    }
    return stop;
}

/* A breakpoint of `break-all` is none that GDB knows. */
static void name_break_all(struct board_debugger *debugger, struct gdb_stop *stop)
{
    const struct board_core *core = board_core_of(debugger, stop->process);
    if (board_breaks_all(debugger, stop->process, stop->point.address)) {
        (void)snprintf(debugger->text, sizeof debugger->text, "break-all: %s at 0x%08" PRIx32,
                       core->name, stop->point.address);
        stop->text = debugger->text;
    }
}

static struct gdb_stop stop_of_hit(struct board_debugger *debugger, const struct history_hit *hit)
{
    struct gdb_stop stop = {.process = board_process_of(debugger, hit->core)};
    stop.point = (struct gdb_point){.process = stop.process, .address = hit->address};
    switch (hit->kind) {
    case HISTORY_BREAK:
        stop.why = GDB_AT_BREAKPOINT;
        stop.point.kind = GDB_BREAK_SOFTWARE;
        name_break_all(debugger, &stop);
        return stop;
    case HISTORY_WATCH: /* GDB takes an ARM to stop before the access, and steps over it itself */
        if (debugger->how == GDB_CONTINUE || debugger->how == GDB_STEP) {
            machine_history_go_before(debugger->history, hit);
        }
        stop.why = GDB_AT_WATCHPOINT;
        stop.point.kind = GDB_WATCH_WRITE;
        return stop;
    case HISTORY_FAULT:
    default:
        return stop_of_fault(debugger, hit, stop);
    }
}

/* Nothing can happen any more: GDB looks at it, and then it is the owner's turn. */
static struct gdb_stop stop_of_quiet(struct board_debugger *debugger)
{
    debugger->told = MACHINE_QUIESCENT;
    return (struct gdb_stop){.why = GDB_SIGNALLED,
                             .process = debugger->process,
                             .number = GDB_SIGNAL_TRAP,
                             .text = "the machine is quiet: every core sleeps, and nothing will "
                                     "wake one; continue ends the run, or its next part begins"};
}

static double host_ms(void)
{
    static const double MS_PER_S = 1e3;
    static const double MS_PER_NS = 1e-6;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * MS_PER_S + (double)now.tv_nsec * MS_PER_NS;
}

/* Runs for a slice, forwards, and not beyond the time that the run's owner has named. */
static enum history_stop run_slice(struct board_debugger *debugger, struct history_hit *hit)
{
    const uint64_t now_ps = machine_time_ps(debugger->machine);
    const uint64_t left_ps = debugger->until_ps > now_ps ? debugger->until_ps - now_ps : 0;
    const double begin_ms = host_ms();
    const enum history_stop stop = machine_history_run(
        debugger->history, now_ps + (left_ps < debugger->slice_ps ? left_ps : debugger->slice_ps),
        hit);
    const double taken_ms = host_ms() - begin_ms;
    if (taken_ms < SLICE_LEAST_MS && debugger->slice_ps <= UINT64_MAX / 4) {
        debugger->slice_ps *= 2;
    } else if (taken_ms > SLICE_MOST_MS && debugger->slice_ps > 1) {
        debugger->slice_ps /= 2;
    }
    debugger->paused =
        stop == HISTORY_REACHED && machine_time_ps(debugger->machine) >= debugger->until_ps;
    return stop;
}

/* The stop of which GDB has been told is now the owner's. */
static struct gdb_stop hand_over(struct board_debugger *debugger, struct gdb_stop stands)
{
    debugger->turn = debugger->told;
    debugger->told = MACHINE_REACHED;
    debugger->paused = debugger->turn == MACHINE_QUIESCENT;
    debugger->ended = debugger->turn == MACHINE_STOPPED;
    stands.why = GDB_RUNS;
    return stands;
}

static enum history_stop go(struct board_debugger *debugger, struct history_hit *hit)
{
    switch (debugger->how) {
    case GDB_STEP:
        return machine_history_step(debugger->history,
                                    board_core_of(debugger, debugger->process)->core, hit);
    case GDB_STEP_BACK:
        return machine_history_step_back(debugger->history,
                                         board_core_of(debugger, debugger->process)->core);
    case GDB_CONTINUE_BACK:
        return machine_history_run_back(debugger->history, hit);
    case GDB_CONTINUE:
    default:
        return run_slice(debugger, hit);
    }
}

static struct gdb_stop run(void *context)
{
    struct board_debugger *debugger = context;
    const bool steps = debugger->how == GDB_STEP || debugger->how == GDB_STEP_BACK;
    struct gdb_stop stands = {.why = steps ? GDB_STEPPED : GDB_RUNS, .process = debugger->process};
    struct history_hit hit = {.kind = HISTORY_BREAK};
    if (debugger->told != MACHINE_REACHED) {
        return hand_over(debugger, stands);
    }
    switch (go(debugger, &hit)) {
    case HISTORY_HIT:
        return stop_of_hit(debugger, &hit);
    case HISTORY_QUIESCENT:
        return stop_of_quiet(debugger);
    case HISTORY_BEGIN:
        stands.why = GDB_AT_BEGIN;
        return stands;
    case HISTORY_ENDED:
        debugger->ended = true;
        stands.why = GDB_RUNS;
        return stands;
    case HISTORY_REACHED:
    default:
        return stands;
    }
}

struct gdb_target board_target(struct board_debugger *debugger)
{
    return (struct gdb_target){.context = debugger,
                               .goes_back = true,
                               .process = process,
                               .read_register = read_register,
                               .write_register = write_register,
                               .read_memory = read_memory,
                               .write_memory = write_memory,
                               .set_point = set_point,
                               .remove_point = remove_point,
                               .remove_all_points = remove_all_points,
                               .resume = resume,
                               .run = run,
                               .monitors = BOARD_MONITORS};
}

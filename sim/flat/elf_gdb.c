/* elf_gdb.c - see elf_gdb.h.
 * Breakpoints are the core's own.  While there is a watchpoint, the core is stopped at every
 * instruction, and the access is looked at that the instruction would make.  A program that cannot
 * go on (a fault without a handler) is shown where it stands before it ends. */
#include "sim/flat/elf_gdb.h"

#include "sim/gdb/points.h"
#include "sim/gdb/registers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of a slice in which the core is stopped at every one: some milliseconds. */
enum { STEPS_OF_A_SLICE = 1 << 15 };

enum { THE_PROCESS = 1 };

enum end_stage {
    GOES_ON,
    TO_BE_TOLD, /* the program cannot go on; GDB has been shown where */
    HAS_ENDED
};

struct elf_gdb {
    struct session *session;
    struct diagnostic *diagnostic;
    enum gdb_resume how;
    struct gdb_points points;
    bool points_changed; /* since the core was told */
    bool watches;
    char *program;       /* its path from the root on; NULL: none that GDB could read */
    bool has_stopped;    /* GDB has seen the core stop: */
    uint32_t stopped_pc; /* where, and why */
    enum gdb_why why;
    bool leaves_stop;  /* the first instruction since then is not stopped before */
    bool leaves_watch; /* ... nor does its access count */
    enum end_stage stage;
    enum status status;
    enum gdb_signal signal; /* that ends the program */
};

static struct arm968 *cpu_of(const struct elf_gdb *gdb)
{
    return gdb->session->flat.cpu;
}

static uint32_t pc_of(const struct elf_gdb *gdb)
{
    return arm968_register(cpu_of(gdb), GDB_PC);
}

/* ---- registers and memory ---- */

static struct gdb_process process(void *context, unsigned number)
{
    const struct elf_gdb *gdb = context;
    (void)number;
    return (struct gdb_process){"core", gdb->program, true};
}

static bool read_register(void *context, unsigned number, unsigned index, uint32_t *value)
{
    (void)number;
    return gdb_read_register(cpu_of(context), index, value);
}

static bool write_register(void *context, unsigned number, unsigned index, uint32_t value)
{
    (void)number;
    return gdb_write_register(cpu_of(context), index, value);
}

static size_t read_memory(void *context, unsigned number, uint32_t address, uint8_t *bytes,
                          size_t count)
{
    const struct elf_gdb *gdb = context;
    const struct flat_core *flat = &gdb->session->flat;
    const uint32_t offset = address - flat->base;
    (void)number;
    if (offset >= flat->bytes) {
        return 0;
    }
    const size_t there = flat->bytes - offset;
    const size_t got = count < there ? count : there;
    memcpy(bytes, flat->ram + offset, got);
    return got;
}

static bool write_memory(void *context, unsigned number, uint32_t address, const uint8_t *bytes,
                         size_t count)
{
    const struct elf_gdb *gdb = context;
    const struct flat_core *flat = &gdb->session->flat;
    uint8_t *to = count > flat->bytes ? NULL : flat_core_bytes(flat, address, (uint32_t)count);
    (void)number;
    if (to == NULL) {
        return false;
    }
    memcpy(to, bytes, count);
    arm968_code_written(flat->cpu, address, (uint32_t)count);
    return true;
}

/* ---- breakpoints and watchpoints ---- */

static enum gdb_answer set_point(void *context, const struct gdb_point *point)
{
    struct elf_gdb *gdb = context;
    if (!gdb_point_breaks(point) &&
        flat_core_bytes(&gdb->session->flat, point->address, point->bytes) == NULL) {
        return GDB_FAILED;
    }
    gdb->points_changed = true;
    return gdb_points_add(&gdb->points, point);
}

static enum gdb_answer remove_point(void *context, const struct gdb_point *point)
{
    struct elf_gdb *gdb = context;
    gdb->points_changed = true;
    gdb_points_remove(&gdb->points, point);
    return GDB_DONE;
}

static void remove_all_points(void *context)
{
    struct elf_gdb *gdb = context;
    gdb->points_changed = true;
    gdb->points.count = 0;
}

/* Tells the core its breakpoints.  GDB removes and sets all of them at each stop; the core, which
 * forgets its decoded code with each change, is told only when it is to run. */
static void apply_points(struct elf_gdb *gdb)
{
    struct arm968 *cpu = cpu_of(gdb);
    if (!gdb->points_changed) {
        return;
    }
    arm968_clear_stops(cpu);
    session_set_stops(gdb->session);
    for (size_t i = 0; i < gdb->points.count; i++) {
        if (gdb_point_breaks(&gdb->points.of[i])) {
            (void)arm968_add_breakpoint(cpu, gdb->points.of[i].address);
        }
    }
    gdb->watches = gdb_points_watch(&gdb->points);
    gdb->points_changed = false;
}

/* Whether an instruction is a semihosting call that writes, anywhere. */
static bool is_writing_call(const struct arm968 *cpu, uint32_t word, bool thumb)
{
    enum { SVC_ARM = 0x0f123456, ANY_CONDITION = 0x0fffffff, SVC_THUMB = 0xdfab };
    const bool calls = thumb ? (word & UINT16_MAX) == SVC_THUMB : (word & ANY_CONDITION) == SVC_ARM;
    return calls && semihosting_writes(arm968_register(cpu, 0));
}

/* The watchpoint that the next instruction would hit, or NULL. */
static const struct gdb_point *find_watch(const struct elf_gdb *gdb)
{
    enum { THUMB_BIT = 1 << 5 };
    const struct arm968 *cpu = cpu_of(gdb);
    const uint32_t pc = pc_of(gdb);
    const bool thumb = (arm968_cpsr(cpu) & THUMB_BIT) != 0;
    const uint32_t bytes = thumb ? 2 : 4;
    const uint8_t *code = flat_core_bytes(&gdb->session->flat, pc, bytes);
    uint32_t word = 0;
    for (uint32_t i = 0; code != NULL && i < bytes; i++) {
        word |= (uint32_t)code[i] << 8 * i;
    }
    const struct gdb_access access = is_writing_call(cpu, word, thumb)
                                         ? (struct gdb_access){0, UINT32_MAX, false, true}
                                         : gdb_next_access(cpu, word);
    return code == NULL ? NULL : gdb_points_watched(&gdb->points, THE_PROCESS, &access);
}

/* ---- running ---- */

static void resume(void *context, enum gdb_resume how, unsigned number)
{
    struct elf_gdb *gdb = context;
    (void)number;
    gdb->how = how;
    gdb->leaves_stop = gdb->has_stopped && gdb->stopped_pc == pc_of(gdb);
    gdb->leaves_watch = gdb->leaves_stop && gdb->why == GDB_AT_WATCHPOINT;
}

static struct gdb_stop stop_at(struct elf_gdb *gdb, enum gdb_why why, const struct gdb_point *point)
{
    struct gdb_stop stop = {.why = why, .process = THE_PROCESS};
    if (point != NULL) {
        stop.point = *point;
    }
    gdb->has_stopped = true;
    gdb->why = why;
    gdb->stopped_pc = pc_of(gdb);
    return stop;
}

/* Exceptions that end a program without handlers: their vectors, and the signals that users of GDB
 * know for them.  lr of the exception's mode is this many bytes behind the instruction, in ARM and
 * in Thumb state (ARM DDI 0100I, A2.6). */
struct exception {
    uint32_t vector;
    enum gdb_signal signal;
    uint32_t behind, behind_thumb;
};

static const struct exception EXCEPTIONS[] = {{0x04, GDB_SIGNAL_ILL, 4, 2},
                                              {0x08, GDB_SIGNAL_SYS, 4, 2},
                                              {0x0c, GDB_SIGNAL_SEGV, 4, 4},
                                              {0x10, GDB_SIGNAL_SEGV, 8, 8}};

static const struct exception *find_exception(uint32_t vector)
{
    for (size_t i = 0; i < sizeof EXCEPTIONS / sizeof *EXCEPTIONS; i++) {
        if (EXCEPTIONS[i].vector == vector) {
            return &EXCEPTIONS[i];
        }
    }
    return NULL;
}

/* Shows a program that cannot go on as it was before the instruction that has caused the exception,
 * so that GDB finds its calls.  Returns the signal. */
static enum gdb_signal show_cause(const struct elf_gdb *gdb)
{
    enum { MODE_BITS = 0x1f, THUMB_BIT = 1 << 5, LINK_REGISTER = 14 };
    struct arm968 *cpu = cpu_of(gdb);
    const struct exception *exception = find_exception(pc_of(gdb));
    if (exception == NULL) {
        return GDB_SIGNAL_ABRT;
    }
    const uint32_t lr = arm968_register(cpu, LINK_REGISTER);
    const uint32_t before = arm968_spsr(cpu, (enum arm968_mode)(arm968_cpsr(cpu) & MODE_BITS));
    const bool thumb = (before & THUMB_BIT) != 0;
    arm968_set_cpsr(cpu, before);
    arm968_set_register(cpu, GDB_PC, lr - (thumb ? exception->behind_thumb : exception->behind));
    return exception->signal;
}

/* The program does not continue: an exit is told at once, as is an end by a limit or a signal of
 * this process; a fault is shown first. */
static struct gdb_stop stop_at_end(struct elf_gdb *gdb, enum status status)
{
    struct gdb_stop stop = stop_at(gdb, GDB_EXITED, NULL);
    gdb->status = status;
    gdb->stage = HAS_ENDED;
    if (status == STATUS_OK) {
        stop.number = (unsigned)gdb->session->semihosting.exit_status & 0xff;
    } else if (status == STATUS_GUEST) {
        gdb->stage = TO_BE_TOLD;
        stop.why = GDB_SIGNALLED;
        stop.number = gdb->signal = show_cause(gdb);
        stop.text = gdb->diagnostic->text;
    } else {
        stop.why = GDB_KILLED;
        stop.number = GDB_SIGNAL_KILL;
    }
    return stop;
}

/* Whether nothing has been executed because the core stands at a breakpoint that GDB has seen. */
static bool stands_still(const struct elf_gdb *gdb, enum arm968_stop stop, uint64_t instructions)
{
    return gdb->leaves_stop && stop == ARM968_STOP_BREAKPOINT && pc_of(gdb) == gdb->stopped_pc &&
           arm968_counters(cpu_of(gdb))->instructions == instructions;
}

/* Runs up to a cycle or an earlier stop; GDB_RUNS: there is nothing to tell. */
static struct gdb_stop run_stretch(struct elf_gdb *gdb, uint64_t until)
{
    const struct gdb_stop nothing = {.why = GDB_RUNS, .process = THE_PROCESS};
    const uint64_t instructions = arm968_counters(cpu_of(gdb))->instructions;
    struct session_step step;
    if (!session_advance(gdb->session, until, &step, gdb->diagnostic)) {
        return stop_at_end(gdb, step.status);
    }
    if (stands_still(gdb, step.stop, instructions)) {
        return nothing;
    }
    gdb->leaves_stop = false;
    const struct gdb_point *point = step.stop == ARM968_STOP_BREAKPOINT
                                        ? gdb_points_break(&gdb->points, THE_PROCESS, pc_of(gdb))
                                        : NULL;
    return point == NULL ? nothing : stop_at(gdb, GDB_AT_BREAKPOINT, point);
}

/* Executes an instruction, unless a breakpoint or a watchpoint stops before it.  Breakpoints go
 * first: GDB steps over an instruction that a watchpoint stops at, without looking further. */
static struct gdb_stop run_instruction(struct elf_gdb *gdb)
{
    struct arm968 *cpu = cpu_of(gdb);
    const uint64_t cycle = arm968_cycle(cpu);
    struct gdb_stop stop = {.why = GDB_RUNS, .process = THE_PROCESS};
    const struct gdb_point *point =
        gdb->leaves_stop ? NULL : gdb_points_break(&gdb->points, THE_PROCESS, pc_of(gdb));
    if (point != NULL) {
        return stop_at(gdb, GDB_AT_BREAKPOINT, point);
    }
    point = gdb->watches && !gdb->leaves_watch ? find_watch(gdb) : NULL;
    if (point != NULL) {
        return stop_at(gdb, GDB_AT_WATCHPOINT, point);
    }
    gdb->leaves_watch = false;
    while (stop.why == GDB_RUNS && arm968_cycle(cpu) == cycle) {
        stop = run_stretch(gdb, cycle + 1);
    }
    return stop.why == GDB_RUNS && gdb->how == GDB_STEP ? stop_at(gdb, GDB_STEPPED, NULL) : stop;
}

static struct gdb_stop run(void *context)
{
    struct elf_gdb *gdb = context;
    struct gdb_stop stop = {.why = GDB_RUNS, .process = THE_PROCESS};
    if (gdb->stage != GOES_ON) {
        gdb->stage = HAS_ENDED;
        return (struct gdb_stop){.why = GDB_KILLED, .process = THE_PROCESS, .number = gdb->signal};
    }
    apply_points(gdb);
    if (gdb->how == GDB_STEP) {
        return run_instruction(gdb);
    }
    if (!gdb->watches) {
        return run_stretch(gdb, UINT64_MAX);
    }
    for (unsigned i = 0; i < STEPS_OF_A_SLICE && stop.why == GDB_RUNS; i++) {
        stop = run_instruction(gdb);
    }
    return stop;
}

/* ---- monitor ---- */

static void monitor_time(void *context, unsigned number, const char *arguments, FILE *out)
{
    const struct arm968 *cpu = cpu_of(context);
    (void)number;
    (void)arguments;
    (void)fprintf(out, "cycle %" PRIu64 ", %" PRIu64 " instructions\n", arm968_cycle(cpu),
                  arm968_counters(cpu)->instructions);
}

static void monitor_counters(void *context, unsigned number, const char *arguments, FILE *out)
{
    const void *counters = arm968_counters(cpu_of(context));
    size_t count;
    const struct counter_info *info = arm968_counter_info(&count);
    (void)number;
    (void)arguments;
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%-24s %" PRIu64 " %s\n", info[i].name, counter_value(counters, i),
                      info[i].unit);
    }
}

static void monitor_where(void *context, unsigned number, const char *arguments, FILE *out)
{
    const struct elf_gdb *gdb = context;
    char place[ELF_PLACE_CHARS];
    (void)number;
    (void)arguments;
    elf_place_now(&gdb->session->scene, place);
    (void)fprintf(out, "%s\n", place);
}

static const struct gdb_monitor MONITORS[] = {
    {"time", "", "the core's cycle, and the instructions so far", monitor_time},
    {"counters", "", "all counters of the core", monitor_counters},
    {"where", "", "the next instruction, with its function", monitor_where},
    {0}};

/* ---- the run ---- */

/* What is left to do when GDB is gone. */
static enum status finish(struct elf_gdb *gdb, enum gdb_end end)
{
    struct session *session = gdb->session;
    struct session_step step;
    if (gdb->stage != GOES_ON) {
        return gdb->status;
    }
    apply_points(gdb);
    if (end == GDB_DETACHED) {
        gdb_server_close(&session->gdb);
        return session_run_to_end(session, gdb->diagnostic);
    }
    if (end == GDB_DEAD) {
        return session_ended(session, STATUS_LIMIT, "ended by GDB", gdb->diagnostic);
    }
    (void)session_advance(session, 0, &step, gdb->diagnostic); /* which sees the signal */
    return step.status;
}

enum status elf_gdb_run(struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_interrupt *interrupt = session->options->interrupt;
    struct elf_gdb gdb = {.session = session, .diagnostic = diagnostic};
    const struct gdb_target target = {.context = &gdb,
                                      .processes = THE_PROCESS,
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
                                      .monitors = MONITORS};
    enum gdb_end end;
    gdb.program = realpath(session->options->file, NULL);
    if (session->options->gdb_waits != NULL) {
        session->options->gdb_waits(session->gdb.port);
    }
    enum status status = gdb_server_run(
        &session->gdb, &target, interrupt == NULL ? -1 : interrupt->descriptor, &end, diagnostic);
    if (status == STATUS_OK) {
        status = finish(&gdb, end);
    }
    free(gdb.program);
    return status;
}

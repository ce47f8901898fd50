/* board_monitor.c - what `monitor` shows of a board.  See board_state.h. */
#include "sim/debug/board_state.h"

#include "models/common/units.h"
#include "sim/run_control/energy_so_far.h"
#include "sim/run_control/waits.h"

#include <inttypes.h>
#include <stdlib.h>

static double us_of(uint64_t time_ps)
{
    return (double)time_ps / (double)PS_PER_US;
}

/* ---- which core ---- */

static void select_core(void *context, unsigned process, const char *arguments, FILE *out)
{
    struct board_debugger *debugger = context;
    unsigned at[3];
    const char *behind;
    if (*arguments == '\0') {
        debugger->selected = 0;
        (void)fprintf(out, "monitor shows the core that GDB has selected: %s\n",
                      board_core_of(debugger, process)->name);
        return;
    }
    if (!board_take_numbers(arguments, 3, at, &behind) || *behind != '\0') {
        (void)fputs("name a core as X,Y,P: core 2,3,5\n", out);
        return;
    }
    const struct machine_core core = {(uint8_t)at[0], (uint8_t)at[1], (uint8_t)at[2]};
    const unsigned found = board_process_of(debugger, core);
    if (found == 0) {
        (void)fprintf(out, "there is no working core %u,%u,%u\n", at[0], at[1], at[2]);
        return;
    }
    const struct job_program *program = board_core_of(debugger, found)->program;
    debugger->selected = found;
    (void)fprintf(out, "monitor shows %s: process %u, %s\n", board_core_of(debugger, found)->name,
                  found,
                  program == NULL ? "without a program of this run: `add-inferior`, `inferior N` "
                                    "and `attach` show it"
                                  : program->name);
}

/* ---- the machine ---- */

static void show_time(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    const struct board_core *core = board_core_of(debugger, board_selected(debugger, process));
    const struct arm968_counters *counters = machine_core_counters(debugger->machine, core->core);
    (void)arguments;
    (void)fprintf(out, "%.6f us of the machine\n", us_of(machine_time_ps(debugger->machine)));
    (void)fprintf(out, "%s: cycle %" PRIu64 ", %" PRIu64 " instructions\n", core->name,
                  arm968_cycle(machine_core_processor(debugger->machine, core->core)),
                  counters->instructions);
}

static void show_joules(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    struct energy_joules joules;
    struct diagnostic diagnostic = {0};
    (void)process;
    (void)arguments;
    if (energy_so_far(debugger->machine, &debugger->job->config->energy, &joules, &diagnostic) !=
        STATUS_OK) {
        (void)fprintf(out, "%s\n", diagnostic.text);
        return;
    }
    (void)fprintf(out, "%.9g J (%.9g to %.9g) in %.6f us\n", joules.value, joules.low, joules.high,
                  us_of(machine_time_ps(debugger->machine)));
}

static void show_history(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    static const double MB_PER_BYTE = 1e-6;
    (void)process;
    (void)arguments;
    (void)fprintf(out, "%u states in %.1f MB\n", machine_history_states(debugger->history),
                  (double)machine_history_bytes(debugger->history) * MB_PER_BYTE);
}

/* ---- all cores ---- */

/* One line a started core: where it stands, and what the hardware waits for. */
static void show_cores(void *context, unsigned process, const char *arguments, FILE *out)
{
    static const char *const STATE[] = {
        [MACHINE_CORE_OFF] = "off",
        [MACHINE_CORE_RUNNING] = "runs",
        [MACHINE_CORE_BLOCKED] = "waits for an access",
        [MACHINE_CORE_ASLEEP] = "sleeps",
    };
    const struct board_debugger *debugger = context;
    (void)process;
    (void)arguments;
    for (unsigned i = 1; i <= debugger->target.processes; i++) {
        const struct board_core *core = board_core_of(debugger, i);
        if (!machine_core_started(debugger->machine, core->core)) {
            continue;
        }
        const struct machine_core_view view = machine_core_view(debugger->machine, core->core);
        (void)fprintf(out, "%-14s pc 0x%08" PRIx32 " %s", core->name,
                      machine_core_register(debugger->machine, core->core, 15), STATE[view.state]);
        if (view.state == MACHINE_CORE_BLOCKED) {
            (void)fprintf(out, " to 0x%08" PRIx32, view.access_address);
        }
        (void)fprintf(out, "%s\n", view.moves_data ? ", its DMA is active" : "");
    }
}

static const struct elf_image *image_of(const void *context, size_t index)
{
    static const struct elf_image NONE = {0};
    const struct board_debugger *debugger = context;
    const struct job_program *program =
        board_program_of(debugger->job, &debugger->outcome->core[index]);
    return program == NULL ? &NONE : &program->image;
}

static void show_waits_of(const struct outcome *outcome, FILE *out)
{
    for (size_t i = 0; i < outcome->wait_count; i++) {
        const struct outcome_wait *wait = &outcome->wait[i];
        const struct machine_core core = outcome->core[wait->of].core;
        (void)fprintf(out, "core %u,%u,%u, %s, %s at pc 0x%08" PRIx32 "%s%s\n", core.x, core.y,
                      core.p, outcome->core[wait->of].role, wait->state, wait->pc,
                      wait->waits_for[0] == '\0' ? "" : ": waits for ", wait->waits_for);
    }
    (void)fprintf(out, "%zu cores have not ended their programs\n", outcome->wait_count);
}

/* What waits.csv would have if the run ended now. */
static void show_waits(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    struct outcome now = {.core = debugger->outcome->core,
                          .core_count = debugger->outcome->core_count,
                          .drop_count = machine_drop_count(debugger->machine)};
    const struct waits_source source = {debugger->machine, image_of, debugger};
    struct diagnostic diagnostic = {0};
    (void)process;
    (void)arguments;
    now.drop = calloc(now.drop_count + 1, sizeof *now.drop);
    if (now.drop != NULL) {
        machine_drops(debugger->machine, now.drop);
    }
    if (now.drop != NULL && waits_take(&source, &now, &diagnostic) == STATUS_OK) {
        show_waits_of(&now, out);
    } else {
        (void)fputs("out of memory\n", out);
    }
    free(now.drop);
    free(now.wait);
}

const struct gdb_monitor BOARD_MONITORS[] = {
    {"time", "", "the machine's time; cycle and instructions of the core", show_time},
    {"core", "X,Y,P", "the core that monitor shows; without X,Y,P the one that GDB has selected",
     select_core},
    {"cores", "", "all started cores: where each stands", show_cores},
    {"waits", "", "cores whose programs have not ended, and what they wait for", show_waits},
    {"packets", "", "packets under way", board_show_packets},
    {"route", "KEY [X,Y]", "the router entry of a key, on the core's chip or another",
     board_show_route},
    {"joules", "", "joules of the machine so far", show_joules},
    {"break-all", "FUNCTION|ADDRESS", "a breakpoint on all cores with the core's program",
     board_break_all},
    {"unbreak-all", "FUNCTION|ADDRESS", "takes it away", board_unbreak_all},
    {"history", "", "the states that are kept to go back to", show_history},
    {0}};

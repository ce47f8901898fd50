/* board_monitor.c - what `monitor` shows of a board.  See board_state.h. */
#include "sim/debug/board_state.h"

#include "models/common/units.h"

#include <inttypes.h>
#include <stdlib.h>

static void show_time(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    const struct machine_core core = board_core_of(debugger, process)->core;
    const struct arm968_counters *counters = machine_core_counters(debugger->machine, core);
    (void)arguments;
    (void)fprintf(out, "%.6f us of the machine\n",
                  (double)machine_time_ps(debugger->machine) / (double)PS_PER_US);
    (void)fprintf(out, "%s: cycle %" PRIu64 ", %" PRIu64 " instructions\n",
                  board_core_of(debugger, process)->name,
                  arm968_cycle(machine_core_processor(debugger->machine, core)),
                  counters->instructions);
}

/* One line a core with a program: where it stands, and for what it waits. */
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
        } else if (view.state == MACHINE_CORE_ASLEEP) {
            (void)fprintf(out, " until one of the interrupts 0x%08" PRIx32, view.sources);
        }
        (void)fprintf(out, "%s", view.moves_data ? ", DMA is active" : "");
        if (view.sends) {
            (void)fprintf(out, ", sends key 0x%08" PRIx32, view.sends_key);
        }
        (void)fputc('\n', out);
    }
}

static void show_history(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    (void)process;
    (void)arguments;
    (void)fprintf(out, "%u states in %.1f MB\n", machine_history_states(debugger->history),
                  (double)machine_history_bytes(debugger->history) * 1e-6);
}

const struct gdb_monitor BOARD_MONITORS[] = {
    {"time", "", "the machine's time; cycle and instructions of the core", show_time},
    {"cores", "", "all started cores: where each stands, and what it waits for", show_cores},
    {"history", "", "the states that are kept to go back to", show_history},
    {0}};

/* session_trace.c - see session.h: the instructions of one core (record.trace).  The core is
 * stopped before each of them, which changes no count. */
#include "models/common/units.h"
#include "sim/config/config_read.h"
#include "sim/profile/instruction_trace.h"
#include "sim/run_control/core_memory.h"
#include "sim/run_control/session.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

enum trace_stage { TRACE_TO_COME, TRACE_RUNS, TRACE_IS_OVER };

struct session_trace {
    struct instruction_trace lines;
    struct machine_core core;
    enum trace_stage stage;
    struct trace_view before; /* the core at its last stop */
};

static bool is_wanted(const struct sim_config *config)
{
    return config->record_trace_core[0] != '\0';
}

static bool read_core(const char *text, struct machine_core *core)
{
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t p = 0;
    const bool chip = config_take_chip(&text, &x, &y) && *text == ',';
    text += chip;
    const bool read = chip && config_take_number(&text, TOPOLOGY_CORES, &p) && *text == '\0';
    *core = (struct machine_core){(uint8_t)x, (uint8_t)y, (uint8_t)p};
    return read;
}

enum status session_begin_trace(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    struct machine_core core;
    if (!is_wanted(config)) {
        return STATUS_OK;
    }
    const struct elf_image *image =
        read_core(config->record_trace_core, &core) ? session_program_of(session, core) : NULL;
    if (image == NULL) {
        return config_refuse(config, "record.trace.core", "x,y,p: placement.csv has all",
                             diagnostic, "\"%s\" names no core with a program",
                             config->record_trace_core);
    }
    struct session_trace *trace = calloc(1, sizeof *trace);
    FILE *text = open_memstream(&session->outcome->trace, &session->outcome->trace_bytes);
    if (trace == NULL || text == NULL) {
        free(trace);
        return no_memory(diagnostic);
    }
    session->trace = trace;
    trace->core = core;
    return instruction_trace_begin(&trace->lines, image, text, config->record_trace_count,
                                   diagnostic);
}

uint64_t session_trace_stop(const struct session *session)
{
    const struct session_trace *trace = session->trace;
    return trace == NULL || trace->stage != TRACE_TO_COME
               ? TIME_NEVER
               : session->job->config->record_trace_from_ps;
}

void session_start_trace(struct session *session)
{
    struct session_trace *trace = session->trace;
    if (machine_time_ps(session->machine) >= session_trace_stop(session)) {
        trace->before = trace_view_of(machine_core_processor(session->machine, trace->core));
        trace->stage = TRACE_RUNS;
        (void)machine_sample_core(session->machine, trace->core, 1); /* the core is there */
    }
}

void session_trace_sample(struct session *session, struct machine_core core)
{
    struct session_trace *trace = session->trace;
    if (trace == NULL || trace->stage != TRACE_RUNS || core.x != trace->core.x ||
        core.y != trace->core.y || core.p != trace->core.p) {
        return;
    }
    const struct trace_view now = trace_view_of(machine_core_processor(session->machine, core));
    const struct core_memory memory = {session->machine, core};
    instruction_trace_step(&trace->lines, core_memory_read, &memory, &trace->before, &now);
    trace->before = now;
    if (trace->lines.left == 0) {
        trace->stage = TRACE_IS_OVER;
        (void)machine_sample_core(session->machine, core, 0);
    }
}

enum status session_end_trace(struct session *session, struct diagnostic *diagnostic)
{
    struct session_trace *trace = session->trace;
    return trace == NULL ? STATUS_OK : instruction_trace_close(&trace->lines, diagnostic);
}

void session_close_trace(struct session *session)
{
    if (session->trace != NULL) {
        (void)instruction_trace_close(&session->trace->lines, NULL);
        free(session->trace);
    }
}

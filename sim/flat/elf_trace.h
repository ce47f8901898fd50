/* elf_trace.h - writes a trace of a program under `spinnsim elf`, one line per instruction. */
#pragma once
#include "sim/flat/flat_core.h"
#include "sim/profile/function_map.h"

#include <stdio.h>

/* The core state that a trace line is made from. */
enum { TRACE_REGISTERS = 15 };
struct trace_view {
    uint32_t r[TRACE_REGISTERS], pc, cpsr;
    uint64_t cycle;
};

struct trace_view trace_view_of(const struct arm968 *cpu);

struct elf_trace {
    FILE *stream; /* NULL: none */
    const char *path;
    uint64_t left; /* instructions still to be written */
    struct function_map map;
    uint32_t function; /* of the previous line */
    bool begun;
};

/* Opens the file ("-": standard error); NULL: no trace. */
enum status elf_trace_open(struct elf_trace *trace, const struct elf_image *image, const char *path,
                           uint64_t count, struct diagnostic *diagnostic);

/* Writes the instruction executed between `before` and `after`; nothing if there was none, or if
 * `left` is 0. */
void elf_trace_step(struct elf_trace *trace, const struct flat_core *flat,
                    const struct trace_view *before, const struct trace_view *after);

/* Closes the trace, if there is one.  STATUS_CONFIGURATION when some of it could not be written. */
enum status elf_trace_close(struct elf_trace *trace, struct diagnostic *diagnostic);

/* elf_trace.h - the instructions of a program under `spinnsim elf`, one line each. */
#pragma once
#include "sim/flat/flat_core.h"
#include "sim/profile/function_map.h"

#include <stdio.h>

/* What a line shows of a core. */
enum { TRACE_REGISTERS = 15 };
struct trace_view {
    uint32_t r[TRACE_REGISTERS], pc, cpsr;
    uint64_t cycle;
};

struct trace_view trace_view_of(const struct arm968 *cpu);

struct elf_trace {
    FILE *stream; /* NULL: none */
    const char *path;
    uint64_t left; /* instructions to be written */
    struct function_map map;
    uint32_t function; /* of the line before */
    bool begun;
};

/* Opens the file ("-": standard error); NULL: no trace. */
enum status elf_trace_open(struct elf_trace *trace, const struct elf_image *image, const char *path,
                           uint64_t count, struct diagnostic *diagnostic);

/* The instruction between the two; nothing if none has been executed, or none is left. */
void elf_trace_step(struct elf_trace *trace, const struct flat_core *flat,
                    const struct trace_view *before, const struct trace_view *after);

/* Closes.  An earlier failure `status` is passed on. */
enum status elf_trace_close(struct elf_trace *trace, enum status status,
                            struct diagnostic *diagnostic);

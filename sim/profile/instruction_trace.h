/* instruction_trace.h - writes a trace of a program, one line per instruction. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "sim/profile/function_map.h"

#include <stdbool.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* The state of a core, between two instructions, that a line is made from.  instructions: executed
 * up to now; cycle: of the core's clock. */
enum { TRACE_REGISTERS = 15 };
struct trace_view {
    uint32_t r[TRACE_REGISTERS], pc, cpsr;
    uint64_t instructions, cycle;
};

struct trace_view trace_view_of(const struct arm968 *cpu);

struct instruction_trace {
    FILE *stream; /* NULL: none */
    const char *path;
    uint64_t left; /* instructions still to be written */
    struct function_map map;
    uint32_t function; /* of the previous line */
    bool begun;
};

/* Reads code as the core sees it; false: a part of it is no memory. */
typedef bool (*trace_read)(const void *context, uint32_t address, uint8_t *bytes, uint32_t count);

/* Begins a trace of `count` instructions in a stream, which it takes over.  The image must outlive
 * the trace.  STATUS_INTERNAL: out of memory. */
enum status instruction_trace_begin(struct instruction_trace *trace, const struct elf_image *image,
                                    FILE *stream, uint64_t count, struct diagnostic *diagnostic);

/* The same in a file ("-": standard error); NULL: no trace.  STATUS_CONFIGURATION: it
 * cannot be written. */
enum status instruction_trace_open(struct instruction_trace *trace, const struct elf_image *image,
                                   const char *path, uint64_t count, struct diagnostic *diagnostic);

/* Writes the instruction executed between `before` and `after`, or that the core was interrupted
 * between them; nothing if no cycle has passed, or if `left` is 0. */
void instruction_trace_step(struct instruction_trace *trace, trace_read read, const void *context,
                            const struct trace_view *before, const struct trace_view *after);

/* Closes the trace, if there is one.  STATUS_CONFIGURATION when some of it could not be written. */
enum status instruction_trace_close(struct instruction_trace *trace, struct diagnostic *diagnostic);

C_LINKAGE_END

/* crash_core.h - a core as a failed run has left it: registers, and who has called whom; as
 * text. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "sim/symbols/symbols.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { CRASH_FRAMES = 32, CRASH_PC = 15, CRASH_REGISTERS = 16, CRASH_REGISTERS_ALL = 64 };

/* The exception that the core has just taken. */
enum crash_entry { CRASH_ENTRY_NONE, CRASH_ENTRY_FAULT, CRASH_ENTRY_SVC };

struct crash_core {
    uint32_t r[CRASH_REGISTERS]; /* of the mode in which it was; r[15]: the instruction */
    uint32_t cpsr;
    uint32_t value[CRASH_REGISTERS_ALL]; /* of all registers, in the order of gdb_registers() */
    uint64_t cycle, instructions, active_cycles;
    bool has_lines; /* the program has been compiled with them */
    unsigned frames;
    enum symbols_end end;
    struct symbols_frame frame[CRASH_FRAMES]; /* names lie in the image */
};

/* Takes the registers: r and cpsr are those before the exception. */
void crash_core_take(struct crash_core *core, const struct arm968 *cpu, enum crash_entry entry);

/* Finds the callers by the taken registers.  image NULL: the core's program is not known.
 * STATUS_INTERNAL: out of memory. */
enum status crash_core_trace_back(struct crash_core *core, const struct elf_image *image,
                                  symbols_read read, const void *context);

/* Parts of a report, each begun by a line with its name. */
void crash_write_registers(FILE *out, const struct crash_core *core);
void crash_write_backtrace(FILE *out, const struct crash_core *core);

C_LINKAGE_END

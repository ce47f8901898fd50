/* elf_session.h - the state of one program run under `spinnsim elf`.  Private to elf_*.c. */
#pragma once
#include "sim/flat/elf_fault.h"
#include "sim/flat/elf_profile.h"
#include "sim/flat/elf_run.h"
#include "sim/flat/elf_trace.h"
#include "sim/flat/flat_core.h"
#include "sim/flat/semihosting.h"
#include "sim/load/elf_image.h"

enum { VECTORS = 8, VECTOR_BYTES = 4 };

struct region_end {
    uint32_t address;
    bool wanted, reached;
    uint64_t instructions, cycles;
};

struct session {
    const struct elf_run_options *options;
    struct elf_image image;
    struct flat_core flat;
    struct arm968_translator *translator; /* NULL: interpreter only */
    struct semihosting semihosting;
    char *command_line;
    uint64_t flush_cycle;
    struct elf_scene scene;
    struct region_end from, to;
    uint64_t fault_instructions; /* instruction count at the last fault */
    unsigned faults;             /* faults in a row at that instruction count */
    struct elf_profile profile;
    struct core_view view; /* state at the last stop, for the profile */
    struct elf_trace trace;
    struct region_end trace_from; /* address or instruction number at which the trace begins */
    bool tracing;
    int signal; /* the signal that ended the run; 0: none */
};

/* Loads the program and sets up everything that the options request.  Afterwards the core is about
 * to execute the program's first instruction. */
enum status session_prepare(struct session *session, struct diagnostic *diagnostic);

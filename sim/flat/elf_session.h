/* elf_session.h - a program under `spinnsim elf`, from its file to its end.  Private to elf_*.c. */
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
    struct arm968_translator *translator; /* NULL: none wanted */
    struct semihosting semihosting;
    char *command_line;
    uint64_t flush_cycle;
    struct elf_scene scene;
    struct region_end from, to;
    uint64_t fault_instructions; /* that had been executed when a fault came */
    unsigned faults;             /* since then */
    struct elf_profile profile;
    struct core_view view; /* the core now, while it is profiled */
    struct elf_trace trace;
    struct region_end trace_from; /* where the trace begins, or with which instruction */
    bool tracing;
    int signal; /* that has ended the run; 0: none has */
};

/* Reads the file and makes all that the options ask for; the core stands before the program's first
 * instruction. */
enum status session_prepare(struct session *session, struct diagnostic *diagnostic);

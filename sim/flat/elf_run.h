/* elf_run.h - `spinnsim elf`: one core, one flat RAM, semihosting; every access takes one cycle.
 * For instruction suites, benchmarks and compiler tests; the SpiNNaker chip is not involved. */
#ifndef SIM_FLAT_ELF_RUN_H
#define SIM_FLAT_ELF_RUN_H
#include "models/arm968/arm968.h"
#include <stdbool.h>
#include <stdint.h>

struct elf_run_options {
    const char *file;
    bool sdram_base;        /* RAM at 0x60000000 (128 MiB) instead of 0 (256 MiB) */
    const char *count_from; /* symbol or address, NULL: no region */
    const char *count_to;
    uint64_t max_instructions; /* 0: no limit */

    /* Files, NULL: none; "-" is standard error.  For each of them the core is stopped at every
     * instruction. */
    const char *profile;    /* functions */
    const char *stacks;     /* cycles of each stack of calls; not "-" */
    const char *trace;      /* instructions ... */
    const char *trace_from; /* ... from the first arrival at a symbol or 0x address, or from the
                               instruction of this number on; NULL: from the start */
    uint64_t trace_count;   /* ... so many */
    enum tier tier;
    uint64_t stop_every; /* the core is stopped every so many cycles; 0: never */
};

struct elf_run_result {
    int exit_status; /* of the guest, when the status is STATUS_OK */
    uint64_t instructions, cycles;
    uint64_t region_instructions,
        region_cycles; /* first arrival at `from` to first arrival at `to` */
};

/* Runs the program to its end; its output goes to standard output and error.  STATUS_CONFIGURATION:
 * the file or the options; STATUS_GUEST: an exception without a handler; STATUS_LIMIT:
 * max_instructions reached. */
enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic);

#endif

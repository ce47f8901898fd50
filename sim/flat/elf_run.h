/* elf_run.h - `spinnsim elf`: one core, one flat RAM, semihosting; every access takes one cycle.
 * For instruction suites, benchmarks and compiler tests; the SpiNNaker chip is not involved. */
#pragma once
#include "models/arm968/arm968.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who wants to end a run from outside, by a signal. */
struct elf_interrupt {
    volatile sig_atomic_t signal; /* its number; 0: none has come */
    int descriptor; /* becomes readable with it, so that nobody waits for input; -1: none */
};

struct elf_run_options {
    const char *file;
    const char *const *argument; /* of the program, behind its name */
    size_t argument_count;
    const char *files;      /* a folder of the host whose files the program may use; NULL: none */
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

    const struct elf_interrupt *interrupt;        /* NULL: none */
    void (*warn)(const struct diagnostic *about); /* what the user is to hear meanwhile; or NULL */
};

struct elf_run_result {
    bool has_run;    /* the counts are those of a run */
    int exit_status; /* of the guest, when the status is STATUS_OK */
    int signal;      /* that ended the run; 0: none did */
    uint64_t instructions, cycles;
    uint64_t region_instructions,
        region_cycles; /* first arrival at `from` to first arrival at `to` */
};

/* Runs the program to its end; its output goes to standard output and error.  STATUS_CONFIGURATION:
 * the file or the options, a region that the program has not run through among them; STATUS_GUEST:
 * an exception without a handler; STATUS_LIMIT: max_instructions reached, or a signal has come;
 * STATUS_INTERNAL: some of its output could not be written. */
enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic);

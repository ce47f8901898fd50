/* elf_run.h - `spinnsim elf`: one core, one flat RAM, semihosting; every access takes one cycle.
 * For instruction suites, benchmarks and compiler tests; the SpiNNaker chip is not involved. */
#pragma once
#include "models/arm968/arm968.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request to end the run, set by a signal handler. */
struct elf_interrupt {
    volatile sig_atomic_t signal; /* number of the signal; 0: none so far */
    int descriptor; /* becomes readable with the signal, to end a wait for input; -1: none */
};

struct elf_run_options {
    const char *file;
    const char *const *argument; /* of the program, without its name */
    size_t argument_count;
    const char *files;      /* host folder whose files the program may use; NULL: none */
    bool sdram_base;        /* RAM at 0x60000000 (128 MiB) instead of 0 (256 MiB) */
    const char *count_from; /* symbol or address, NULL: no region */
    const char *count_to;
    uint64_t max_instructions; /* 0: no limit */

    /* Paths of output files; NULL: none, "-": standard error.  With any of them the core is stopped
     * at every instruction. */
    const char *profile;    /* counts by function */
    const char *stacks;     /* cycles by call stack; not "-" */
    const char *trace;      /* executed instructions ... */
    const char *trace_from; /* ... from the first arrival at a symbol or 0x address, or from the
                               instruction of this number on; NULL: from the start */
    uint64_t trace_count;   /* ... at most this many */
    enum tier tier;
    uint64_t stop_every; /* period, in cycles, at which the core is stopped; 0: never */

    /* The TCP port of 127.0.0.1 at which GDB is waited for, before the first instruction; 0: none.
     * gdb_waits (or NULL) is called when it listens. */
    uint16_t gdb_port;
    void (*gdb_waits)(uint16_t port);

    const struct elf_interrupt *interrupt;        /* NULL: none */
    void (*warn)(const struct diagnostic *about); /* called for warnings during the run; or NULL */
};

struct elf_run_result {
    bool has_run;    /* the program has started: the counts are valid */
    int exit_status; /* of the guest, when the status is STATUS_OK */
    int signal;      /* the signal that ended the run; 0: none */
    uint64_t instructions, cycles;
    char *crash; /* of a program that was ended: registers, callers, last instructions; malloc'ed;
                    NULL: it has ended by itself, or there was no memory */
    uint64_t region_instructions,
        region_cycles; /* first arrival at `from` to first arrival at `to` */
};

/* Runs the program to its end; its output goes to standard output and error.  STATUS_CONFIGURATION:
 * a wrong file or option, or the program has not run through the counted region; STATUS_GUEST: an
 * exception without a handler; STATUS_LIMIT: max_instructions reached, or a signal;
 * STATUS_INTERNAL: some of the output could not be written. */
enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic);

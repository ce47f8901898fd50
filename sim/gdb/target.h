/* target.h - what a debugger controls: processes, each with registers and an address space, that
 * run together.  A core is a process, as each has its own memories at the same addresses.
 *
 * Processes have the numbers 1 to `processes`; a function is only called with such a number.  All
 * functions are called from one thread, and between runs. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* About a process; the texts must outlive the target. */
struct gdb_process {
    const char *name;    /* "core 0,0,1" */
    const char *program; /* path of its ELF file, from which GDB reads symbols; NULL: none */
    bool listed;         /* GDB is told of it when it connects; others can be attached to */
};

/* Breakpoints and watchpoints, with the protocol's numbers. */
enum gdb_point_kind {
    GDB_BREAK_SOFTWARE,
    GDB_BREAK_HARDWARE,
    GDB_WATCH_WRITE,
    GDB_WATCH_READ,
    GDB_WATCH_ACCESS,
    GDB_POINT_KINDS
};

struct gdb_point {
    enum gdb_point_kind kind;
    unsigned process;
    uint32_t address;
    uint32_t bytes; /* of a watchpoint: what is watched; of a breakpoint: the instruction's size */
};

enum gdb_answer {
    GDB_DONE,
    GDB_FAILED,  /* no room, or no memory at that address */
    GDB_UNKNOWN, /* the target has no such kind */
};

enum gdb_resume { GDB_CONTINUE, GDB_STEP, GDB_CONTINUE_BACK, GDB_STEP_BACK };

enum gdb_why {
    GDB_RUNS, /* the slice is over, nothing has happened */
    GDB_STEPPED,
    GDB_AT_BREAKPOINT, /* of point.kind */
    GDB_AT_WATCHPOINT, /* of point.kind and point.address; the core stands before the access, when
                          going back behind it */
    GDB_INTERRUPTED,   /* by the client's Ctrl-C: of the session */
    GDB_SIGNALLED,     /* by a fault: `number` is the signal */
    GDB_AT_BEGIN,      /* going back: there is nothing before */
    GDB_EXITED,        /* `number` is the exit status */
    GDB_KILLED         /* cannot go on: `number` is the signal */
};

/* Signals have GDB's numbers, on every host. */
enum gdb_signal {
    GDB_SIGNAL_INT = 2,
    GDB_SIGNAL_ILL = 4,
    GDB_SIGNAL_TRAP = 5,
    GDB_SIGNAL_ABRT = 6,
    GDB_SIGNAL_KILL = 9,
    GDB_SIGNAL_SEGV = 11,
    GDB_SIGNAL_SYS = 12
};

struct gdb_stop {
    enum gdb_why why;
    unsigned process;
    unsigned number;        /* signal or exit status */
    struct gdb_point point; /* what was hit */
    const char *text; /* told to the user before; NULL: none; valid until the next call of run() */
};

/* A command of `monitor`.  What it writes to `out` is shown to the user. */
struct gdb_monitor {
    const char *name; /* NULL ends a list */
    const char *arguments;
    const char *help;
    void (*perform)(void *context, unsigned process, const char *arguments, FILE *out);
};

struct gdb_target {
    void *context;
    unsigned processes;
    bool goes_back; /* takes GDB_CONTINUE_BACK and GDB_STEP_BACK */
    struct gdb_process (*process)(void *context, unsigned process);

    /* Registers by their numbers in registers.def.  False: there is no such register. */
    bool (*read_register)(void *context, unsigned process, unsigned number, uint32_t *value);
    bool (*write_register)(void *context, unsigned process, unsigned number, uint32_t value);

    /* Reads what is there from the address on, up to `count` bytes; returns their number.  Only
     * memory whose reading has no effect. */
    size_t (*read_memory)(void *context, unsigned process, uint32_t address, uint8_t *bytes,
                          size_t count);
    /* False: a part of the range is not memory; nothing is written. */
    bool (*write_memory)(void *context, unsigned process, uint32_t address, const uint8_t *bytes,
                         size_t count);

    /* Setting a point twice is as setting it once, and removing one that is not there is done. */
    enum gdb_answer (*set_point)(void *context, const struct gdb_point *point);
    enum gdb_answer (*remove_point)(void *context, const struct gdb_point *point);
    void (*remove_all_points)(void *context);

    /* Lets the processes go on, together: a step ends when `process` has executed an instruction.
     */
    void (*resume)(void *context, enum gdb_resume how, unsigned process);
    /* Runs what resume() has begun, for some milliseconds of the host at most. */
    struct gdb_stop (*run)(void *context);

    const struct gdb_monitor *monitors; /* NULL: none */
};

C_LINKAGE_END

/* board_state.h - what a debugger of a board has.  Private to sim/debug. */
#pragma once
#include "models/machine/history.h"
#include "sim/debug/board.h"
#include "sim/gdb/server.h"
C_LINKAGE_BEGIN

enum { BOARD_NAME_CHARS = 24 };

struct board_core {
    struct machine_core core;
    char name[BOARD_NAME_CHARS]; /* "core 0,0,1" */
    const char *program;         /* its ELF file; NULL: not known */
    bool loaded;                 /* with a program of this run */
};

struct board_debugger {
    struct gdb_server server;
    struct gdb_target target;
    struct gdb_client *client;
    const struct job *job;
    const struct outcome *outcome;
    struct machine *machine;
    struct machine_history *history;
    struct board_core *core; /* process n is the n-1st */

    enum gdb_resume how;
    unsigned process; /* that is stepped */
    uint64_t until_ps, slice_ps;
    bool paused;  /* the run has come to until_ps, and its owner is to go on */
    bool quiet;   /* GDB has been told that nothing can happen any more */
    bool ended;   /* ... and has let the run end */
    bool let_go;  /* GDB has detached */
    bool changed; /* GDB has changed the machine */
    char text[200];
};

/* ---- board_target.c ---- */

/* The functions of the target; its context is the debugger. */
struct gdb_target board_target(struct board_debugger *debugger);

static inline const struct board_core *board_core_of(const struct board_debugger *debugger,
                                                     unsigned process)
{
    return &debugger->core[process - 1];
}

/* ---- board_monitor.c ---- */
extern const struct gdb_monitor BOARD_MONITORS[];

C_LINKAGE_END

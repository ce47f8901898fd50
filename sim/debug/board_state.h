/* board_state.h - what a debugger of a board has.  Private to sim/debug. */
#pragma once
#include "models/machine/history.h"
#include "sim/debug/board.h"
#include "sim/gdb/server.h"
C_LINKAGE_BEGIN

enum { BOARD_NAME_CHARS = 24, BOARD_TEXT_CHARS = 200 };

struct board_core {
    struct machine_core core;
    char name[BOARD_NAME_CHARS];       /* "core 0,0,1" */
    const struct job_program *program; /* NULL: none of this run */
    const char *path;                  /* of the program, for GDB; NULL: not known */
};

/* A breakpoint on all cores of a program, set by `monitor break-all`. */
struct board_break {
    const struct job_program *program;
    uint32_t address;
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
    char **path;             /* of each program of the job, then of the monitor's; owned */
    size_t path_count;
    struct board_break *wide;
    size_t wide_count, wide_room;

    enum gdb_resume how;
    unsigned process;  /* that is stepped, or was selected when all went on */
    unsigned selected; /* by `monitor core`; 0: none, so that which GDB has selected */
    uint64_t until_ps; /* up to which the run's owner lets the machine run */
    uint64_t slice_ps;
    bool paused;            /* it is the owner's turn: */
    enum machine_stop turn; /* ... and why */
    enum machine_stop told; /* GDB has been told that the run stops here, and has not gone on;
                               MACHINE_REACHED: it does not */
    bool ended;             /* the run, by GDB or by a fault */
    bool let_go;            /* GDB has detached */
    bool changed;           /* GDB has changed the machine */
    char text[BOARD_TEXT_CHARS];
};

/* ---- board_cores.c ---- */

/* The program of a core that is in the run's list; NULL: not known. */
const struct job_program *board_program_of(const struct job *job, const struct outcome_core *core);

/* Lists all working cores, in the order of chips.  False: out of memory. */
bool board_list_cores(struct board_debugger *debugger);

static inline const struct board_core *board_core_of(const struct board_debugger *debugger,
                                                     unsigned process)
{
    return &debugger->core[process - 1];
}

/* The process of a core; 0: there is no such core. */
unsigned board_process_of(const struct board_debugger *debugger, struct machine_core core);

/* The process that a command of `monitor` is about, when GDB has selected this one. */
unsigned board_selected(const struct board_debugger *debugger, unsigned process);

/* Takes `count` numbers of at most 255, with commas between them, from the text's begin; *behind is
 * what follows.  False: there is something else. */
bool board_take_numbers(const char *text, unsigned count, unsigned *numbers, const char **behind);

/* ---- board_target.c ---- */

/* The functions of the target; its context is the debugger. */
struct gdb_target board_target(struct board_debugger *debugger);

/* ---- board_monitor.c ---- */

extern const struct gdb_monitor BOARD_MONITORS[];

/* ---- commands of `monitor`: board_packets.c, board_breaks.c ---- */

void board_show_packets(void *context, unsigned process, const char *arguments, FILE *out);
void board_show_route(void *context, unsigned process, const char *arguments, FILE *out);
void board_break_all(void *context, unsigned process, const char *arguments, FILE *out);
void board_unbreak_all(void *context, unsigned process, const char *arguments, FILE *out);

/* Whether `break-all` holds a breakpoint of a core at this address. */
bool board_breaks_all(const struct board_debugger *debugger, unsigned process, uint32_t address);

C_LINKAGE_END

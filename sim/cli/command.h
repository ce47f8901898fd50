/* command.h - the commands of spinnsim.  A command is a row of commands.def and a file
 * command_NAME.c with its options, its help and its code.  Help, usage errors and the manual page
 * are generated from these tables. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/tier.h"
#include <argp.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* The folders of spinnsim's own files: ../share/spinnsim, relative to the program, when it is
 * installed; otherwise the checkout and build folder that the program was built from. */
enum { FOLDER_PATH_CHARS = 4096 };

struct folders {
    char configs[FOLDER_PATH_CHARS];
    char workloads[FOLDER_PATH_CHARS]; /* built programs */
    char native[FOLDER_PATH_CHARS];    /* native code made when spinnsim was built, if any */
    char plot[FOLDER_PATH_CHARS];      /* gnuplot scripts */
    char golden[FOLDER_PATH_CHARS];
};

/* ---- options ---- */

enum { ARGUMENTS_MAX = 256 }; /* of one list */

/* The values of a repeated option, or the operands. */
struct argument_list {
    const char *text[ARGUMENTS_MAX];
    size_t count;
};

/* The kind of an option's value, and the type of the field that it sets. */
enum argument_kind {
    ARGUMENT_TEXT,      /* const char * */
    ARGUMENT_LIST,      /* struct argument_list: may be repeated */
    ARGUMENT_FLAG,      /* bool: takes no value */
    ARGUMENT_WHOLE,     /* uint64_t: from 1 to `most` */
    ARGUMENT_CHOICE,    /* unsigned: index, from 0, into the texts of `value` */
    ARGUMENT_TIER,      /* enum tier, see command_default_tier() */
    ARGUMENT_RUN_AHEAD, /* uint64_t, see command_default_run_ahead() */
};

struct command_option {
    const char *name; /* --name; NULL ends a list of options */
    enum argument_kind kind;
    size_t at;         /* offsetof the field in the struct of the command's arguments */
    const char *value; /* the value's name in help; for a choice its texts, "text|csv" */
    const char *help;
    uint64_t most; /* largest value of ARGUMENT_WHOLE */
    char letter;   /* -letter means the same; 0: none */
};

/* The option --tier: how ARM code is executed.  The default is the environment variable
 * SPINNSIM_TIER, or auto when that is not set or not a tier.  The fourth tier, everything, is for
 * tests and not documented for users. */
#define OPTION_TIER(offset)                                                                        \
    {                                                                                              \
        "tier", ARGUMENT_TIER, offset, "auto|interpreter|translator",                              \
            "how ARM code is executed: auto makes native code, in the background, of what runs "   \
            "long; translator makes it early, and waits for it.  What a run has made, the next "   \
            "run of the same program begins with.  Results are the same; default auto, or "        \
            "SPINNSIM_TIER",                                                                       \
            0, 0                                                                                   \
    }

/* ---- commands ---- */

struct command {
    const char *name;
    const char *summary;  /* one line */
    const char *operands; /* as in help: "X" one, "X..." several, "[X]" optional; NULL: none */
    const char *noun;     /* what an operand is, in messages: "file" */
    const char *wanted;   /* hint when the operand is missing: "name a program"; NULL: optional */
    size_t operand_at;    /* offset of their field: const char *; "X...": struct argument_list */
    const char *text;     /* text of --help before the options and, behind \v, after them */
    const struct command_option *options; /* NULL: none */
    /* Checks combinations of options; reports errors with argp_error().  NULL: no such check. */
    void (*check)(void *arguments, struct argp_state *state);
    /* Added to spinnsim's own failures in the exit status (EXIT_STATUS of command_line.c), for a
     * command whose other exit statuses are a guest's. */
    int first_own_status;
    /* argv[0] is the command.  Returns the exit status (EXIT_STATUS of command_line.c). */
    int (*run)(int argc, char **argv, const struct folders *folders);
};

#define COMMAND(name) extern const struct command COMMAND_##name; /* NOLINT */
#include "sim/cli/commands.def"

enum { EXIT_USAGE = 2 };

/* Sets the fields of `arguments`, which holds the defaults, from the command line; help and usage
 * errors end the program. */
void command_parse(const struct command *command, int argc, char **argv, void *arguments);

/* Defaults from the environment, SPINNSIM_TIER and SPINNSIM_RUN_AHEAD; auto when not set. */
enum tier command_default_tier(void);
uint64_t command_default_run_ahead(void);

/* Prints the manual page of these commands, and of the exit statuses, indexed from 0; NULL ends
 * both lists. */
void command_print_man(const struct command *const *commands, const char *const *exit_status);

/* Finds the command and runs it; returns the exit status. */
int command_line(int argc, char **argv);

C_LINKAGE_END

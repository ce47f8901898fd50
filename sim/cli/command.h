/* command.h - what a command of spinnsim is: a row of commands.def, and a file command_NAME.c with
 * its options, its help and what it does.  Help, usage errors and the manual page come from here.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/tier.h"
#include <argp.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* Where the program finds what came with it: beside itself, in ../share/spinnsim, when it is
 * installed; otherwise in the checkout and the build that it was made from. */
enum { FOLDER_PATH_CHARS = 4096 };

struct folders {
    char configs[FOLDER_PATH_CHARS];
    char workloads[FOLDER_PATH_CHARS]; /* built programs */
    char plot[FOLDER_PATH_CHARS];      /* gnuplot scripts */
    char golden[FOLDER_PATH_CHARS];
};

/* ---- options ---- */

enum { ARGUMENTS_MAX = 256 }; /* of one list */

/* A list of texts of the command line. */
struct argument_list {
    const char *text[ARGUMENTS_MAX];
    size_t count;
};

/* What an option takes, and the type of the field that it sets. */
enum argument_kind {
    ARGUMENT_TEXT,      /* const char * */
    ARGUMENT_LIST,      /* struct argument_list: may be repeated */
    ARGUMENT_FLAG,      /* bool: takes no value */
    ARGUMENT_WHOLE,     /* uint64_t: from 1 to `most` */
    ARGUMENT_CHOICE,    /* unsigned: which of the texts of `value`, from 0 */
    ARGUMENT_TIER,      /* enum tier, see command_default_tier() */
    ARGUMENT_RUN_AHEAD, /* uint64_t, see command_default_run_ahead() */
};

struct command_option {
    const char *name; /* --name; NULL ends a list of options */
    enum argument_kind kind;
    size_t at;         /* offsetof the field in the struct of the command's arguments */
    const char *value; /* how help names the value; of a choice the texts, "text|csv" */
    const char *help;
    uint64_t most; /* of ARGUMENT_WHOLE */
    char letter;   /* -letter means the same; 0: none */
};

/* How ARM code is executed.  Without the option the environment's SPINNSIM_TIER says which, else
 * auto; a text there that is none counts as auto.  The fourth, everything, is for tests and not
 * told to users. */
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
    const char *operands; /* how help names them: "X" one, "X..." some, "[X]" or NULL none needed */
    const char *noun;     /* what an operand is, in messages: "file" */
    const char *wanted;   /* what to name when it is missing: "name a program"; NULL: needs none */
    size_t operand_at;    /* field of them: const char *, of "X..." a struct argument_list */
    const char *text;     /* what --help says: before and, behind \v, after the options */
    const struct command_option *options; /* NULL: none */
    /* What options alone do not say, a mistake with argp_error(); NULL: nothing. */
    void (*check)(void *arguments, struct argp_state *state);
    /* argv[0] is the command.  Returns the exit status (EXIT_STATUS of command_line.c). */
    int (*run)(int argc, char **argv, const struct folders *folders);
};

#define COMMAND(name) extern const struct command COMMAND_##name; /* NOLINT */
#include "sim/cli/commands.def"

enum { EXIT_USAGE = 2 };

/* Sets the fields of `arguments`, which holds the defaults, from the command line; help and usage
 * errors end the program. */
void command_parse(const struct command *command, int argc, char **argv, void *arguments);

/* What the environment says: SPINNSIM_TIER, SPINNSIM_RUN_AHEAD; otherwise auto. */
enum tier command_default_tier(void);
uint64_t command_default_run_ahead(void);

/* The commands in order; NULL behind the last. */
const struct command *const *command_list(void);

/* What exit statuses mean: a text for each from 0, NULL behind the last. */
extern const char *const EXIT_STATUS[];

/* Finds the command and runs it; returns the exit status. */
int command_line(int argc, char **argv);

C_LINKAGE_END

/* command_line.c - chooses the command. */
#include "sim/cli/command.h"
#include "sim/cli/limits.h"
#include "sim/cli/message.h"
#include "sim/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command *const COMMANDS[] = {
#define COMMAND(name) &COMMAND_##name,
#include "sim/cli/commands.def"
    NULL};

static const char *const EXIT_STATUS[] = {
    "done",
    "internal: a fault of spinnsim's, out of memory, or output that could not be written",
    "usage or configuration: nothing has been written",
    "the guest program failed, or nothing happens any more: see console.txt, waits.csv, drops.csv",
    "a limit was reached: run.simulated_time_limit",
    "a result is outside `accept`, or a count is not the golden's",
    NULL};

/* ---- folders ---- */

static void find(char *path, const char *program_folder, const char *name, const char *built)
{
    const int length =
        snprintf(path, FOLDER_PATH_CHARS, "%s/../share/spinnsim/%s", program_folder, name);
    if (length >= FOLDER_PATH_CHARS || access(path, F_OK) != 0) {
        (void)snprintf(path, FOLDER_PATH_CHARS, "%s", built);
    }
}

static void find_folders(struct folders *folders)
{
    char program[FOLDER_PATH_CHARS / 2] = "";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    find(folders->configs, program, "configs", SPINN_SOURCE_DIR "/configs");
    find(folders->workloads, program, "workloads", SPINN_BINARY_DIR "/workloads");
    find(folders->native, program, "native", SPINN_BINARY_DIR "/native");
    find(folders->plot, program, "plot", SPINN_SOURCE_DIR "/scripts/plot");
    find(folders->golden, program, "golden", SPINN_SOURCE_DIR "/tests/golden");
}

/* ---- help, version, manual ---- */

static void print_help(FILE *stream)
{
    (void)fputs("A simulator of SpiNNaker chips on which ARM binaries train and run neural "
                "networks.\n\nusage:\n",
                stream);
    for (size_t i = 0; COMMANDS[i] != NULL; i++) {
        char line[FOLDER_PATH_CHARS];
        (void)snprintf(line, sizeof line, "spinnsim %s %s", COMMANDS[i]->name,
                       COMMANDS[i]->operands == NULL ? "" : COMMANDS[i]->operands);
        (void)fprintf(stream, "    %-38s  %s\n", line, COMMANDS[i]->summary);
    }
    (void)fputs("\n`spinnsim COMMAND --help` tells more, `spinnsim man | man -l -` all.\n", stream);
}

static int print_version(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    command_parse(&COMMAND_version, argc, argv, NULL);
    (void)printf("spinnsim %s (%s)\n", SPINNSIM_VERSION, SPINNSIM_COMMIT);
    return 0;
}

const struct command COMMAND_version = {.name = "version",
                                        .summary = "print the version",
                                        .text = "Prints the version and the commit of the program.",
                                        .run = print_version};

static int print_man(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    command_parse(&COMMAND_man, argc, argv, NULL);
    command_print_man(COMMANDS, EXIT_STATUS);
    return 0;
}

const struct command COMMAND_man = {
    .name = "man",
    .summary = "print the manual page of all commands",
    .text = "Prints the manual page: what --help says of each command, in roff."
            "\vExample:\n  spinnsim man | man -l -",
    .run = print_man};

/* ---- choosing ---- */

/* Runs the command, unless the user's limits leave no room for it.  That is found out here: the
 * stack frames of some commands alone are larger than a small stack. */
static int run(const struct command *command, int argc, char **argv)
{
    struct diagnostic diagnostic = {0};
    argp_err_exit_status = command->first_own_status + EXIT_USAGE;
    const enum status status = limits_check(&diagnostic);
    if (status != STATUS_OK) {
        (void)message_error(status, &diagnostic);
        return message_own_status(status);
    }
    struct folders folders;
    find_folders(&folders);
    (void)setenv("SPINNSIM_NATIVE", folders.native, 0); /* unless the user has set it */
    return command->run(argc, argv, &folders);
}

int command_line(int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    const char *name = argc < 2 ? "" : argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        name = COMMAND_version.name;
    }
    for (size_t i = 0; COMMANDS[i] != NULL; i++) {
        if (strcmp(COMMANDS[i]->name, name) == 0) {
            return run(COMMANDS[i], argc - 1, argv + 1);
        }
    }
    if (argc >= 2) {
        (void)fprintf(stderr, "spinnsim: there is no command \"%s\"\n", name);
    }
    print_help(stderr);
    return EXIT_USAGE;
}

/* command_line.c - chooses the command. */
#include "sim/cli/command.h"
#include "sim/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static const struct command COMMANDS[] = {
    {"run", "run an experiment, or a program for one core, and write a result folder", command_run},
    {"plot", "draw results: energy by component, time by phase, or any two numbers", command_plot},
    {"energy", "compute joules again from recorded counters", command_energy},
    {"regress", "compare exact counts with the recorded goldens", command_regress},
    {"report", "results of several runs on one page", command_report},
    {"config", "show a configuration as it is resolved", command_config},
    {"elf", "run a bare program on one core with flat memory", command_elf},
    {"vectors", "check the core against instruction vectors", command_vectors},
    {"version", "print the version", command_version},
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(COMMANDS[i].name, name) == 0) {
            return &COMMANDS[i];
        }
    }
    return NULL;
}

static void print_help(FILE *stream)
{
    (void)fputs("usage: spinnsim COMMAND ...\n\n"
                "A simulator of SpiNNaker chips on which ARM binaries train and run neural "
                "networks.\n\ncommands:\n",
                stream);
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        (void)fprintf(stream, "  %-8s  %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    }
    (void)fputs("\n`spinnsim COMMAND --help` tells more.\n", stream);
}

int command_version(int argc, char **argv, const struct folders *folders)
{
    (void)argc;
    (void)argv;
    (void)folders;
    (void)printf("spinnsim %s (%s)\n", SPINNSIM_VERSION, SPINNSIM_COMMIT);
    return 0;
}

int command_line(int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const struct command *command = find(name);
    if (command == NULL) {
        (void)fprintf(stderr, "spinnsim: there is no command \"%s\"\n", name);
        print_help(stderr);
        return EXIT_USAGE;
    }
    struct folders folders;
    folders_find(&folders);
    return command->run(argc - 1, argv + 1, &folders);
}

/* command.h - the commands of spinnsim.  Each takes its own arguments (argv[0] is the command) and
 * returns the exit status: 0 done, 1 internal, 2 usage or configuration, 3 the guest failed, 4 a
 * limit was reached, 5 outside `accept` or a golden. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/cli/folders.h"
C_LINKAGE_BEGIN

enum { EXIT_USAGE = 2 };

struct command {
    const char *name;
    const char *summary; /* one line */
    int (*run)(int argc, char **argv, const struct folders *folders);
};

int command_run(int argc, char **argv, const struct folders *folders);
int command_plot(int argc, char **argv, const struct folders *folders);
int command_energy(int argc, char **argv, const struct folders *folders);
int command_regress(int argc, char **argv, const struct folders *folders);
int command_report(int argc, char **argv, const struct folders *folders);
int command_config(int argc, char **argv, const struct folders *folders);
int command_elf(int argc, char **argv, const struct folders *folders);
int command_vectors(int argc, char **argv, const struct folders *folders);
int command_version(int argc, char **argv, const struct folders *folders);

/* Finds the command and runs it; help and usage errors are handled here. */
int command_line(int argc, char **argv);

C_LINKAGE_END

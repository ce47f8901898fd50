/* command_columns.c - `spinnsim columns`: what stands in the files of a result folder. */
#include "sim/cli/command.h"
#include "sim/results/result_files.h"

#include <stdio.h>

struct arguments {
    const char *file; /* NULL: all */
};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->file != NULL && result_file_find(arguments->file) == NULL) {
        argp_error(state, "%s is no file of a result folder", arguments->file);
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    (void)folders;
    command_parse(&COMMAND_columns, argc, argv, &arguments);
    if (arguments.file != NULL) {
        result_file_explain(stdout, result_file_find(arguments.file));
        return 0;
    }
    (void)fputs("# Result files\n\nWhat `spinnsim run` leaves in a result folder, as `spinnsim "
                "columns` prints it: `scripts/update_results.sh` writes this page.\n"
                "The files are the same to the byte on any host, but for `host` of summary.json.\n",
                stdout);
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        result_file_explain(stdout, &RESULT_FILES[i]);
    }
    return 0;
}

const struct command COMMAND_columns = {
    .name = "columns",
    .summary = "print what stands in the files of a result folder",
    .operands = "[FILE]",
    .noun = "file",
    .operand_at = offsetof(struct arguments, file),
    .text = "Prints every column, counter and key of the files of a result folder with its unit "
            "and meaning, as Markdown; with FILE those of one of them."
            "\vExample:\n  spinnsim columns drops.csv",
    .check = check,
    .run = run};

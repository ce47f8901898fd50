/* command_columns.c - `spinnsim columns`: what stands in the files of a result folder. */
#include "sim/cli/command.h"
#include "sim/results/quantity.h"
#include "sim/results/result_files.h"

#include <stdio.h>

struct arguments {
    const char *name; /* of a file or a quantity; NULL: all files */
};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    struct quantity quantity;
    if (arguments->name != NULL && result_file_find(arguments->name) == NULL &&
        !quantity_find(arguments->name, &quantity)) {
        argp_error(state, "%s is no file of a result folder, and no quantity of one",
                   arguments->name);
    }
}

static void explain_quantity(const char *name)
{
    struct quantity quantity;
    if (quantity_find(name, &quantity)) {
        (void)printf("%s: %s: %s\n", name, quantity_label(name, NULL).text, quantity.meaning);
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    (void)folders;
    command_parse(&COMMAND_columns, argc, argv, &arguments);
    if (arguments.name != NULL) {
        const struct result_file *file = result_file_find(arguments.name);
        if (file != NULL) {
            result_file_explain(stdout, file);
        } else {
            explain_quantity(arguments.name);
        }
        return 0;
    }
    (void)fputs(
        "# Result files\n\nThis page lists the files that `spinnsim run` leaves in a result "
        "folder. `spinnsim columns` prints it; `scripts/update_results.sh` writes it.\n\n- The "
        "files are the same to the byte on any host, except `host` of summary.json and its digest "
        "in manifest.csv.\n- Other files, such as figures and notes, may be added to the "
        "folder.\n- Text in a table that a spreadsheet would run (`=`, `+`, `-`, `@` first) begins "
        "with an apostrophe.\n- `tail -n +2 manifest.csv | awk -F, '{print $3\"  \"$1}' | "
        "sha256sum -c` checks the files with another program.\n",
        stdout);
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        result_file_explain(stdout, &RESULT_FILES[i]);
    }
    return 0;
}

const struct command COMMAND_columns = {
    .name = "columns",
    .summary = "print what stands in the files of a result folder; unit and meaning of a quantity",
    .operands = "[NAME]",
    .noun = "name",
    .operand_at = offsetof(struct arguments, name),
    .text = "Prints every column, counter and key of the files of a result folder with its unit "
            "and meaning, as Markdown; with the NAME of a file those of one of them; with that of "
            "a quantity (a key of summary.json or config.yaml, component.counter, or file.column) "
            "that one."
            "\vExamples:\n  spinnsim columns drops.csv\n  spinnsim columns images_per_second\n"
            "  spinnsim columns core.instructions",
    .check = check,
    .run = run};

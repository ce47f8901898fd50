/* command_program.c - `spinnsim program`: the ARM programs of experiments, linked beforehand. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/experiment/program_list.h"

#include <stddef.h>

struct arguments {
    struct argument_list files, sets;
    const char *workloads;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of each configuration; may be repeated", 0, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where the parts of programs lie", 0, 0},
    {0}};

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.workloads = folders->workloads};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_program, argc, argv, &arguments);
    const struct config_request request = {.configs_folder = folders->configs,
                                           .sets = arguments.sets.text,
                                           .set_count = arguments.sets.count};
    const enum status status = program_list(arguments.files.text, arguments.files.count, &request,
                                            arguments.workloads, stdout, &diagnostic);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_program = {
    .name = "program",
    .summary = "link the ARM programs of experiments before they run; how much code memory is free",
    .operands = "CONFIG.yaml...",
    .noun = "file",
    .wanted = "name an experiment with a network",
    .operand_at = AT(files),
    .text = "Links the program of each experiment from the parts that the build has compiled, and "
            "keeps it beside them, in programs/, for machines without arm-none-eabi-ld. Prints a "
            "row for each, as CSV: the way in which it is compiled (fast, small, thumb, tight: the "
            "first that fits), its bytes in code and data memory, and the file, for a debugger."
            "\vLeft out are experiments without a network, on the host, with stages, and with "
            "mapping.kind: auto, whose choice needs the data.  A run links what is not there.\n\n"
            "Example:\n  spinnsim program configs/experiments/lenet1_train.yaml",
    .options = OPTIONS,
    .run = run};

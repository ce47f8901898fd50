/* command_backends.c - `spinnsim backends`: what networks run on, and what each of these can do. */
#include "sim/backends/backends.h"
#include "sim/cli/command.h"

struct arguments {
    unsigned format; /* enum backend_format */
};

static const struct command_option OPTIONS[] = {
    {"format", ARGUMENT_CHOICE, offsetof(struct arguments, format), "text|csv|json|markdown",
     "how it is printed; default text", 0, 0},
    {0}};

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    (void)folders;
    command_parse(&COMMAND_backends, argc, argv, &arguments);
    backend_print((enum backend_format)arguments.format, stdout);
    return 0;
}

const struct command COMMAND_backends = {
    .name = "backends",
    .summary = "print what networks run on, and what each of these can do",
    .text = "Prints the backends as a table: a row for each capability, with what takes its place "
            "when it is switched off (`spinnsim run --without`) or missing in a shared library of "
            "yours. docs/backends.md says how to write one."
            "\vExample:\n  spinnsim backends --format csv",
    .options = OPTIONS,
    .run = run};

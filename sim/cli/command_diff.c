/* command_diff.c - `spinnsim diff`: what differs between results, and what explains it. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/compare/comparison.h"
#include "sim/steps.h"

#include <stdio.h>

enum { ROWS = 10 }; /* of a table, without --all */

struct arguments {
    struct argument_list folders;
    unsigned format; /* text, csv, json */
    bool exit_code, all;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"format", ARGUMENT_CHOICE, AT(format), "text|csv|json",
     "tables for people, or everything for programs", 0, 0},
    {"all", ARGUMENT_FLAG, AT(all), NULL, "all rows of the text, not the ten largest of a table", 0,
     0},
    {"exit-code", ARGUMENT_FLAG, AT(exit_code), NULL,
     "exit status 5 when anything but the simulator's version differs", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->folders.count < 2) {
        argp_error(state, "name a second result folder");
    }
}

struct comparisons {
    struct comparison *of;
    size_t count;
};

static void comparisons_deinit(struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->count; i++) {
        comparison_deinit(&comparisons->of[i]);
    }
    free(comparisons->of);
}

static void print(const struct arguments *arguments, const struct comparison *of, size_t count)
{
    switch (arguments->format) {
    case 0:
        for (size_t i = 0; i < count; i++) {
            (void)fputs(i == 0 ? "" : "\n", stdout);
            comparison_print_text(stdout, &of[i], arguments->all ? SIZE_MAX : ROWS);
        }
        break;
    case 1:
        comparison_print_csv(stdout, of, count);
        break;
    default:
        comparison_print_json(stdout, of, count);
        break;
    }
}

static enum status diff(const struct arguments *arguments, bool *differs,
                        struct diagnostic *diagnostic)
{
    RELEASED(comparisons_deinit) struct comparisons comparisons = {0};
    const size_t count = arguments->folders.count - 1;
    comparisons.of = calloc(count, sizeof *comparisons.of);
    if (comparisons.of == NULL) {
        return no_memory(diagnostic);
    }
    for (; comparisons.count < count; comparisons.count++) {
        struct comparison *of = &comparisons.of[comparisons.count];
        TRY(comparison_make(of, arguments->folders.text[0],
                            arguments->folders.text[comparisons.count + 1], diagnostic));
        *differs = *differs || comparison_differs(of);
    }
    print(arguments, comparisons.of, count);
    return STATUS_OK;
}

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {.format = 0};
    struct diagnostic diagnostic = {0};
    bool differs = false;
    command_parse(&COMMAND_diff, argc, argv, &arguments);
    const enum status status = diff(&arguments, &differs, &diagnostic);
    return status == STATUS_OK && differs && arguments.exit_code
               ? status_exit_code(STATUS_REJECTED)
               : message_error(status, &diagnostic);
}

const struct command COMMAND_diff = {
    .name = "diff",
    .summary = "say what differs between results, and what explains it",
    .operands = "DIR...",
    .noun = "folder",
    .wanted = "name two result folders or more",
    .operand_at = AT(folders),
    .text =
        "Compares result folders, each with the first: configuration, programs and data first, "
        "then results, then time, core cycles, joules and counters by stage, layer and phase, role "
        "and function, ranked by how much of the difference they explain.  Host figures are left "
        "out; the order of rows in the files does not matter."
        "\vA is the first folder, B the other; \"explains\" is the part of the difference of the "
        "total, beyond 100 % where others make up for it.  Counters are ranked by their change "
        "over the largest one of the same unit.  Exit status 2 when a folder holds no complete "
        "results.\n\nExample:\n  spinnsim diff out/before out/after --exit-code",
    .options = OPTIONS,
    .check = check,
    .run = run};

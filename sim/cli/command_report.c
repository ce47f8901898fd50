/* command_report.c - `spinnsim report`: a page of tables from result folders. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/reports/report.h"
#include "sim/reports/template.h"

#include <stdio.h>

struct arguments {
    struct argument_list folders;
    const char *template;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"template", ARGUMENT_TEXT, AT(template), "FILE",
     "fill the places of a page instead; DIR is where the runs' folders lie", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->template != NULL && arguments->folders.count != 1) {
        argp_error(state, "--template takes one folder");
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {.template = NULL};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_report, argc, argv, &arguments);
    const struct argument_list *of = &arguments.folders;
    const struct template_request page = {.file = arguments.template, .runs = of->text[0]};
    const enum status status = page.file != NULL
                                   ? template_fill(stdout, &page, &diagnostic)
                                   : report_write(stdout, of->text, of->count, &diagnostic);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_report = {
    .name = "report",
    .summary = "write the results of several runs on one page",
    .operands = "DIR...",
    .noun = "folder",
    .wanted = "name result folders",
    .text =
        "Writes the results of several runs on one page of Markdown, to standard output."
        "\vPlaces of a template: {{RUN:KEY}}, {{EXPRESSION | %.2f}}, {{report RUN RUN}}, {{phases "
        "RUN}}, {{text FILE}}, {{rows FILE [COLUMN=VALUE]}} ... {{end}}; "
        "sim/reports/template.h has them.",
    .operand_at = AT(folders),
    .options = OPTIONS,
    .check = check,
    .run = run};

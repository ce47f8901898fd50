/* command_report.c - `spinnsim report`: a page of tables from result folders. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/reports/report.h"

#include <stdio.h>

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct argument_list of = {.count = 0};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_report, argc, argv, &of);
    return message_error(report_write(stdout, of.text, of.count, &diagnostic), &diagnostic);
}

const struct command COMMAND_report = {
    .name = "report",
    .summary = "write the results of several runs on one page",
    .operands = "DIR...",
    .noun = "folder",
    .wanted = "name result folders",
    .text = "Writes the results of several runs on one page of Markdown, to standard output.",
    .run = run};

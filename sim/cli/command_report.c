/* command_report.c - `spinnsim report`: a page of tables from result folders. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/file.h"
#include "sim/reports/report.h"
#include "sim/reports/template.h"
#include "sim/steps.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct arguments {
    struct argument_list folders;
    const char *template, *out;
    unsigned format; /* of FORMAT */
};

#define AT(field) offsetof(struct arguments, field)
#define FORMAT    "auto|markdown|html"

static const struct command_option OPTIONS[] = {
    {"out", ARGUMENT_TEXT, AT(out), "FILE", "where the page goes (default: standard output)", 0,
     'o'},
    {"format", ARGUMENT_CHOICE, AT(format), FORMAT,
     "markdown: tables; html: one document with figures, identity and how to repeat each run; "
     "auto: html if the "
     "name of --out ends in .html, else markdown",
     0, 0},
    {"template", ARGUMENT_TEXT, AT(template), "FILE",
     "fill the places of a page instead; DIR is where the runs' folders lie", 0, 0},
    {0}};

/* Whether a name says which page it is, or says nothing: it has no ending. */
static bool is_page(const char *name)
{
    const char *file = name == NULL ? "" : file_name_of(name);
    return strchr(file, '.') == NULL || file_ends_in(file, ".md") || file_ends_in(file, ".html");
}

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->template != NULL && arguments->folders.count != 1) {
        argp_error(state, "--template takes one folder");
    }
    if (arguments->template == NULL && arguments->format == 0 && !is_page(arguments->out)) {
        argp_error(state,
                   "--out %s: a page ends in .md or .html; --format markdown or html for "
                   "another name",
                   arguments->out);
    }
    if (arguments->template != NULL && arguments->format != 0) {
        argp_error(state, "--template or --format, not both");
    }
}

static enum page_format format_of(const struct arguments *arguments)
{
    if (arguments->format == 0) {
        return arguments->out != NULL && file_ends_in(arguments->out, ".html") ? PAGE_HTML
                                                                               : PAGE_MARKDOWN;
    }
    return arguments->format == 1 ? PAGE_MARKDOWN : PAGE_HTML;
}

static enum status write_page(FILE *stream, const struct arguments *arguments,
                              const char *scripts_folder, struct diagnostic *diagnostic)
{
    const struct argument_list *of = &arguments->folders;
    const struct template_request page = {.file = arguments->template, .runs = of->text[0]};
    const struct report_request request = {.folder = of->text,
                                           .folder_count = of->count,
                                           .format = format_of(arguments),
                                           .scripts_folder = scripts_folder};
    return page.file != NULL ? template_fill(stream, &page, diagnostic)
                             : report_write(stream, &request, diagnostic);
}

static enum status write_file(const struct arguments *arguments, const char *scripts_folder,
                              struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, arguments->out, diagnostic));
    const enum status status = write_page(writer.stream, arguments, scripts_folder, diagnostic);
    return file_finish(&writer, status, diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.template = NULL};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_report, argc, argv, &arguments);
    const enum status status = arguments.out == NULL
                                   ? write_page(stdout, &arguments, folders->plot, &diagnostic)
                                   : write_file(&arguments, folders->plot, &diagnostic);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_report = {
    .name = "report",
    .summary = "write the results of several runs on one page, Markdown or HTML",
    .operands = "DIR...",
    .noun = "folder",
    .wanted = "name result folders",
    .text =
        "Writes the results of several runs on one page: Markdown, or HTML in one file without "
        "scripts, "
        "with figures.  DIR is a result folder, or a folder with such in it, as a sweep's."
        "\vPlaces of a template: {{RUN:KEY}}, {{EXPRESSION | %.2f}}, {{report RUN RUN}}, {{phases "
        "RUN}}, {{text FILE}}, {{rows FILE [COLUMN=VALUE ...]}} ... {{end}}; "
        "sim/reports/template.h has them.",
    .operand_at = AT(folders),
    .options = OPTIONS,
    .check = check,
    .run = run};

/* command_plot.c - `spinnsim plot` and `spinnsim report`: figures and a page from result folders.
 */
#include "sim/cli/arguments.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/reports/plot.h"
#include "sim/reports/report.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- plot ---- */

enum { KEY_X = 'x', KEY_Y = 'y', KEY_BY = 'b', KEY_MAP = 'm', KEY_OUT = 'o' };

struct plot_arguments {
    struct argument_list folders;
    const char *x, *y, *by, *map, *out;
};

static const char PLOT_DOCUMENTATION[] =
    "Draws result folders.  Without --x and --y: energy by component and time by phase of each, as "
    "SVG and PNG.  With them: one number over another, as NAME.svg, NAME.gp and NAME.csv; a number "
    "with a range gets error bars; of trainings, accuracy or loss over images, seconds or joules "
    "is drawn as they learnt, from learning.csv.  With --map: the chips and links of each run's "
    "board, coloured "
    "by "
    "what they carried."
    "\vKEY is a dotted key of summary.json or config.yaml.  Example:\n"
    "  spinnsim plot out/* --x mapping.cores_per_chip --y energy.joules_per_image\n"
    "COUNTER is one of counters.csv: router.packets_mc, router.dumped_mc, core.active_cycles ..., "
    "or "
    "router.packets for all types.  Links show the share of time in which they were busy, or a "
    "counter of theirs: link.blocked_ps.";

static const struct argp_option PLOT_OPTIONS[] = {
    {"x", KEY_X, "KEY", 0, "what goes along the x axis", 0},
    {"y", KEY_Y, "KEY", 0, "what goes along the y axis", 0},
    {"by", KEY_BY, "KEY", 0, "one line for each value of this", 0},
    {"map", KEY_MAP, "COUNTER", 0, "a map of the board by this counter", 0},
    {"out", KEY_OUT, "DIR", 0, "where the figures go (default: out/plots)", 0},
    {0}};

static error_t parse_plot(int key, char *text, struct argp_state *state)
{
    struct plot_arguments *arguments = state->input;
    switch (key) {
    case KEY_X:
        arguments->x = text;
        return 0;
    case KEY_Y:
        arguments->y = text;
        return 0;
    case KEY_BY:
        arguments->by = text;
        return 0;
    case KEY_MAP:
        arguments->map = text;
        return 0;
    case KEY_OUT:
        arguments->out = text;
        return 0;
    case ARGP_KEY_ARG:
        argument_add(&arguments->folders, "folders", text, state);
        return 0;
    case ARGP_KEY_END:
        if (arguments->folders.count == 0) {
            argp_error(state, "no folder: name result folders");
        }
        if ((arguments->x == NULL) != (arguments->y == NULL)) {
            argp_error(state, "--x and --y belong together");
        }
        if (arguments->map != NULL && arguments->x != NULL) {
            argp_error(state, "--map or --x and --y, not both");
        }
        if (arguments->by != NULL && arguments->x == NULL) {
            argp_error(state, "--by needs --x and --y");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_path(void *context, const char *path)
{
    (void)context;
    (void)printf("%s\n", path);
}

int command_plot(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {PLOT_OPTIONS, parse_plot, "DIR...", PLOT_DOCUMENTATION,
                                       NULL,         NULL,       NULL};
    struct plot_arguments arguments = {.out = "out/plots"};
    struct diagnostic diagnostic = {0};
    arguments_parse(&PARSER, "spinnsim plot", argc, argv, &arguments);
    const struct plot_request request = {.folder = arguments.folders.text,
                                         .folder_count = arguments.folders.count,
                                         .x = arguments.x,
                                         .y = arguments.y,
                                         .by = arguments.by,
                                         .map = arguments.map,
                                         .out = arguments.out,
                                         .scripts_folder = folders->plot};
    const enum status status = plot_make(&request, print_path, NULL, &diagnostic);
    return status == STATUS_OK ? 0 : message_error(status, &diagnostic);
}

/* ---- report ---- */

static const char REPORT_DOCUMENTATION[] =
    "Writes the results of several runs on one page of Markdown, to standard output.";

static error_t parse_report(int key, char *text, struct argp_state *state)
{
    struct argument_list *folders = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        argument_add(folders, "folders", text, state);
        return 0;
    case ARGP_KEY_END:
        if (folders->count == 0) {
            argp_error(state, "no folder: name result folders");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_report(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {NULL, parse_report, "DIR...", REPORT_DOCUMENTATION,
                                       NULL, NULL,         NULL};
    (void)folders;
    struct argument_list of = {.count = 0};
    struct diagnostic diagnostic = {0};
    arguments_parse(&PARSER, "spinnsim report", argc, argv, &of);
    const enum status status = report_write(stdout, of.text, of.count, &diagnostic);
    return status == STATUS_OK ? 0 : message_error(status, &diagnostic);
}

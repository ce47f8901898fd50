/* command_plot.c - `spinnsim plot`: figures from result folders. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/reports/plot.h"

#include <stdio.h>

struct arguments {
    struct argument_list folders;
    const char *x, *y, *by, *map, *out;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"x", ARGUMENT_TEXT, AT(x), "KEY", "what goes along the x axis", 0, 'x'},
    {"y", ARGUMENT_TEXT, AT(y), "KEY", "what goes along the y axis", 0, 'y'},
    {"by", ARGUMENT_TEXT, AT(by), "KEY", "one line for each value of this", 0, 'b'},
    {"map", ARGUMENT_TEXT, AT(map), "COUNTER", "a map of the board by this counter", 0, 'm'},
    {"out", ARGUMENT_TEXT, AT(out), "DIR", "where the figures go (default: out/plots)", 0, 'o'},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if ((arguments->x == NULL) != (arguments->y == NULL)) {
        argp_error(state, "--x and --y belong together");
    }
    if (arguments->map != NULL && arguments->x != NULL) {
        argp_error(state, "--map or --x and --y, not both");
    }
    if (arguments->by != NULL && arguments->x == NULL) {
        argp_error(state, "--by needs --x and --y");
    }
}

static void print_path(void *context, const char *path)
{
    (void)context;
    (void)printf("%s\n", path);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.out = "out/plots"};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_plot, argc, argv, &arguments);
    const struct plot_request request = {.folder = arguments.folders.text,
                                         .folder_count = arguments.folders.count,
                                         .x = arguments.x,
                                         .y = arguments.y,
                                         .by = arguments.by,
                                         .map = arguments.map,
                                         .out = arguments.out,
                                         .scripts_folder = folders->plot};
    return message_error(plot_make(&request, print_path, NULL, &diagnostic), &diagnostic);
}

const struct command COMMAND_plot = {
    .name = "plot",
    .summary = "draw energy by component, time by phase, any two numbers, or a map of the board",
    .operands = "DIR...",
    .noun = "folder",
    .wanted = "name result folders",
    .operand_at = AT(folders),
    .text = "Draws result folders.  Without --x and --y: energy by component and time by phase of "
            "each, as SVG and PNG.  With them: one number over another, as NAME.svg, NAME.gp and "
            "NAME.csv; a number with a range gets error bars; of trainings, accuracy or loss over "
            "images, seconds or joules is drawn as they learnt, from learning.csv.  With --map: "
            "the chips and links of each run's board, coloured by what they carried."
            "\vKEY is a dotted key of summary.json or config.yaml.  Example:\n"
            "  spinnsim plot out/* --x mapping.cores_per_chip --y energy.joules_per_image\n"
            "COUNTER is one of counters.csv: router.packets_mc, router.dumped_mc, "
            "core.active_cycles ..., or router.packets for all types.  Links show the share of "
            "time in which they were busy, or a counter of theirs: link.blocked_ps.",
    .options = OPTIONS,
    .check = check,
    .run = run};

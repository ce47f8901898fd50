/* command_plot.c - `spinnsim plot`: figures from result folders. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/reports/plot.h"
#include "sim/steps.h"

#include <stdio.h>

struct arguments {
    struct argument_list folders, formats;
    const char *kind, *x, *y, *by, *label, *map, *out;
    unsigned pareto; /* enum plot_pareto */
    unsigned log;    /* of LOG: bit 0 for x, bit 1 for y */
    uint64_t width_mm;
    bool list;
};

#define AT(field) offsetof(struct arguments, field)
#define LOG       "none|x|y|xy"

static const struct command_option OPTIONS[] = {
    {"list", ARGUMENT_FLAG, AT(list), NULL, "print the kinds of figures, and draw nothing", 0, 'l'},
    {"kind", ARGUMENT_TEXT, AT(kind), "KIND", "draw this kind of figure, one of --list", 0, 'k'},
    {"x", ARGUMENT_TEXT, AT(x), "KEY", "what goes along the x axis", 0, 'x'},
    {"y", ARGUMENT_TEXT, AT(y), "KEY", "what goes along the y axis", 0, 'y'},
    {"by", ARGUMENT_TEXT, AT(by), "KEY", "a colour for each value of this", 0, 'b'},
    {"label", ARGUMENT_TEXT, AT(label), "KEY", "write the value of this beside each point", 0, 0},
    {"pareto", ARGUMENT_CHOICE, AT(pareto), PLOT_PARETO_TEXT,
     "mark the points than which none is better in x and y; which values of x and of y are the "
     "better ones, or `known`: joules and seconds low, accuracy and rates high",
     0, 0},
    {"log", ARGUMENT_CHOICE, AT(log), LOG, "axes with a logarithmic scale", 0, 0},
    {"map", ARGUMENT_TEXT, AT(map), "COUNTER", "a map of the board by this counter", 0, 'm'},
    {"out", ARGUMENT_TEXT, AT(out), "DIR",
     "where the figures go (default: out/plots), or the one figure's file, which ends in .svg, "
     ".png or .pdf (a new folder with another ending: DIR/)",
     0, 'o'},
    {"format", ARGUMENT_LIST, AT(formats), "svg|png|pdf",
     "the format of the figures (default: svg); may be repeated", 0, 0},
    {"width", ARGUMENT_WHOLE, AT(width_mm), "MM",
     "the width of the figures: a column has 85 mm, a page 170 (default: 160); texts keep their "
     "9 pt; maps have a size of their own",
     PLOT_WIDTH_MOST_MM, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->folders.count == 0 && !arguments->list) {
        argp_error(state, "no folder: name result folders");
    }
    if ((arguments->x == NULL) != (arguments->y == NULL)) {
        argp_error(state, "--x and --y belong together");
    }
    if (arguments->map != NULL && arguments->x != NULL) {
        argp_error(state, "--map or --x and --y, not both");
    }
    if ((arguments->by != NULL || arguments->label != NULL || arguments->pareto != 0 ||
         arguments->log != 0) &&
        arguments->x == NULL) {
        argp_error(state, "--by, --label, --pareto and --log need --x and --y");
    }
    if (arguments->width_mm != 0 && arguments->width_mm < PLOT_WIDTH_LEAST_MM) {
        argp_error(state, "--width: at least %d mm", PLOT_WIDTH_LEAST_MM);
    }
    for (size_t i = 0; i < arguments->formats.count; i++) {
        struct plot_request request = {0};
        if (!plot_add_format(&request, arguments->formats.text[i])) {
            argp_error(state, "--format: \"%s\" is none of svg, png and pdf",
                       arguments->formats.text[i]);
        }
    }
}

static void print_kinds(void)
{
    for (size_t i = 0; i < plot_kind_count(); i++) {
        (void)printf("%-9s %s\n", plot_kind(i)->name, plot_kind(i)->summary);
    }
}

static void print_path(void *context, const char *path)
{
    (void)context;
    (void)printf("%s\n", path);
}

static enum status draw(const struct arguments *arguments, const char *scripts_folder,
                        struct diagnostic *diagnostic)
{
    struct plot_left_out left_out = {0};
    struct plot_request request = {.folder = arguments->folders.text,
                                   .folder_count = arguments->folders.count,
                                   .kind = arguments->kind,
                                   .x = arguments->x,
                                   .y = arguments->y,
                                   .by = arguments->by,
                                   .label = arguments->label,
                                   .pareto = (enum plot_pareto)arguments->pareto,
                                   .log_x = (arguments->log & 1U) != 0,
                                   .log_y = (arguments->log & 2U) != 0,
                                   .map = arguments->map,
                                   .width_mm = (unsigned)arguments->width_mm,
                                   .left_out = &left_out,
                                   .scripts_folder = scripts_folder};
    FREED char *owned = NULL;
    for (size_t i = 0; i < arguments->formats.count; i++) {
        (void)plot_add_format(&request, arguments->formats.text[i]);
    }
    TRY(plot_take_out(&request, arguments->out, &owned, diagnostic));
    TRY(plot_make(&request, print_path, NULL, diagnostic));
    if (left_out.runs > 0) {
        struct diagnostic warning;
        (void)diagnose(&warning, STATUS_OK, "%zu of %zu runs left out: they have no %s",
                       left_out.runs, request.folder_count, left_out.key);
        message_warning(&warning);
    }
    return STATUS_OK;
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.out = "out/plots"};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_plot, argc, argv, &arguments);
    if (arguments.list) {
        print_kinds();
        return 0;
    }
    return message_error(draw(&arguments, folders->plot, &diagnostic), &diagnostic);
}

const struct command COMMAND_plot = {
    .name = "plot",
    .summary = "draw energy, time by phase, any two numbers and their best points, or a map of "
               "the board",
    .operands = "DIR...",
    .noun = "folder",
    .operand_at = AT(folders),
    .text = "Draws result folders (or those in a folder, as a sweep's), each figure as a table "
            "(NAME.csv), a script (NAME.gp) and "
            "NAME.svg, .png or .pdf.  Without --x and --y: energy by component, time by phase, and "
            "energy by phase of each.  With them: one number over another; a number with a range "
            "gets a band or error bars, and lines join runs that differ in x alone; of trainings, "
            "accuracy or loss over images, seconds or joules is drawn as they learnt, from "
            "learning.csv.  With --map: the chips and links of each run's board, coloured by what "
            "they carried."
            "\vKEY is a dotted key of summary.json or config.yaml.  Examples:\n"
            "  spinnsim plot out/* --x mapping.cores_per_chip --y energy.joules_per_image\n"
            "  spinnsim plot out/* --x seconds --y energy.joules --label clock.cpu --pareto known "
            "--out figure.pdf --width 85\n"
            "COUNTER is one of counters.csv: router.packets_mc, router.dumped_mc, "
            "core.active_cycles ..., or router.packets for all types.  Links show the share of "
            "time in which they were busy, or a counter of theirs: link.blocked_ps.",
    .options = OPTIONS,
    .check = check,
    .run = run};

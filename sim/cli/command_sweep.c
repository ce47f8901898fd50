/* command_sweep.c - `spinnsim sweep`: every combination of some keys' values. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/progress.h"
#include "sim/results/printable.h"
#include "sim/steps.h"
#include "sim/sweep/sweep.h"

#include <stdio.h>
#include <unistd.h>

struct arguments {
    const char *file, *out, *from, *data_dir, *workloads;
    struct argument_list sets, axes;
    uint64_t jobs;
    bool list, dry_run, exit_code;
    enum tier tier;
    unsigned progress;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"axis", ARGUMENT_LIST, AT(axes), "KEY=A,B,C",
     "values of a key to try, or ranges of them; may be repeated: every value of one with every "
     "value of the others",
     0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of the configuration, for all points; may be repeated", 0, 0},
    {"out", ARGUMENT_TEXT, AT(out), "DIR",
     "where the table, the figure and the points' result folders go (default: out)", 0, 0},
    {"from", ARGUMENT_TEXT, AT(from), "FILE",
     "all points go on from a state that a run has saved (run.save_at); a point that changes what "
     "the state depends on is refused",
     0, 0},
    {"jobs", ARGUMENT_WHOLE, AT(jobs), "N",
     "points that run at the same time (default: the cores of this computer); results do not "
     "depend "
     "on it",
     SWEEP_JOBS_MAX, 'j'},
    {"list", ARGUMENT_FLAG, AT(list), NULL,
     "run nothing: print the command of each point, for other schedulers", 0, 0},
    {"dry-run", ARGUMENT_FLAG, AT(dry_run), NULL,
     "run nothing: say how many points there are, and how long they may take", 0, 0},
    {"exit-code", ARGUMENT_FLAG, AT(exit_code), NULL,
     "end with a status other than 0 if any point failed, reached a limit, is outside `accept` or "
     "was refused, not only if none worked",
     0, 0},
    {"data", ARGUMENT_TEXT, AT(data_dir), "DIR", "where the files of MNIST lie", 0, 0},
    OPTION_TIER(AT(tier)),
    {"progress", ARGUMENT_CHOICE, AT(progress), "auto|json|none",
     "how to tell how far the sweep has come", 0, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

/* The first point in a state, and why it is in it. */
static void print_first(const struct sweep *sweep, const char *label, enum point_state state)
{
    for (size_t i = 0; i < sweep->axes.points; i++) {
        if (sweep->point[i].state == state) {
            const char *message = sweep->point[i].message;
            (void)printf("%-15s point %zu: ", label, i + 1);
            printable_put(stdout, message == NULL ? "" : message);
            (void)putchar('\n');
            return;
        }
    }
}

static void print_figure(const struct sweep *sweep)
{
    const struct sweep_figure *figure = &sweep->figure;
    if (figure->left_out.runs > 0) {
        (void)printf("figure          %s%zu of %zu runs left out: they have no %s\n",
                     figure->left_out.runs == figure->runs ? "none: " : "", figure->left_out.runs,
                     figure->runs, figure->left_out.key);
    }
}

static void print_result(const struct sweep *sweep)
{
    const struct sweep_counts counts = sweep_count(sweep);
    const size_t outside = counts.of[POINT_OUTSIDE];
    size_t kept = 0;
    for (size_t i = 0; i < sweep->axes.points; i++) {
        kept += sweep->point[i].kept;
    }
    (void)printf("%zu points: %zu done, %zu failed, %zu at a limit, %zu refused "
                 "(%zu had run before)\n",
                 sweep->axes.points, counts.of[POINT_DONE] + outside,
                 counts.of[POINT_GUEST] + counts.of[POINT_FAILED], counts.of[POINT_LIMIT],
                 counts.of[POINT_REFUSED], kept);
    if (outside > 0) {
        (void)printf("outside `accept` %zu of those done\n", outside);
    }
    print_first(sweep, "first ended", POINT_FAILED);
    print_first(sweep, "first failed", POINT_GUEST);
    print_first(sweep, "first limit", POINT_LIMIT);
    print_first(sweep, "first refused", POINT_REFUSED);
    print_figure(sweep);
    (void)printf("results         %s/%s-sweep.csv\n", sweep->out, sweep->name);
}

static enum status sweep_of(const struct arguments *arguments, const struct sweep_request *request,
                            struct progress *progress, struct diagnostic *diagnostic)
{
    RELEASED(sweep_deinit) struct sweep sweep = {0};
    TRY(sweep_begin(&sweep, request, diagnostic));
    const bool runs = !arguments->list && !arguments->dry_run;
    const enum status status =
        runs ? sweep_run(&sweep, diagnostic) : sweep_plan(&sweep, diagnostic);
    progress_end(progress);
    TRY(status);
    const bool refused = sweep_count(&sweep).of[POINT_REFUSED] == sweep.axes.points;
    if (runs) {
        const enum status verdict = sweep_verdict(&sweep, arguments->exit_code, diagnostic);
        if (!refused) {
            print_result(&sweep);
        }
        return verdict;
    }
    if (arguments->list) {
        TRY(sweep_list(&sweep, stdout, diagnostic));
    } else {
        sweep_estimate(&sweep, stdout);
    }
    return refused ? sweep_verdict(&sweep, false, diagnostic) : STATUS_OK;
}

/* The options that were given and that `spinnsim run` has, too, as --list prints them. */
struct run_options_given {
    const char *text[8];
    size_t count;
};

static void give(struct run_options_given *given, const char *option, const char *value)
{
    given->text[given->count++] = option;
    given->text[given->count++] = value;
}

static struct run_options_given options_given(const struct arguments *arguments,
                                              const struct folders *folders)
{
    struct run_options_given given = {.count = 0};
    if (arguments->from != NULL) {
        give(&given, "--restore", arguments->from);
    }
    if (arguments->data_dir != NULL) {
        give(&given, "--data", arguments->data_dir);
    }
    if (arguments->workloads != folders->workloads) {
        give(&given, "--workloads", arguments->workloads);
    }
    if (arguments->tier != TIER_AUTO || command_default_tier() != TIER_AUTO) {
        give(&given, "--tier", tier_name(arguments->tier));
    }
    return given;
}

static void warn(void *context, const struct diagnostic *why)
{
    (void)context;
    message_warning(why);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct arguments arguments = {.jobs = cores < 1                ? 1
                                          : cores > SWEEP_JOBS_MAX ? SWEEP_JOBS_MAX
                                                                   : (uint64_t)cores,
                                  .tier = command_default_tier(),
                                  .workloads = folders->workloads};
    struct progress progress;
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_sweep, argc, argv, &arguments);
    progress_begin(&progress, (enum progress_mode)arguments.progress);
    const struct run_options_given given = options_given(&arguments, folders);
    const struct sweep_request request = {
        .run = {.file = arguments.file,
                .configs_folder = folders->configs,
                .sets = arguments.sets.text,
                .set_count = arguments.sets.count,
                .job = {.data_dir = arguments.data_dir,
                        .restore = arguments.from,
                        .workloads_folder = arguments.workloads,
                        .threads = 1,
                        .tier = arguments.tier,
                        .run_ahead = command_default_run_ahead()}},
        .axes = arguments.axes.text,
        .axis_count = arguments.axes.count,
        .out = arguments.out,
        .jobs = (unsigned)arguments.jobs,
        .scripts_folder = folders->plot,
        .run_options = given.text,
        .run_option_count = given.count,
        .progress = progress_tell,
        .warn = warn,
        .context = &progress};
    return message_error(sweep_of(&arguments, &request, &progress, &diagnostic), &diagnostic);
}

const struct command COMMAND_sweep = {
    .name = "sweep",
    .summary = "run every combination of some keys' values, and write one table",
    .operands = "CONFIG.yaml",
    .noun = "file",
    .wanted = "name a configuration",
    .operand_at = AT(file),
    .text =
        "Runs an experiment for every combination of the values of its axes, which stand in the "
        "file (sweep: [{KEY: [A, B]}]; keys of one item advance together) or in --axis, and "
        "writes DIR/NAME-sweep.csv, a row for each point.  A point that has run is not run "
        "again, so a sweep that was interrupted goes on where it stood.  Coefficients "
        "(energy.*) are never simulated anew.  A figure is drawn if the file names its axes "
        "(plot: {x: KEY, y: KEY, by: KEY})."
        "\vA value of an axis may be a range: 1..16 (1, 2, 3 to 16), 1..16..4 (1, 5, 9, 13), "
        "log:1..64 (1, 2, 4 to 64), 100..400..100 MHz.  An axis of --axis replaces the file's axis "
        "of the same key.\n\n"
        "Points that are refused, fail, reach a limit, or are outside `accept` are rows of the "
        "table with their status and message.  Exit status: 0 if any point worked (with "
        "--exit-code: if all did); otherwise the first of these that a point has: 1 it ended "
        "without results, 3 its guest failed, 4 it reached a limit, 5 it is outside `accept` "
        "(--exit-code only), 2 it was refused.\n\nExamples:\n"
        "  spinnsim sweep configs/experiments/lenet1_synthetic.yaml --axis "
        "mapping.cores_per_chip=4,8,16\n"
        "  spinnsim sweep configs/experiments/lenet1_synthetic.yaml --axis seed=1..100 "
        "--exit-code\n"
        "  spinnsim sweep FILE.yaml --from out/booted/state.spinn --axis "
        "'link.packet=130 ns,140 ns'",
    .options = OPTIONS,
    .run = run};

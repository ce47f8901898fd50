/* command_sweep.c - `spinnsim sweep`: every combination of some keys' values. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/progress.h"
#include "sim/sweep/sweep.h"

#include <stdio.h>
#include <unistd.h>

struct arguments {
    const char *file, *out, *data_dir, *workloads;
    struct argument_list sets, axes;
    uint64_t jobs;
    bool list, dry_run;
    enum tier tier;
    unsigned progress;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"axis", ARGUMENT_LIST, AT(axes), "KEY=A,B,C",
     "values of a key to try; may be repeated: every value of one with every value of the others",
     0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of the configuration, for all points; may be repeated", 0, 0},
    {"out", ARGUMENT_TEXT, AT(out), "DIR",
     "where the table, the figure and the points' result folders go (default: out)", 0, 0},
    {"jobs", ARGUMENT_WHOLE, AT(jobs), "N",
     "points that run at the same time (default: the cores of this computer); results do not "
     "depend "
     "on it",
     SWEEP_JOBS_MAX, 'j'},
    {"list", ARGUMENT_FLAG, AT(list), NULL,
     "run nothing: print the command of each point, for other schedulers", 0, 0},
    {"dry-run", ARGUMENT_FLAG, AT(dry_run), NULL,
     "run nothing: say how many points there are, and how long they may take", 0, 0},
    {"data", ARGUMENT_TEXT, AT(data_dir), "DIR", "where the files of MNIST lie", 0, 0},
    OPTION_TIER(AT(tier)),
    {"progress", ARGUMENT_CHOICE, AT(progress), "auto|json|none",
     "how to tell how far the sweep has come", 0, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

/* What came of the points; STATUS_CONFIGURATION when none of them can run. */
static enum status print_result(const struct sweep *sweep, struct diagnostic *diagnostic)
{
    const char *refused = NULL;
    size_t count[POINT_FAILED + 1] = {0};
    size_t kept = 0;
    for (size_t i = 0; i < sweep->axes.points; i++) {
        count[sweep->point[i].state]++;
        kept += sweep->point[i].kept;
        refused = refused == NULL && sweep->point[i].state == POINT_REFUSED
                      ? sweep->point[i].message
                      : refused;
    }
    if (count[POINT_REFUSED] == sweep->axes.points) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "every point is refused: %s", refused);
    }
    (void)printf("%zu points: %zu with results (%zu had run before), %zu refused, %zu failed\n",
                 sweep->axes.points, count[POINT_DONE], kept, count[POINT_REFUSED],
                 count[POINT_FAILED]);
    if (refused != NULL) {
        (void)printf("first refused   %s\n", refused);
    }
    (void)printf("results         %s/%s-sweep.csv\n", sweep->out, sweep->name);
    return STATUS_OK;
}

static enum status sweep_of(const struct arguments *arguments, const struct sweep_request *request,
                            struct progress *progress, struct diagnostic *diagnostic)
{
    struct sweep sweep;
    enum status status = sweep_begin(&sweep, request, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    if (arguments->list) {
        status = sweep_list(&sweep, stdout, diagnostic);
    } else if (arguments->dry_run) {
        status = sweep_plan(&sweep, diagnostic);
        if (status == STATUS_OK) {
            sweep_estimate(&sweep, stdout);
        }
    } else {
        status = sweep_run(&sweep, diagnostic);
        progress_end(progress);
        if (status == STATUS_OK) {
            status = print_result(&sweep, diagnostic);
        }
    }
    sweep_deinit(&sweep);
    return status;
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
    const struct sweep_request request = {
        .run = {.file = arguments.file,
                .configs_folder = folders->configs,
                .sets = arguments.sets.text,
                .set_count = arguments.sets.count,
                .job = {.data_dir = arguments.data_dir,
                        .workloads_folder = arguments.workloads,
                        .threads = 1,
                        .tier = arguments.tier,
                        .run_ahead = command_default_run_ahead()}},
        .axes = arguments.axes.text,
        .axis_count = arguments.axes.count,
        .out = arguments.out,
        .jobs = (unsigned)arguments.jobs,
        .scripts_folder = folders->plot,
        .progress = progress_tell,
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
        "\vPoints that are refused, fail, or are outside `accept` are rows of the table with "
        "their status; the exit status is 0 then, too.\n\nExample:\n"
        "  spinnsim sweep configs/experiments/lenet1_synthetic.yaml --axis "
        "mapping.cores_per_chip=4,8,16",
    .options = OPTIONS,
    .run = run};

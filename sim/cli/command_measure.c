/* command_measure.c - `spinnsim measure`: how near computations come to doubles, level by level. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/experiment/experiment.h"
#include "sim/file.h"
#include "sim/measure/onnx_tests.h"
#include "sim/measure/operators.h"
#include "sim/measure/result_of.h"
#include "sim/measure/tensors.h"
#include "sim/measure/trainings.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct argument_list words; /* the level, then what it takes */
    const char *out, *onnx, *workloads, *data;
    uint64_t seed, threads;
    bool exit_code;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"out", ARGUMENT_TEXT, AT(out), "FILE.csv", "write a row for each measurement", 0, 0},
    {"onnx", ARGUMENT_TEXT, AT(onnx), "FOLDER",
     "operators: in place of our layers, run ONNX's node tests of a folder, such as "
     "onnx/backend/test/data/node of a checkout of ONNX",
     0, 0},
    {"seed", ARGUMENT_WHOLE, AT(seed), "N", "operators: of weights and pixels; default 1",
     UINT64_MAX, 0},
    {"exit-code", ARGUMENT_FLAG, AT(exit_code), NULL,
     "network, training: exit status 5 when anything differs", 0, 0},
    {"data", ARGUMENT_TEXT, AT(data), "DIR", "network, training: where the files of MNIST lie", 0,
     0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N",
     "network, training: threads of this computer; results do not depend on it; default 1",
     RUN_THREADS_MAX, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

/* What a level measures with. */
struct measuring {
    const struct arguments *arguments;
    const struct folders *folders;
    FILE *csv; /* NULL: not wanted */
};

static struct job_options options_of(const struct measuring *measuring)
{
    const struct arguments *arguments = measuring->arguments;
    return (struct job_options){.data_dir = arguments->data,
                                .workloads_folder = arguments->workloads != NULL
                                                        ? arguments->workloads
                                                        : measuring->folders->workloads,
                                .threads = (unsigned)arguments->threads,
                                .tier = command_default_tier(),
                                .run_ahead = command_default_run_ahead()};
}

static enum status measure_operators(const struct measuring *measuring,
                                     struct diagnostic *diagnostic)
{
    const struct arguments *arguments = measuring->arguments;
    struct onnx_counts counts;
    if (arguments->onnx != NULL) {
        return onnx_tests_run(arguments->onnx, measuring->csv, stdout, &counts, diagnostic);
    }
    const struct operators_request request = {.configs_folder = measuring->folders->configs,
                                              .job = options_of(measuring),
                                              .seed = arguments->seed};
    return operators_measure(&request, measuring->csv, stdout, diagnostic);
}

static enum status judge(const struct measuring *measuring, bool differs,
                         struct diagnostic *diagnostic)
{
    return differs && measuring->arguments->exit_code
               ? diagnose(diagnostic, STATUS_REJECTED, "they differ")
               : STATUS_OK;
}

static enum status measure_network(const struct measuring *measuring, struct diagnostic *diagnostic)
{
    const char *const *words = measuring->arguments->words.text;
    const struct job_options options = options_of(measuring);
    const char *configs = measuring->folders->configs;
    RELEASED(result_of_release) struct result_of a = {0};
    RELEASED(result_of_release) struct result_of b = {0};
    struct tensors_report report;
    TRY(result_of_take(&a, words[1], configs, &options, diagnostic));
    TRY(result_of_take(&b, words[2], configs, &options, diagnostic));
    TRY(tensors_compare(a.folder, b.folder, measuring->csv, &report, diagnostic));
    tensors_tell(&report, stdout);
    return judge(measuring, report.differing + report.other_class > 0, diagnostic);
}

static enum status prepare(const struct measuring *measuring, const char *file,
                           struct experiment **experiment, struct diagnostic *diagnostic)
{
    const struct experiment_request request = {
        .file = file, .configs_folder = measuring->folders->configs, .job = options_of(measuring)};
    struct experiment *made = malloc(sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = experiment_prepare(made, &request, diagnostic);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *experiment = made;
    return STATUS_OK;
}

static enum status measure_training(const struct measuring *measuring,
                                    struct diagnostic *diagnostic)
{
    RELEASED(experiment_destroy) struct experiment *a = NULL;
    RELEASED(experiment_destroy) struct experiment *b = NULL;
    const char *const *words = measuring->arguments->words.text;
    struct trainings_report report;
    TRY(prepare(measuring, words[1], &a, diagnostic));
    TRY(prepare(measuring, words[2], &b, diagnostic));
    TRY(trainings_compare(&a->job, &b->job, measuring->csv, &report, diagnostic));
    trainings_tell(&report, stdout);
    return judge(measuring, report.most > 0, diagnostic);
}

/* The levels: a new one is a row. */
static const struct level {
    const char *name;
    size_t takes; /* words behind the level */
    const char *wanted;
    enum status (*measure)(const struct measuring *measuring, struct diagnostic *diagnostic);
} LEVELS[] = {{"operators", 0, "operators takes no other words", measure_operators},
              {"network", 2, "network takes two result folders or experiments", measure_network},
              {"training", 2, "training takes two experiments", measure_training}};

static const struct level *level_of(const char *name)
{
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        if (strcmp(LEVELS[i].name, name) == 0) {
            return &LEVELS[i];
        }
    }
    return NULL;
}

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    const struct level *level = level_of(arguments->words.text[0]);
    if (level == NULL) {
        argp_error(state, "%s is no level: operators, network or training",
                   arguments->words.text[0]);
    } else if (arguments->words.count != 1 + level->takes) {
        argp_error(state, "%s", level->wanted);
    }
}

static enum status measure(const struct arguments *arguments, const struct folders *folders,
                           struct diagnostic *diagnostic)
{
    struct measuring measuring = {.arguments = arguments, .folders = folders};
    const struct level *level = level_of(arguments->words.text[0]);
    struct file_writer writer;
    if (arguments->out == NULL) {
        return level->measure(&measuring, diagnostic);
    }
    TRY(file_create(&writer, arguments->out, diagnostic));
    measuring.csv = writer.stream;
    const enum status status = level->measure(&measuring, diagnostic);
    if (status == STATUS_REJECTED) { /* measured: the rows say what */
        TRY(file_commit(&writer, diagnostic));
        return status;
    }
    return file_finish(&writer, status, diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.seed = 1, .threads = 1};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_measure, argc, argv, &arguments);
    return message_error(measure(&arguments, folders, &diagnostic), &diagnostic);
}

const struct command COMMAND_measure = {
    .name = "measure",
    .summary = "measure operators, networks and trainings against doubles or each other",
    .operands = "LEVEL...",
    .noun = "level",
    .wanted = "name a level: operators, network or training",
    .operand_at = AT(words),
    .check = check,
    .text =
        "Three levels.  operators: each type of layer, with each activation, in each number "
        "format, "
        "over small maps of odd shapes; on the host and, where ARM programs were built, on one "
        "modelled core: largest and mean difference from doubles, in last bits and absolute, "
        "cycles "
        "and joules for an image, and gradients in doubles against central differences.  network A "
        "B: weights.npz tensor by tensor, and predictions.csv image by image, of two results of "
        "one "
        "network, each a result folder or an experiment (.yaml) that is run for it; the first that "
        "differs, and by how much.  training A B: two experiments of one network, trained on the "
        "host update by update, with the norm of the difference of their parameters after each."
        "\vWith --onnx the tests of a folder take the way of spinnsim import: counts of tests that "
        "passed, that the import refuses (with reasons), that failed, and of those with operators "
        "that it does not know.  Exit status 5 when a modelled core gave other numbers than the "
        "host.\n\nExamples:\n  spinnsim measure operators --out operators.csv\n  spinnsim measure "
        "operators --onnx onnx/backend/test/data/node\n  spinnsim measure network out/host "
        "out/machine --exit-code\n  spinnsim measure training sgd.yaml adam.yaml --out norms.csv",
    .options = OPTIONS,
    .run = run};

/* command_measure.c - `spinnsim measure`: how near computations come to doubles, level by level. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/file.h"
#include "sim/measure/onnx_tests.h"
#include "sim/measure/operators.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

struct arguments {
    struct argument_list words; /* the level, then what it takes */
    const char *out, *onnx, *workloads;
    uint64_t seed;
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
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

/* What a level measures with. */
struct measuring {
    const struct arguments *arguments;
    const struct folders *folders;
    FILE *csv; /* NULL: not wanted */
};

static enum status measure_operators(const struct measuring *measuring,
                                     struct diagnostic *diagnostic)
{
    const struct arguments *arguments = measuring->arguments;
    struct onnx_counts counts;
    if (arguments->onnx != NULL) {
        return onnx_tests_run(arguments->onnx, measuring->csv, stdout, &counts, diagnostic);
    }
    const struct operators_request request = {
        .configs_folder = measuring->folders->configs,
        .job = {.workloads_folder = arguments->workloads != NULL ? arguments->workloads
                                                                 : measuring->folders->workloads,
                .threads = 1,
                .tier = command_default_tier(),
                .run_ahead = command_default_run_ahead()},
        .seed = arguments->seed};
    return operators_measure(&request, measuring->csv, stdout, diagnostic);
}

/* The levels: a new one is a row. */
static const struct level {
    const char *name;
    size_t takes; /* words behind the level */
    const char *wanted;
    enum status (*measure)(const struct measuring *measuring, struct diagnostic *diagnostic);
} LEVELS[] = {{"operators", 0, "operators takes nothing else", measure_operators}};

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
        argp_error(state, "%s is no level: operators", arguments->words.text[0]);
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
    struct arguments arguments = {.seed = 1};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_measure, argc, argv, &arguments);
    return message_error(measure(&arguments, folders, &diagnostic), &diagnostic);
}

const struct command COMMAND_measure = {
    .name = "measure",
    .summary = "measure operators, networks and trainings against doubles or each other",
    .operands = "LEVEL...",
    .noun = "level",
    .wanted = "name a level: operators",
    .operand_at = AT(words),
    .check = check,
    .text = "text",
    .options = OPTIONS,
    .run = run};

/* command_measure.c - `spinnsim measure`: how near computations come to doubles, level by level. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/file.h"
#include "sim/measure/onnx_tests.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

struct arguments {
    struct argument_list words; /* the level, then what it takes */
    const char *out, *onnx;
    bool exit_code;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"out", ARGUMENT_TEXT, AT(out), "FILE.csv", "write a row for each measurement", 0, 0},
    {"onnx", ARGUMENT_TEXT, AT(onnx), "FOLDER",
     "operators: in place of our layers, run ONNX's node tests of a folder, such as "
     "onnx/backend/test/data/node of a checkout of ONNX",
     0, 0},
    {0}};

static enum status measure_operators(const struct arguments *arguments, FILE *csv,
                                     struct diagnostic *diagnostic)
{
    struct onnx_counts counts;
    return onnx_tests_run(arguments->onnx, csv, stdout, &counts, diagnostic);
}

/* The levels: a new one is a row. */
static const struct level {
    const char *name;
    size_t takes; /* words behind the level */
    const char *wanted;
    enum status (*measure)(const struct arguments *arguments, FILE *csv,
                           struct diagnostic *diagnostic);
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

static enum status measure(const struct arguments *arguments, struct diagnostic *diagnostic)
{
    const struct level *level = level_of(arguments->words.text[0]);
    struct file_writer writer;
    if (arguments->out == NULL) {
        return level->measure(arguments, NULL, diagnostic);
    }
    TRY(file_create(&writer, arguments->out, diagnostic));
    return file_finish(&writer, level->measure(arguments, writer.stream, diagnostic), diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {.out = NULL};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_measure, argc, argv, &arguments);
    return message_error(measure(&arguments, &diagnostic), &diagnostic);
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

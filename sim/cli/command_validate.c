/* command_validate.c - `spinnsim validate`: the model beside what was published. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/experiment/validate.h"

#include <stdio.h>

struct arguments {
    const char *out, *image;
    uint64_t threads;
    enum tier tier;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"out", ARGUMENT_TEXT, AT(out), "DIR", "where the result folders go (default: out/validation)",
     0, 0},
    {"scamp", ARGUMENT_TEXT, AT(image), "FILE",
     "a boot image of yours (scamp.boot): also compare what a client reads from a board that runs "
     "it",
     0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N", "host threads; results are the same", 1024, 0},
    OPTION_TIER(AT(tier)),
    {0}};

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {
        .out = "out/validation", .threads = 1, .tier = command_default_tier()};
    struct diagnostic diagnostic = {0};
    char tables[FOLDER_PATH_CHARS + 16];
    command_parse(&COMMAND_validate, argc, argv, &arguments);
    (void)snprintf(tables, sizeof tables, "%s/validation", folders->configs);
    const struct validate_request request = {.folder = tables,
                                             .run = {.configs_folder = folders->configs,
                                                     .job = {.workloads_folder = folders->workloads,
                                                             .threads = (unsigned)arguments.threads,
                                                             .tier = arguments.tier}},
                                             .out = arguments.out,
                                             .image = arguments.image};
    return message_error(validate_write(stdout, &request, &diagnostic), &diagnostic);
}

const struct command COMMAND_validate = {
    .name = "validate",
    .summary = "run what was measured on boards, and compare with the published figures",
    .text = "Runs the experiments of configs/validation/runs.csv and prints a table of the figures "
            "of published.csv beside it: published, kind (C: made the model's parameters; V: was "
            "not used; X: a rule of thumb), what the model says, and the difference.",
    .options = OPTIONS,
    .run = run};

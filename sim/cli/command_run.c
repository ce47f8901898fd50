/* command_run.c - `spinnsim run`: the arguments. */
#include "sim/cli/command.h"
#include "sim/cli/run_options.h"

#include <string.h>

enum {
    KEY_OUT = 1,
    KEY_SET,
    KEY_THREADS,
    KEY_TIER,
    KEY_RUN_AHEAD,
    KEY_DATA,
    KEY_PROGRESS,
    KEY_WORKLOADS,
    KEY_RESUME
};

static const char DOCUMENTATION[] =
    "Runs an experiment described in YAML, or a program (ELF) on core 1 of one chip, and writes "
    "the results into a folder."
    "\vExit status: 0 done, 2 usage or configuration, 3 the guest failed, 4 a limit was reached, "
    "5 outside `accept`.\n\nExample:\n"
    "  spinnsim run configs/experiments/lenet1_inference.yaml --set data.test_images=100";

static const struct argp_option OPTIONS[] = {
    {"set", KEY_SET, "KEY=VALUE", 0, "override a value of the configuration; may be repeated", 0},
    {"out", KEY_OUT, "DIR", 0, "the result folder (default: out/NAME-HASH)", 0},
    {"resume", KEY_RESUME, "DIR", 0,
     "go on from the checkpoint in a result folder (record.checkpoint_every_epochs)", 0},
    {"data", KEY_DATA, "DIR", 0, "where the files of MNIST lie", 0},
    {"threads", KEY_THREADS, "N", 0, "threads of this computer; results do not depend on it", 0},
    {"tier", KEY_TIER, ARGUMENT_TIERS, 0, ARGUMENT_TIER_HELP, 0},
    {"run-ahead", KEY_RUN_AHEAD, ARGUMENT_RUN_AHEADS, 0, ARGUMENT_RUN_AHEAD_HELP, 0},
    {"progress", KEY_PROGRESS, "auto|json|none", 0, "how to tell how far a run has come", 0},
    {"workloads", KEY_WORKLOADS, "DIR", 0, "where built ARM programs lie", 0},
    {0}};

static void take_folder(struct run_options *options, const char *text, struct argp_state *state)
{
    if (strlen(text) >= sizeof options->folders.workloads) {
        argp_error(state, "--workloads: the path is too long");
        return;
    }
    memcpy(options->folders.workloads, text, strlen(text) + 1);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct run_options *options = state->input;
    switch (key) {
    case KEY_SET:
        argument_add(&options->sets, "--set", text, state);
        return 0;
    case KEY_OUT:
        options->out = text;
        return 0;
    case KEY_RESUME:
        options->resume = text;
        return 0;
    case KEY_DATA:
        options->data_dir = text;
        return 0;
    case KEY_THREADS:
        options->threads = (unsigned)argument_whole("--threads", text, 1, RUN_THREADS_MAX, state);
        return 0;
    case KEY_TIER:
        options->tier = argument_tier(text, state);
        return 0;
    case KEY_RUN_AHEAD:
        options->run_ahead = argument_run_ahead(text, state);
        return 0;
    case KEY_PROGRESS:
        if (!progress_mode_of(text, &options->progress)) {
            argp_error(state, "--progress: %s is none of auto, json, none", text);
        }
        return 0;
    case KEY_WORKLOADS:
        take_folder(options, text, state);
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL) {
            argp_error(state, "more than one file: %s and %s", options->file, text);
        }
        options->file = text;
        return 0;
    case ARGP_KEY_END:
        if (options->file == NULL) {
            argp_error(state, "no file: name a configuration or a program");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_run(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {OPTIONS, parse, "CONFIG.yaml|FILE.elf", DOCUMENTATION, NULL,
                                       NULL,    NULL};
    struct run_options options = {.threads = 1,
                                  .tier = argument_default_tier(),
                                  .run_ahead = argument_default_run_ahead(),
                                  .folders = *folders};
    arguments_parse(&PARSER, "spinnsim run", argc, argv, &options);
    return run_experiment(&options);
}

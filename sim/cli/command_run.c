/* command_run.c - `spinnsim run`: the arguments. */
#include "sim/cli/run_options.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct run_options, field)

static const struct command_option OPTIONS[] = {
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of the configuration; may be repeated", 0, 0},
    {"out", ARGUMENT_TEXT, AT(out), "DIR", "the result folder (default: out/NAME-HASH)", 0, 0},
    {"force", ARGUMENT_FLAG, AT(force), NULL,
     "replace results of another configuration that are in the result folder", 0, 0},
    {"resume", ARGUMENT_TEXT, AT(resume), "DIR",
     "go on from the checkpoint in a result folder (record.checkpoint_every_epochs)", 0, 0},
    {"restore", ARGUMENT_TEXT, AT(restore), "FILE",
     "go on from a state that a run has saved (run.save_at), with other records, energy, threads "
     "or free parameters if wanted",
     0, 0},
    {"without", ARGUMENT_LIST, AT(without), "CAPABILITY",
     "switch a capability of the backend off, so that its fallback runs (run.without; `spinnsim "
     "backends`); may be repeated",
     0, 0},
    {"data", ARGUMENT_TEXT, AT(data_dir), "DIR", "where the files of MNIST lie", 0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N",
     "threads of this computer; results do not depend on it", RUN_THREADS_MAX, 0},
    OPTION_TIER(AT(tier)),
    {"run-ahead", ARGUMENT_RUN_AHEAD, AT(run_ahead), "auto|off|SEED",
     "how far cores run ahead of what may interrupt them, before they are rolled back: off is the "
     "slow reference, a seed draws it.  Results are the same; default auto, or SPINNSIM_RUN_AHEAD",
     0, 0},
    {"progress", ARGUMENT_CHOICE, AT(progress), "auto|json|none",
     "how to tell how far a run has come", 0, 0},
    {"events", ARGUMENT_TEXT, AT(events), "SOCKET",
     "tell a program of the run's events over this descriptor, and wait for its answers", 0, 0},
    {"gdb", ARGUMENT_WHOLE, AT(gdb_port), "PORT",
     "wait for GDB at this TCP port of 127.0.0.1 before the first instruction; every core is an "
     "inferior",
     UINT16_MAX, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

/* --without as an override of run.without. */
static void switch_off(struct run_options *options)
{
    static char set[1024] = "run.without=";
    size_t length = strlen(set);
    for (size_t i = 0; i < options->without.count && length < sizeof set; i++) {
        length += (size_t)snprintf(set + length, sizeof set - length, "%s%s", i == 0 ? "" : ",",
                                   options->without.text[i]);
    }
    if (options->without.count > 0 && options->sets.count < ARGUMENTS_MAX) {
        options->sets.text[options->sets.count++] = set;
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct run_options options = {.threads = 1,
                                  .tier = command_default_tier(),
                                  .run_ahead = command_default_run_ahead(),
                                  .configs = folders->configs,
                                  .workloads = folders->workloads};
    command_parse(&COMMAND_run, argc, argv, &options);
    switch_off(&options);
    return run_experiment(&options);
}

const struct command COMMAND_run = {
    .name = "run",
    .summary = "run an experiment, or a program for one core, and write a result folder",
    .operands = "CONFIG.yaml|FILE.elf",
    .noun = "file",
    .wanted = "name a configuration or a program",
    .operand_at = AT(file),
    .text = "Runs an experiment described in YAML, or a program (ELF or APLX) on core 1 of one "
            "chip, and "
            "writes the results into a folder."
            "\vExit status: 0 done, 2 usage or configuration, 3 the guest failed, 4 a limit was "
            "reached, 5 outside `accept`.\n\nExample:\n"
            "  spinnsim run configs/experiments/lenet1_inference.yaml --set data.test_images=100",
    .options = OPTIONS,
    .run = run};

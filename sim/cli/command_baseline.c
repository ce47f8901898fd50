/* command_baseline.c - `spinnsim baseline`: an experiment's training done by this computer. */
#include "models/common/memory.h"
#include "sim/baseline/baseline.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/file.h"

#include <stdlib.h>

struct arguments {
    const char *file, *out, *data_dir;
    struct argument_list sets;
    uint64_t threads, processes, repeats;
    unsigned program, format; /* format: enum baseline_format */
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"program", ARGUMENT_CHOICE, AT(program), "float32|float64|int16|s16.15",
     "how to train: float32 is written for the processor's vector units; int16 and s16.15 are the "
     "machine's integers, with its bits; float64 is the reference; default float32",
     0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N", "threads of each process; default 1",
     RUN_THREADS_MAX, 0},
    {"processes", ARGUMENT_WHOLE, AT(processes), "N",
     "processes that have a share of each batch and add their gradients up in shared memory; "
     "default 1",
     EXCHANGE_MOST, 0},
    {"repeat", ARGUMENT_WHOLE, AT(repeats), "R",
     "how often to train; the time is the median, with the least and the most; default 1",
     BASELINE_REPEATS_MAX, 0},
    {"format", ARGUMENT_CHOICE, AT(format), "table|csv|json", "how it is printed; default table", 0,
     0},
    {"out", ARGUMENT_TEXT, AT(out), "FILE", "write it to a file instead", 0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of the configuration; may be repeated", 0, 0},
    {"data", ARGUMENT_TEXT, AT(data_dir), "DIR", "where the files of MNIST lie", 0, 0},
    {0}};

/* In the order of the option's texts. */
static const struct baseline_program *const PROGRAMS[] = {&BASELINE_FLOAT32, &BASELINE_FLOAT64,
                                                          &BASELINE_INT16, &BASELINE_S1615};

static enum status write_row(const struct baseline_row *row, const struct arguments *arguments,
                             struct diagnostic *diagnostic)
{
    struct file_writer writer;
    if (arguments->out == NULL) {
        baseline_print(row, (enum baseline_format)arguments->format, stdout);
        return STATUS_OK;
    }
    const enum status status = file_create(&writer, arguments->out, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    baseline_print(row, (enum baseline_format)arguments->format, writer.stream);
    return file_commit(&writer, diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.threads = 1, .processes = 1, .repeats = 1};
    struct diagnostic diagnostic = {0};
    struct baseline_row row;
    command_parse(&COMMAND_baseline, argc, argv, &arguments);
    char *watts = file_join(folders->configs, "baselines/watts.csv");
    if (watts == NULL) {
        memory_exhausted();
    }
    const struct baseline_request request = {
        .run = {.file = arguments.file,
                .configs_folder = folders->configs,
                .sets = arguments.sets.text,
                .set_count = arguments.sets.count,
                .job = {.data_dir = arguments.data_dir,
                        .workloads_folder = folders->workloads,
                        .threads = (unsigned)arguments.threads}},
        .program = PROGRAMS[arguments.program],
        .processes = (unsigned)arguments.processes,
        .repeats = (unsigned)arguments.repeats,
        .watts_file = watts};
    enum status status = baseline_run(&request, &row, &diagnostic);
    if (status == STATUS_OK) {
        status = write_row(&row, &arguments, &diagnostic);
    }
    free(watts);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_baseline = {
    .name = "baseline",
    .summary = "train an experiment's network on this computer, to compare: time and joules",
    .operands = "CONFIG.yaml",
    .noun = "file",
    .wanted = "name an experiment with mode: train",
    .operand_at = AT(file),
    .text =
        "Trains what an experiment trains, on this computer instead of the machine: the same "
        "network and initial weights, the same images in the same order, batch, recipe, stopping "
        "rule and test; the stages of an experiment that has some, with --program int16 or float32 "
        "in one process.  Prints seconds, images and operations per second, accuracy, and joules: "
        "measured where the kernel lets the processor's counters be read (RAPL), otherwise assumed "
        "from the watts of a core in configs/baselines/watts.csv, and it says which."
        "\vTimes depend on this computer and what else it does: see --repeat, and the columns load "
        "and cpu_seconds.  The accuracy does not; that of int16 and s16.15 is the "
        "machine's.\n\nExample:\n  spinnsim baseline configs/experiments/fc128_train.yaml "
        "--repeat 5",
    .options = OPTIONS,
    .run = run};

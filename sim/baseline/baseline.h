/* baseline.h - `spinnsim baseline`: an experiment's training done by this computer, with time and
 * joules, to compare the machine with. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/host_facts.h"
#include "sim/baseline/joules.h"
#include "sim/baseline/program.h"
#include "sim/experiment/experiment.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { BASELINE_REPEATS_MAX = 1000 };

struct baseline_request {
    struct experiment_request run; /* backend and number format are replaced */
    const struct baseline_program *program;
    unsigned processes, repeats;
    const char *watts_file;    /* assumed watts of a core */
    const char *meters_folder; /* NULL: JOULE_FOLDER */
};

/* The row of a table: the columns of baseline_columns.def. */
struct baseline_row {
    char experiment[FACT_CHARS], network[FACT_CHARS];
    const char *program, *instructions, *joules_kind, *optimizer;
    uint64_t threads, processes, images, epochs, batch, updates, repeats;
    double seconds_train, seconds_train_least, seconds_train_most; /* of the repeats */
    double seconds_cold, seconds_test, cpu_seconds, images_per_second, gflops, gflops_core;
    double accuracy, loss, validation_accuracy;
    double joules_low, joules, joules_high;
    struct host_facts host;
};

/* Trains `repeats` times.  The row has the accuracy and loss of all: STATUS_INTERNAL when two of
 * them differ. */
enum status baseline_run(const struct baseline_request *request, struct baseline_row *row,
                         struct diagnostic *diagnostic);

enum baseline_format { BASELINE_TABLE, BASELINE_CSV, BASELINE_JSON };
void baseline_print(const struct baseline_row *row, enum baseline_format format, FILE *out);

C_LINKAGE_END

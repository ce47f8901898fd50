/* recorder.h - writes the results of a run into its result folder. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/energy_account.h"
#include "sim/results/verdict.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* All data of the result files and of the printed tables. */
struct record {
    const struct job *job;
    const struct outcome *outcome;
    struct tally tally;
    struct energy_account energy;
    struct verdict verdict;
};

/* STATUS_INTERNAL when out of memory. */
enum status record_make(struct record *record, const struct job *job, const struct outcome *outcome,
                        struct diagnostic *diagnostic);
void record_deinit(struct record *record);

/* Writes all files, or none.  STATUS_CONFIGURATION when the folder cannot be written. */
enum status record_write(const struct record *record, const char *folder,
                         struct diagnostic *diagnostic);

/* Values that appear in several files. */
double record_seconds(const struct record *record);
double record_stage_seconds(const struct record *record, enum stage stage);
double record_accuracy(const struct record *record); /* 0 to 1; NAN when nothing was tested */

C_LINKAGE_END

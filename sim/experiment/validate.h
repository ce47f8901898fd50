/* validate.h - published figures beside what the model says: runs what was measured on boards.
 *
 * A folder has two tables:
 *     runs.csv       run, experiment (in the configuration folder), set (key=value, or empty)
 *     published.csv  figure, published, low, high, source, kind, model, format
 * `model` is an expression over the runs (sim/reports/run_values.h), or several, which `format`
 * shows. A published number is compared in percent with what is shown, a range (low, high) says
 * whether it is within; where nothing is published the model's number is unvalidated. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/common/tier.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct validate_request {
    const char *folder; /* of the two tables */
    const char *configs_folder, *workloads_folder;
    const char *out; /* where the result folders go */
    enum tier tier;
    unsigned threads;
};

/* Runs all, and writes the table as Markdown.  STATUS_CONFIGURATION for what a user can mend; a run
 * that fails ends it with that run's status. */
enum status validate_write(FILE *stream, const struct validate_request *request,
                           struct diagnostic *diagnostic);

C_LINKAGE_END

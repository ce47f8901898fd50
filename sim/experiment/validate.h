/* validate.h - compares published measurements of boards with the model: runs the same experiments
 * and prints both figures.
 *
 * A folder has two tables:
 *     runs.csv       run, experiment (in the configuration folder), set (key=value, or empty)
 *     published.csv  figure, published, low, high, source, kind, model, format
 * `model` is one or several expressions over the runs (sim/reports/run_values.h), printed with
 * `format`.  With a boot image, of software that is not ours, two tables more:
 *     reads.csv            run, experiment, set, chip ("1,0"), window, bytes: what a client reads
 *                          through a served board (sim/serve/reads.h); the run leaves RUN.csv with
 *                          bytes, seconds, requests, again
 *     published_image.csv  as published.csv
 * For a published number the table has the model's deviation in percent; for a range
 * (low, high) whether the model is within; otherwise the model's number counts as unvalidated. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/experiment.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct validate_request {
    const char *folder;            /* the folder with the two tables */
    struct experiment_request run; /* of every row, with the row's file and override */
    const char *out;               /* where the result folders go */
    const char *image;             /* file with a boot image (scamp.boot), or NULL */
};

/* Runs everything and writes the table as Markdown.  STATUS_CONFIGURATION for user errors; if a run
 * fails, returns that run's status. */
enum status validate_write(FILE *stream, const struct validate_request *request,
                           struct diagnostic *diagnostic);

C_LINKAGE_END

/* operators.h - `spinnsim measure operators`: each operator of operator_cases.def in each number
 * format, on the host and on one modelled core, against doubles. */
#pragma once
#include "sim/measure/operator_case.h"
#include "sim/run_control/job.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct operators_request {
    const char *configs_folder;
    struct job_options job; /* threads, tier, run_ahead; without workloads_folder nothing runs on
                               the modelled core */
    uint64_t seed;          /* of weights and pixels */
};

/* What a number format makes of a case. */
struct operator_figures {
    const char *format;   /* number_format.text */
    bool computed;        /* on the host; else `remark` says why not */
    double lsb;           /* value of the last bit of an output or, of a last layer, whose sums are
                             not rounded, of its inputs; NAN: floating point */
    double largest, mean; /* difference from doubles, of either sign */
    uint64_t saturations;
    bool modelled, equal;  /* ran on the core; gave the host's sums, bit for bit */
    double cycles, joules; /* of the operator, for an image: its core's, and dynamic ones */
    char remark[DIAGNOSTIC_TEXT_CHARS];
};

/* A folder for the files of one measurement, with those that all cases share. */
struct operators_folder {
    char *path; /* owned; NULL: none */
};
enum status operators_folder_make(struct operators_folder *folder, struct diagnostic *diagnostic);
void operators_folder_remove(struct operators_folder *folder);

enum status operator_measure(const struct operators_request *request,
                             const struct operators_folder *folder, const struct operator_case *of,
                             struct operator_figures *figures, struct diagnostic *diagnostic);

/* All of them: a row each to `csv` (NULL: not wanted), the largest errors by format to `report`.
 * STATUS_REJECTED when a modelled core gave other sums than the host. */
enum status operators_measure(const struct operators_request *request, FILE *csv, FILE *report,
                              struct diagnostic *diagnostic);

C_LINKAGE_END

/* trainings.h - `spinnsim measure training A B`: two trainings of one network on the host, update
 * by update: other optimizers, rates, number formats, batches. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* After an update; all over all parameters, as real numbers. */
struct trainings_row {
    uint64_t update;           /* 0: before the first */
    double distance;           /* norm of the difference: root of the sum of squares */
    double largest;            /* difference of a parameter */
    double length_a, length_b; /* norms */
};

struct trainings_report {
    uint64_t updates, updates_a, updates_b; /* compared: the fewer of both */
    uint64_t first;                         /* update after which they differ first; UINT64_MAX:
                                               never */
    struct trainings_row last;
    double most; /* the largest distance */
};

/* Trains two prepared jobs of mode: train, whatever their backend, on the host.  A row for each
 * update to `csv` (NULL: not wanted).  STATUS_CONFIGURATION when their networks have other layers.
 */
enum status trainings_compare(const struct job *a, const struct job *b, FILE *csv,
                              struct trainings_report *report, struct diagnostic *diagnostic);

void trainings_tell(const struct trainings_report *report, FILE *stream);

C_LINKAGE_END

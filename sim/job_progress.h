/* job_progress.h - the progress of a run, as reported to a callback. */
#pragma once
#include <stdint.h>

/* Real numbers that are unknown or do not apply to the run are NAN. */
struct job_progress {
    const char *stage, *unit;
    uint64_t done, total;     /* in `unit`; total 0: unknown */
    double images_per_second; /* trained, in machine time */
    double loss;              /* of the last update */
    double accuracy;          /* of the last test */
    double joules;            /* since the first command */
};

/* job_progress.h - what a listener hears of a run. */
#pragma once
#include <stdint.h>

/* How far a run has come.  Numbers that nobody knows, or that the run does not have, are NAN. */
struct job_progress {
    const char *stage, *unit;
    uint64_t done, total;     /* total 0: nobody knows */
    double images_per_second; /* trained, in machine time */
    double loss;              /* of the last update */
    double accuracy;          /* of the last test */
    double joules;            /* since the first command */
};

/* job_backend.h - part of job_prepare(): the operations of the job's backend, and what is switched
 * off of them (run.without). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

/* Sets job->operations, library and without.  STATUS_CONFIGURATION with key, place and hint when
 * the library cannot be used, when a backend has nothing that could be switched off, or when
 * nothing is left for what is. */
enum status job_open_backend(struct job *job, struct diagnostic *diagnostic);

/* What the host holds parameters in while it works on such a job (job_values.c). */
enum job_values {
    JOB_BLOCK,  /* a parameter block (weights.h), of integers or the machine's floats */
    JOB_FLOATS, /* float, as the next laid out by weights_place() */
    JOB_DOUBLES
};
enum job_values job_values_of(const struct job *job);

C_LINKAGE_END

/* program.h - the ways in which `spinnsim baseline` trains a network on the host: number formats of
 * the host's trainer. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/trainer.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

struct baseline_program {
    const char *name;          /* `--program` */
    const char *number_format; /* network.number_format that it needs */
    const struct host_format *format;
    bool alone; /* it is not divided among processes, and has no stages */
};

extern const struct baseline_program BASELINE_INT16, BASELINE_S1615, BASELINE_FLOAT32,
    BASELINE_FLOAT64;

/* STATUS_CONFIGURATION when it cannot train this job. */
enum status baseline_check(const struct baseline_program *program, const struct job *job,
                           struct diagnostic *diagnostic);

/* The parameters with which a training begins, those of the machine, in the program's format;
 * malloc'ed. */
enum status baseline_initial(const struct baseline_program *program, const struct job *job,
                             void **initial, struct diagnostic *diagnostic);

/* The instruction set of its arithmetic; "": the build's. */
const char *baseline_instructions(const struct baseline_program *program);

C_LINKAGE_END

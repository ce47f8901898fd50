/* stage_run.h - one job of a run of stages, with its results. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* Must not move once it is prepared. */
struct stage_run {
    struct sim_config config; /* the whole run's, changed for this job */
    struct config_app app;
    struct job job;
    struct outcome outcome;
};

/* Prepares a job with run->config.  STATUS_CONFIGURATION when it cannot run. */
enum status stage_run_prepare(struct stage_run *run, const struct job *whole,
                              const struct job_given *given, struct diagnostic *diagnostic);

/* Prepares a job with the network, seed, epochs and rate of stage i. */
enum status stage_run_of(struct stage_run *run, const struct job *whole, size_t i,
                         enum config_mode mode, const struct job_given *given,
                         struct diagnostic *diagnostic);

/* The stage with whose weights stage i begins, or `i`: none. */
size_t stage_run_before(const struct sim_config *config, size_t i);

/* Runs it.  STATUS_OK although a program may have failed: see run->outcome. */
enum status stage_run_execute(struct stage_run *run, struct diagnostic *diagnostic);
void stage_run_deinit(struct stage_run *run);

/* The same of one in malloc'ed memory, at this address; NULL: there is none. */
void stage_run_destroy(struct stage_run **run);

/* Adds what a job on the machine took in one of its stages. */
enum status stage_run_charge(const struct stage_run *run, enum stage stage,
                             struct outcome_cost *cost, struct diagnostic *diagnostic);

C_LINKAGE_END

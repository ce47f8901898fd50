/* stage_run.c - see stage_run.h. */
#include "sim/stages/stage_run.h"

#include "sim/results/recorder.h"
#include "sim/run_control/backend.h"
#include "sim/steps.h"

#include <math.h>

enum status stage_run_prepare(struct stage_run *run, const struct job *whole,
                              const struct job_given *given, struct diagnostic *diagnostic)
{
    struct job_options options = whole->options;
    options.given = *given;
    options.results = NULL;
    options.resume = NULL;
    options.for_golden = false;        /* the digest of all stages is the whole's */
    options.run_until = job_run_plain; /* a simulation kernel has one machine */
    TRY(job_prepare(&run->job, &run->config, &options, diagnostic));
    return backend_of(&run->config)->check(&run->job, diagnostic);
}

enum status stage_run_of(struct stage_run *run, const struct job *whole, size_t i,
                         enum config_mode mode, const struct job_given *given,
                         struct diagnostic *diagnostic)
{
    const struct config_stage *stage = &whole->config->stage[i];
    *run = (struct stage_run){.config = *whole->config};
    for (size_t metric = 0; metric < CONFIG_METRICS; metric++) { /* bounds are for the whole */
        run->config.accept[metric] = (struct config_accept){-INFINITY, INFINITY};
    }
    run->config.mode = mode;
    run->config.network_name = stage->network;
    run->config.seed = stage->seed;
    run->config.train_epochs = stage->epochs;
    run->config.train_learning_rate = stage->learning_rate;
    return stage_run_prepare(run, whole, given, diagnostic);
}

size_t stage_run_before(const struct sim_config *config, size_t i)
{
    size_t from = 0;
    while (from < i && strcmp(config->stage[from].name, config->stage[i].from) != 0) {
        from++;
    }
    return from;
}

enum status stage_run_execute(struct stage_run *run, struct diagnostic *diagnostic)
{
    return backend_of(&run->config)->run(&run->job, &run->outcome, diagnostic);
}

void stage_run_deinit(struct stage_run *run)
{
    outcome_deinit(&run->outcome);
    job_deinit(&run->job);
    *run = (struct stage_run){.job = {0}};
}

void stage_run_destroy(struct stage_run **run)
{
    if (*run != NULL) {
        stage_run_deinit(*run);
    }
    free(*run);
}

enum status stage_run_charge(const struct stage_run *run, enum stage stage,
                             struct outcome_cost *cost, struct diagnostic *diagnostic)
{
    RELEASED(record_deinit) struct record record = {.job = NULL};
    TRY(record_make(&record, &run->job, &run->outcome, diagnostic));
    cost->seconds += record_stage_seconds(&record, stage);
    energy_add(&cost->joules, record.energy.stage[stage]);
    return STATUS_OK;
}

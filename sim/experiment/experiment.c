/* experiment.c - see experiment.h. */
#include "sim/experiment/experiment.h"

#include "sim/file.h"
#include "sim/results/result_folder.h"
#include "sim/results/results.h"
#include "sim/sampling/sampling.h"
#include "sim/stages/stages.h"
#include "sim/steps.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- loading ---- */

/* By its content or, so that a damaged one is not taken for a configuration, by its name. */
static bool is_program(const char *path)
{
    return file_begins_with(path, ELFMAG, SELFMAG) || file_ends_in(path, ".elf") ||
           file_ends_in(path, ".aplx");
}

static enum status load_config(struct experiment *experiment,
                               const struct experiment_request *request,
                               struct diagnostic *diagnostic)
{
    const struct config_request config = {.path = request->file,
                                          .program = is_program(request->file),
                                          .configs_folder = request->configs_folder,
                                          .sets = request->sets,
                                          .set_count = request->set_count,
                                          .base = request->base};
    return config_load(&config, &experiment->config, diagnostic);
}

enum status experiment_prepare(struct experiment *experiment,
                               const struct experiment_request *request,
                               struct diagnostic *diagnostic)
{
    struct job_options options = request->job;
    options.run_until = options.run_until == NULL ? job_run_plain : options.run_until;
    memset(experiment, 0, sizeof *experiment);
    TRY(load_config(experiment, request, diagnostic));
    if (experiment->config.axis_count > 0) {
        const enum status status = config_refuse(
            &experiment->config, "sweep",
            "spinnsim sweep FILE runs all; --set sweep=null --set plot=null the file's own values",
            diagnostic, "this file describes several runs");
        config_deinit(&experiment->config);
        return status;
    }
    enum status status = job_prepare(&experiment->job, &experiment->config, &options, diagnostic);
    if (status == STATUS_OK) {
        status = backend_of(&experiment->config)->check(&experiment->job, diagnostic);
    }
    if (status == STATUS_OK && job_is_sampled(&experiment->config)) {
        status = sampling_check(&experiment->job, diagnostic);
    }
    if (status == STATUS_OK && experiment->config.stage_count > 0) {
        status = stages_check(&experiment->job, diagnostic);
    }
    if (status != STATUS_OK) {
        experiment_deinit(experiment);
    }
    return status;
}

/* ---- running ---- */

/* The way in which an experiment runs. */
static enum status (*run_of(const struct sim_config *config))(const struct job *job,
                                                              struct outcome *outcome,
                                                              struct diagnostic *diagnostic)
{
    return config->stage_count > 0  ? stages_run
           : job_is_sampled(config) ? sampling_run
                                    : backend_of(config)->run;
}

bool experiment_has_events(const struct experiment *experiment)
{
    return experiment->config.stage_count == 0 && !job_is_sampled(&experiment->config);
}

enum status experiment_execute(struct experiment *experiment, struct diagnostic *diagnostic)
{
    static const double NS = 1e-9;
    struct timespec begin;
    struct timespec end;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    enum status status =
        run_of(&experiment->config)(&experiment->job, &experiment->outcome, diagnostic);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    experiment->outcome.wall_seconds =
        (double)(end.tv_sec - begin.tv_sec) + NS * (double)(end.tv_nsec - begin.tv_nsec);
    experiment->outcome.threads = experiment->job.options.threads;
    experiment->outcome.tier = experiment->job.options.tier;
    if (status == STATUS_OK) {
        status =
            record_make(&experiment->record, &experiment->job, &experiment->outcome, diagnostic);
    }
    return status;
}

enum status experiment_verdict(const struct experiment *experiment, struct diagnostic *diagnostic)
{
    const struct outcome *outcome = &experiment->outcome;
    if (outcome->end == OUTCOME_GUEST_FAILED) {
        return diagnose(diagnostic, STATUS_GUEST, "%s\vconsole.txt has what the programs printed%s",
                        outcome->failure,
                        outcome->wait_count > 0 ? ", waits.csv who waits for what" : "");
    }
    if (outcome->end == OUTCOME_LIMIT) {
        return diagnose(diagnostic, STATUS_LIMIT,
                        "%s\vraise run.simulated_time_limit, if the programs need it",
                        outcome->failure);
    }
    return verdict_explain(&experiment->record.verdict, &experiment->config, diagnostic);
}

enum status experiment_check_folder(const struct experiment *experiment, const char *folder,
                                    bool replace, struct diagnostic *diagnostic)
{
    RELEASED(results_close) struct results older = {.arena = NULL};
    struct diagnostic none; /* incomplete results may be replaced */
    TRY(result_folder_check(folder, diagnostic));
    if (replace || results_open_unchecked(&older, folder, &none) != STATUS_OK) {
        return STATUS_OK;
    }
    const char *own = experiment->job.identity.sim_hash;
    const char *hash = results_text(&older, "identity.sim_hash");
    return hash[0] == '\0' || strcmp(hash, own) == 0
               ? STATUS_OK
               : file_refuse(folder, "--force replaces them; or name another folder in --out",
                             diagnostic,
                             "there are results of another configuration or other programs "
                             "(sim_hash %.8s, this run's is %.8s)",
                             hash, own);
}

enum status experiment_record(struct experiment *experiment, const char *folder, bool replace,
                              struct diagnostic *diagnostic)
{
    experiment->job.options.results = folder;
    TRY(experiment_check_folder(experiment, folder, replace, diagnostic));
    TRY(experiment_execute(experiment, diagnostic));
    return record_write(&experiment->record, folder, diagnostic);
}

char *experiment_folder(const struct experiment *experiment, const char *in)
{
    enum { HASH_CHARS = 8 };
    return file_print("%s/%s-%.*s", in, experiment->config.name, HASH_CHARS,
                      experiment->job.identity.sim_hash);
}

void experiment_deinit(struct experiment *experiment)
{
    record_deinit(&experiment->record);
    outcome_deinit(&experiment->outcome);
    job_deinit(&experiment->job);
    config_deinit(&experiment->config);
}

void experiment_destroy(struct experiment **experiment)
{
    if (*experiment != NULL) {
        experiment_deinit(*experiment);
    }
    free(*experiment);
}

/* job_backend.c - see job_backend.h. */
#include "sim/run_control/job_backend.h"

#include "sim/steps.h"

static bool is_float64(const struct job *job)
{
    return job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
}

static bool is_int16(const struct job *job)
{
    return job->config->network_number_format == CONFIG_NUMBER_FORMAT_INT16;
}

static enum status refuse_format(const struct job *job, const char *who,
                                 struct diagnostic *diagnostic)
{
    return config_refuse(job->config, "network.number_format",
                         "network.number_format: int16; weights are written in it, too", diagnostic,
                         "%s has numbers of its own, not %s", who,
                         config_number_format_text(job->config->network_number_format));
}

static enum status open_library(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    char *path = NULL;
    if (config->run_library[0] == '\0') {
        return config_refuse(config, "run.library",
                             "the path of a shared library: docs/backends.md says how to write one",
                             diagnostic, "backend: library needs one");
    }
    if (!is_int16(job)) {
        return refuse_format(job, "a library", diagnostic);
    }
    TRY(config_find_file(config, "run.library", config->run_library, &path, diagnostic));
    const enum status status = backend_library_open(&job->library, path, diagnostic);
    free(path);
    job->operations = job->library.operations;
    return status;
}

/* The host's own operations, where something is switched off of them; else its own loops are
 * faster. */
static enum status take_host(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const bool floats = config->backend == CONFIG_BACKEND_HOST_FLOAT32;
    if (floats && !is_int16(job)) {
        return refuse_format(job, "host_float32", diagnostic);
    }
    if (config->run_without[0] == '\0') {
        return STATUS_OK;
    }
    if (!is_int16(job) && !is_float64(job)) {
        return config_refuse(config, "run.without", "network.number_format: int16 or float64",
                             diagnostic, "nothing can be switched off of the host in %s",
                             config_number_format_text(config->network_number_format));
    }
    const enum backend_number row = floats            ? BACKEND_ROW_HOST_FLOAT32
                                    : is_float64(job) ? BACKEND_ROW_HOST_FLOAT64
                                                      : BACKEND_ROW_HOST;
    job->operations = BACKEND_ROW[row].operations;
    return STATUS_OK;
}

/* What a training whose updates the host makes has not. */
static enum status check_reference(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    static const char HINT[] = "leave the optimizer on: no run.without";
    const struct {
        bool holds;
        const char *key, *why;
    } rows[] = {
        {config->mode != CONFIG_MODE_TRAIN, "mode", "nothing is updated in mode: infer"},
        {config->network_number_format != CONFIG_NUMBER_FORMAT_INT16, "network.number_format",
         "sums of gradients are fetched in int16 only"},
        {config->stage_count > 0, "stages", "stages train on the cores only"},
        {config->run_sample_updates > 0, "run.sample.updates",
         "a sample is of updates on the cores"},
        {job->options.resume != NULL || config->train_continues, "train.continues",
         "such a training begins at its beginning"},
        {config->record_checkpoint_every_epochs > 0, "record.checkpoint_every_epochs",
         "such a training leaves no checkpoints"},
        {config->record_last_checkpoint, "record.last_checkpoint",
         "such a training leaves no checkpoints"},
        {config->record_parameter_norms > 0, "record.parameter_norms",
         "such a training is not followed"},
        {config->record_interval_ps > 0, "record.interval", "each update is a run of its own"},
        {config->record_timeline_what != 0, "record.timeline.what",
         "each update is a run of its own"},
        {config->record_trace_core[0] != '\0', "record.trace.core",
         "each update is a run of its own"},
        {config->check_memory, "check.memory", "each update is a run of its own"},
        {config->train_patience > 0, "train.patience", "such a training has no early end"},
        {config->train_target_accuracy > 0, "train.target_accuracy",
         "such a training has no early end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].holds) {
            return config_refuse(config, rows[i].key, HINT, diagnostic, "%s", rows[i].why);
        }
    }
    return STATUS_OK;
}

/* Of spinnaker all is in the programs of its cores; the host can make the updates in place of them.
 */
static enum status open_spinnaker(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    TRY(backend_read_without(config->run_without, &job->without, diagnostic));
    if (config->run_without[0] == '\0') {
        return STATUS_OK;
    }
    if (job->without == BACKEND_BIT(BACKEND_CAN_OPTIMIZER)) {
        return check_reference(job, diagnostic);
    }
    return config_refuse(config, "run.without",
                         "run.without: optimizer; or backend: host, host_float32 or library",
                         diagnostic,
                         "only the optimizer can be switched off of spinnaker: the programs of its "
                         "cores have one way to compute all else");
}

enum status job_open_backend(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->backend == CONFIG_BACKEND_SPINNAKER) {
        const enum status status = open_spinnaker(job, diagnostic);
        if (status != STATUS_OK && diagnostic->line == 0) {
            config_locate(config, NULL, diagnostic);
        }
        return status;
    }
    if (config->stage_count > 0 && config->backend != CONFIG_BACKEND_HOST) {
        return config_refuse(config, "backend", "backend: host or spinnaker", diagnostic,
                             "stages choose images by integers of the machine");
    }
    TRY(config->backend == CONFIG_BACKEND_LIBRARY ? open_library(job, diagnostic)
                                                  : take_host(job, diagnostic));
    enum status status = backend_read_without(config->run_without, &job->without, diagnostic);
    if (status == STATUS_OK && job->operations != NULL) {
        status = backend_check(job->operations->name, backend_has(job->operations), job->without,
                               diagnostic);
    }
    if (status != STATUS_OK) {
        config_locate(config, NULL, diagnostic);
    }
    return status;
}

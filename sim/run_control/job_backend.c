/* job_backend.c - see job_backend.h. */
#include "sim/run_control/job_backend.h"

#include "sim/run_control/reference_optimizer.h"
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
        return reference_optimizer_check(job, diagnostic);
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

enum job_values job_values_of(const struct job *job)
{
    if (job->operations != NULL) {
        return job->operations->numbers == SPINNSIM_INT16     ? JOB_BLOCK
               : job->operations->numbers == SPINNSIM_FLOAT32 ? JOB_FLOATS
                                                              : JOB_DOUBLES;
    }
    return job->config->backend == CONFIG_BACKEND_HOST_FLOAT32 ? JOB_FLOATS
           : is_float64(job)                                   ? JOB_DOUBLES
                                                               : JOB_BLOCK;
}

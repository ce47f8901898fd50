/* job_training.c - see job_training.h. */
#include "sim/host_backend/job_training.h"

#include "sim/host_backend/format_float32.h"
#include "sim/host_backend/reference.h"
#include "sim/networks/optimizer.h"
#include "sim/run_control/job_backend.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

const struct host_format *host_format_of(const struct job *job)
{
    static const struct host_format *const OF[] = {
#define FORMAT(name, NAME, ...) [NETWORK_##NAME] = &HOST_FORMAT_##name,
#include "workloads/nn/formats.def"
    };
    static const struct host_format *const BY_OPERATIONS[] = {
        [JOB_BLOCK] = &HOST_FORMAT_OPERATIONS_INT16,
        [JOB_FLOATS] = &HOST_FORMAT_OPERATIONS_FLOAT32,
        [JOB_DOUBLES] = &HOST_FORMAT_OPERATIONS_FLOAT64};
    const enum job_values values = job_values_of(job);
    return job->operations != NULL ? BY_OPERATIONS[values]
           : values == JOB_FLOATS  ? &FORMAT_FLOAT32
           : values == JOB_DOUBLES ? &HOST_FORMAT_FLOAT64
                                   : OF[job->network.numbers];
}

void host_doubles(const struct job *job, const struct host_format *format, const void *parameters,
                  double *doubles)
{
    if (format->has_block) {
        weights_reals(&job->network, job->table, parameters, doubles);
    } else if (format->type == EXCHANGE_FLOATS) {
        for (size_t i = 0; i < network_parameters(&job->network); i++) {
            doubles[i] = ((const float *)parameters)[i];
        }
    } else {
        memcpy(doubles, parameters, network_parameters(&job->network) * sizeof *doubles);
    }
}

enum status host_parameters(const struct job *job, const struct host_format *format,
                            const struct weights *weights, void **parameters,
                            struct diagnostic *diagnostic)
{
    const struct host_training training = {
        .format = format, .network = &job->network, .table = job->table};
    const size_t count = network_parameters(&job->network);
    const size_t bytes = trainer_parameter_bytes(&training);
    FREED double *doubles = calloc(count + 1, sizeof *doubles);
    *parameters = malloc(bytes);
    if (*parameters == NULL || doubles == NULL) {
        return no_memory(diagnostic);
    }
    if (format->has_block) {
        memcpy(*parameters, weights->block, bytes);
        return STATUS_OK;
    }
    if (weights->float64 != NULL) {
        memcpy(doubles, weights->float64, count * sizeof *doubles);
    } else {
        weights_reals(&job->network, job->table, weights->block, doubles);
    }
    for (size_t i = 0; i < count; i++) {
        if (format->type == EXCHANGE_FLOATS) {
            ((float *)*parameters)[i] = (float)doubles[i];
        } else {
            ((double *)*parameters)[i] = doubles[i];
        }
    }
    return STATUS_OK;
}

/* Parameters drawn as integers, in the format. */
static enum status draw(const struct job *job, const struct host_format *format, void **parameters,
                        struct diagnostic *diagnostic)
{
    RELEASED(weights_deinit) struct weights drawn = {.block = NULL};
    TRY(weights_allocate(&drawn, &job->network, job->table, false, diagnostic));
    learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                  drawn.block);
    return host_parameters(job, format, &drawn, parameters, diagnostic);
}

enum status host_training_initial(const struct job *job, const struct host_format *format,
                                  void **initial, struct diagnostic *diagnostic)
{
    const struct weights resumed = {.block = job->checkpoint.parameters};
    const struct weights *given = job->resumes ? &resumed : &job->weights;
    if (given->block != NULL) {
        return host_parameters(job, format, given, initial, diagnostic);
    }
    if (job->config->network_number_format != CONFIG_NUMBER_FORMAT_FLOAT64) {
        return draw(job, format, initial, diagnostic);
    }
    *initial = calloc(network_parameters(&job->network) + 1, sizeof(double));
    if (*initial == NULL) {
        return no_memory(diagnostic);
    }
    reference_draw(&job->network, job->config->train_initializer, job->config->seed, *initial);
    return STATUS_OK;
}

struct host_training host_training_of(const struct job *job, const struct host_format *format,
                                      const struct learning *learning, const void *initial)
{
    const struct sim_config *config = job->config;
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    const bool mean = optimizer->descends && config->train_reduction == CONFIG_REDUCTION_MEAN;
    const bool velocity = optimizer->descends && optimizer->state_words > 0;
    return (struct host_training){.format = format,
                                  .network = &job->network,
                                  .table = job->table,
                                  .learning = learning,
                                  .reals = {.optimizer = config->train_optimizer,
                                            .rate = config->train_learning_rate /
                                                    (mean ? (double)config->train_global_batch : 1),
                                            .momentum = velocity ? config->train_momentum : 0},
                                  .seed = config->seed,
                                  .train = &job->train,
                                  .test = &job->test,
                                  .validation = &job->validation,
                                  .initial = initial,
                                  .test_every_epochs = (uint32_t)config->test_every_epochs,
                                  .threads = job->options.threads,
                                  .operations = job->operations,
                                  .without = job->without};
}

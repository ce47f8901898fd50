/* job_training.c - see job_training.h. */
#include "sim/host_backend/job_training.h"

#include "sim/host_backend/reference.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

const struct host_format *host_format_of(const struct job *job)
{
    static const struct host_format *const OF[] = {
#define FORMAT(name, NAME, ...) [NETWORK_##NAME] = &HOST_FORMAT_##name,
#include "workloads/nn/formats.def"
    };
    return job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64
               ? &HOST_FORMAT_FLOAT64
               : OF[job->network.numbers];
}

void host_doubles(const struct job *job, const struct host_format *format, const void *parameters,
                  double *doubles)
{
    if (format->has_block) {
        weights_reals(&job->network, job->table, parameters, doubles);
    } else {
        memcpy(doubles, parameters, network_parameters(&job->network) * sizeof *doubles);
    }
}

enum status host_training_initial(const struct job *job, const struct host_format *format,
                                  void **initial, struct diagnostic *diagnostic)
{
    const struct network *network = &job->network;
    const enum config_initializer initializer = job->config->train_initializer;
    const struct host_training training = {
        .format = format, .network = network, .table = job->table};
    const size_t bytes = trainer_parameter_bytes(&training);
    const void *given = job->resumes        ? job->checkpoint.parameters
                        : format->has_block ? job->weights.block
                                            : (const void *)job->weights.float64;
    *initial = malloc(bytes);
    if (*initial == NULL) {
        return no_memory(diagnostic);
    }
    if (given != NULL) {
        memcpy(*initial, given, bytes);
    } else if (format->has_block) {
        learning_draw(network, job->table, initializer, job->config->seed, *initial);
    } else {
        reference_draw(network, initializer, job->config->seed, *initial);
    }
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
                                  .threads = job->options.threads};
}

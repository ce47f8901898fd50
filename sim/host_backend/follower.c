/* follower.c - see sim/run_control/follower.h. */
#include "sim/run_control/follower.h"

#include "sim/host_backend/job_training.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

struct follower {
    const struct job *job;
    uint64_t updates; /* done */
    struct learning learning;
    void *initial;
    double *initial_doubles;
    const struct host_format *format; /* of the run */
    const struct host_format *host;   /* of the training beside it */
    struct trainer *trainer;
    double *run, *beside; /* all parameters, laid out by weights_place() */
};

/* ---- opening ---- */

static enum status open_trainer(struct follower *follower, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    const bool doubles = follower->host == &HOST_FORMAT_FLOAT64;
    if (doubles && network_has_dropout(&job->network)) {
        return config_refuse(job->config, "record.parameter_norms",
                             "float64 learns without dropout: set it to 0", diagnostic,
                             "the host has no doubles to compare with");
    }
    host_doubles(job, follower->format, follower->initial, follower->initial_doubles);
    const struct host_training training =
        host_training_of(job, follower->host, &follower->learning,
                         doubles ? follower->initial_doubles : follower->initial);
    return trainer_open(&training, &follower->trainer, diagnostic);
}

static enum status open_host(struct follower *follower, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    const size_t count = network_parameters(&job->network);
    follower->run = calloc(count, sizeof *follower->run);
    follower->beside = calloc(count, sizeof *follower->beside);
    follower->initial_doubles = calloc(count, sizeof *follower->initial_doubles);
    if (follower->run == NULL || follower->beside == NULL || follower->initial_doubles == NULL) {
        return no_memory(diagnostic);
    }
    TRY(learning_of(job->config, &job->network, job->train.count, &follower->learning, diagnostic));
    TRY(host_training_initial(job, follower->format, &follower->initial, diagnostic));
    return open_trainer(follower, diagnostic);
}

enum status follower_open(const struct job *job, struct follower **follower,
                          struct diagnostic *diagnostic)
{
    *follower = NULL;
    struct follower *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->job = job;
    made->format = host_format_of(job);
    made->host =
        job->config->backend == CONFIG_BACKEND_SPINNAKER ? made->format : &HOST_FORMAT_FLOAT64;
    const enum status status = open_host(made, diagnostic);
    if (status != STATUS_OK) {
        follower_close(made);
        return status;
    }
    *follower = made;
    return STATUS_OK;
}

void follower_close(struct follower *follower)
{
    if (follower != NULL) {
        trainer_close(follower->trainer);
        free(follower->initial);
        free(follower->initial_doubles);
        free(follower->run);
        free(follower->beside);
        free(follower);
    }
}

/* ---- rows ---- */

struct outcome_parameters follower_distance(const double *run, const double *host, size_t count)
{
    double length = 0;
    double distance = 0;
    for (size_t i = 0; i < count; i++) {
        length += run[i] * run[i];
        distance += (run[i] - host[i]) * (run[i] - host[i]);
    }
    return (struct outcome_parameters){.length = sqrt(length), .distance = sqrt(distance)};
}

static enum status add_row(struct outcome *outcome, const struct outcome_parameters *row,
                           struct diagnostic *diagnostic)
{
    struct outcome_parameters *larger =
        realloc(outcome->parameters, (outcome->parameters_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return no_memory(diagnostic);
    }
    outcome->parameters = larger;
    larger[outcome->parameters_count++] = *row;
    return STATUS_OK;
}

static enum status add_rows(struct follower *follower, struct outcome *outcome,
                            struct diagnostic *diagnostic)
{
    const struct network *network = &follower->job->network;
    size_t at = 0; /* a layer's biases follow its weights */
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const size_t count = network_layer_weights(layer) + network_layer_biases(layer);
        struct outcome_parameters row =
            follower_distance(follower->run + at, follower->beside + at, count);
        row.update = follower->updates;
        (void)snprintf(row.layer, sizeof row.layer, "%s", layer->name);
        if (count > 0) {
            TRY(add_row(outcome, &row, diagnostic));
        }
        at += count;
    }
    return STATUS_OK;
}

enum status follower_update(struct follower *follower, uint64_t update, const void *parameters,
                            struct outcome *outcome, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    for (; follower->updates < update; follower->updates++) {
        TRY(trainer_step(follower->trainer, diagnostic));
    }
    if (parameters == NULL) {
        return STATUS_OK;
    }
    host_doubles(job, follower->format, parameters, follower->run);
    host_doubles(job, follower->host, trainer_parameters(follower->trainer), follower->beside);
    return add_rows(follower, outcome, diagnostic);
}

/* follower.c - see sim/run_control/follower.h. */
#include "sim/run_control/follower.h"

#include "sim/host_backend/host_training.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct follower {
    const struct job *job;
    uint64_t updates; /* done */
    struct learning learning;
    void *initial;
    double *initial_doubles;
    const struct integer_backend *backend;
    struct integer_trainer *integers; /* one of these two is not NULL */
    struct reference_trainer *doubles;
    double *run, *host; /* all parameters, laid out by weights_place() */
};

/* ---- parameters as doubles ---- */

struct conversion {
    const struct job *job;
    const void *block;
    double *parameters;
};

static enum status convert_part(void *context, const struct weights_part *part)
{
    const struct conversion *conversion = context;
    for (size_t j = 0; j < part->count; j++) {
        conversion->parameters[part->float64_at + j] =
            weights_real(&conversion->job->network, conversion->block, part->block_at + j);
    }
    return STATUS_OK;
}

static void to_doubles(const struct job *job, const void *block, double *parameters)
{
    struct conversion conversion = {job, block, parameters};
    (void)weights_each_part(&job->network, job->table, convert_part, &conversion);
}

/* ---- opening ---- */

static enum status open_integers(struct follower *follower, struct diagnostic *diagnostic)
{
    const struct integer_training training =
        host_training_integers(follower->job, &follower->learning, follower->initial);
    return follower->backend->open(&training, &follower->integers, diagnostic);
}

static enum status open_doubles(struct follower *follower, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    if (network_has_dropout(&job->network)) {
        return config_refuse(job->config, "record.parameter_norms",
                             "float64 learns without dropout: set it to 0", diagnostic,
                             "the host has no doubles to compare with");
    }
    struct reference_training training = host_training_doubles(job);
    to_doubles(job, follower->initial, follower->initial_doubles);
    training.initial = follower->initial_doubles;
    training.order = &follower->learning.order;
    return reference_trainer_open(&training, &follower->doubles, diagnostic);
}

static enum status open_host(struct follower *follower, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    const size_t count = network_parameters(&job->network);
    follower->run = calloc(count, sizeof *follower->run);
    follower->host = calloc(count, sizeof *follower->host);
    follower->initial_doubles = calloc(count, sizeof *follower->initial_doubles);
    if (follower->run == NULL || follower->host == NULL || follower->initial_doubles == NULL) {
        return no_memory(diagnostic);
    }
    TRY(learning_of(job->config, &job->network, job->train.count, &follower->learning, diagnostic));
    TRY(host_training_initial(job, &follower->initial, diagnostic));
    return job->config->backend == CONFIG_BACKEND_HOST ? open_doubles(follower, diagnostic)
                                                       : open_integers(follower, diagnostic);
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
    made->backend = &INTEGER_BACKEND[job->network.numbers];
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
        follower->backend->close(follower->integers);
        reference_trainer_close(follower->doubles);
        free(follower->initial);
        free(follower->initial_doubles);
        free(follower->run);
        free(follower->host);
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
            follower_distance(follower->run + at, follower->host + at, count);
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
        TRY(follower->integers != NULL ? follower->backend->step(follower->integers, diagnostic)
                                       : reference_trainer_step(follower->doubles, diagnostic));
    }
    if (parameters == NULL) {
        return STATUS_OK;
    }
    to_doubles(job, parameters, follower->run);
    if (follower->integers != NULL) {
        to_doubles(job, follower->backend->parameters(follower->integers), follower->host);
    } else {
        memcpy(follower->host, reference_trainer_parameters(follower->doubles),
               network_parameters(&job->network) * sizeof *follower->host);
    }
    return add_rows(follower, outcome, diagnostic);
}

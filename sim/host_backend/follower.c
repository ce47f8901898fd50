/* follower.c - see sim/run_control/follower.h. */
#include "sim/run_control/follower.h"

#include "sim/host_backend/host_training.h"

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
    struct integer_trainer *integers; /* one of the two */
    struct reference_trainer *doubles;
    double *run, *host; /* all parameters, as weights_place() says */
};

/* ---- parameters as doubles ---- */

struct part {
    size_t integers, doubles, count; /* where they lie, in 16 bits and in doubles */
};

static struct part part_of(const struct job *job, size_t layer, bool biases)
{
    const struct network_layer *own = &job->network.layer[layer];
    const struct nn_layer *row = &job->table->layer[layer];
    const struct weights_place place = weights_place(&job->network, layer);
    return biases ? (struct part){row->biases / sizeof(int16_t), place.biases,
                                  network_layer_biases(own)}
                  : (struct part){row->weights / sizeof(int16_t), place.weights,
                                  (size_t)network_layer_weights(own)};
}

static void to_doubles(const struct job *job, const void *block, double *parameters)
{
    for (size_t i = 0; i < 2 * job->network.layer_count; i++) {
        const struct part part = part_of(job, i / 2, i % 2 == 1);
        for (size_t j = 0; j < part.count; j++) {
            parameters[part.doubles + j] = weights_real(&job->network, block, part.integers + j);
        }
    }
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
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    enum status status =
        learning_of(job->config, &job->network, job->train.count, &follower->learning, diagnostic);
    if (status == STATUS_OK) {
        status = host_training_initial(job, &follower->initial, diagnostic);
    }
    if (status != STATUS_OK) {
        return status;
    }
    return job->config->backend == CONFIG_BACKEND_HOST ? open_doubles(follower, diagnostic)
                                                       : open_integers(follower, diagnostic);
}

enum status follower_open(const struct job *job, struct follower **follower,
                          struct diagnostic *diagnostic)
{
    *follower = NULL;
    struct follower *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
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
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    outcome->parameters = larger;
    larger[outcome->parameters_count++] = *row;
    return STATUS_OK;
}

static enum status add_rows(struct follower *follower, struct outcome *outcome,
                            struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->network.layer_count && status == STATUS_OK; i++) {
        const struct part weights = part_of(job, i, false);
        const struct part biases = part_of(job, i, true);
        const size_t count = weights.count + biases.count; /* biases follow their weights */
        if (count > 0) {
            struct outcome_parameters row = follower_distance(
                follower->run + weights.doubles, follower->host + weights.doubles, count);
            row.update = follower->updates;
            (void)snprintf(row.layer, sizeof row.layer, "%s", job->network.layer[i].name);
            status = add_row(outcome, &row, diagnostic);
        }
    }
    return status;
}

enum status follower_update(struct follower *follower, uint64_t update, const void *parameters,
                            struct outcome *outcome, struct diagnostic *diagnostic)
{
    const struct job *job = follower->job;
    enum status status = STATUS_OK;
    for (; follower->updates < update && status == STATUS_OK; follower->updates++) {
        status = follower->integers != NULL
                     ? follower->backend->step(follower->integers, diagnostic)
                     : reference_trainer_step(follower->doubles, diagnostic);
    }
    if (status != STATUS_OK || parameters == NULL) {
        return status;
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

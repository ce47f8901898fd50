/* tensors.c - see spinnsim.h: parameters by name. */
#include "sim/host_backend/reference.h"
#include "sim/library/handle.h"
#include "sim/networks/learning.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which there are ---- */

struct search {
    const char *name; /* NULL: by number */
    size_t number, at;
    struct weights_part part;
    bool found;
};

static enum status look(void *context, const struct weights_part *part)
{
    struct search *search = context;
    if (search->name != NULL ? strcmp(search->name, part->name) == 0
                             : search->number == search->at) {
        search->part = *part;
        search->found = true;
    }
    search->at++;
    return STATUS_OK;
}

static struct search find(const struct spinnsim *handle, const char *name, size_t number)
{
    const struct job *job = &handle->experiment.job;
    struct search search = {.name = name, .number = number};
    if (job->has_network) {
        (void)weights_each_part(&job->network, job->table, look, &search);
    }
    return search;
}

size_t spinnsim_tensor_count(const struct spinnsim *experiment)
{
    return find(experiment, NULL, SIZE_MAX).at;
}

bool spinnsim_tensor_at(const struct spinnsim *experiment, size_t index,
                        struct spinnsim_tensor *tensor)
{
    const struct search search = find(experiment, NULL, index);
    if (search.found) {
        *tensor = (struct spinnsim_tensor){.rank = search.part.rank, .count = search.part.count};
        (void)snprintf(tensor->name, sizeof tensor->name, "%s", search.part.name);
        memcpy(tensor->shape, search.part.shape, sizeof tensor->shape);
    }
    return search.found;
}

/* The tensor of this name and size. */
static enum status find_sized(const struct spinnsim *handle, const char *name, size_t count,
                              struct weights_part *part, struct diagnostic *diagnostic)
{
    const struct search search = find(handle, name, 0);
    if (!search.found) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "there is no tensor of this name\vspinnsim_tensor_at() lists them");
        diagnostic_key(diagnostic, name);
        return STATUS_CONFIGURATION;
    }
    if (search.part.count != count) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION, "the tensor has %zu values, not %zu",
                       search.part.count, count);
        diagnostic_key(diagnostic, name);
        return STATUS_CONFIGURATION;
    }
    *part = search.part;
    return STATUS_OK;
}

/* ---- the first parameters ---- */

/* Makes the parameters with which a training begins the job's own, as if a file had them. */
static enum status settle(struct job *job, struct diagnostic *diagnostic)
{
    const bool doubles = job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
    if (job->weights.block != NULL) {
        return STATUS_OK;
    }
    TRY(weights_allocate(&job->weights, &job->network, job->table, doubles, diagnostic));
    if (doubles) {
        reference_draw(&job->network, job->config->train_initializer, job->config->seed,
                       job->weights.float64);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      job->weights.block);
    }
    return STATUS_OK;
}

static void put(struct job *job, const struct weights_part *part, const double *values)
{
    uint32_t saturated = 0;
    for (size_t i = 0; i < part->count; i++) {
        weights_set_value(&job->network, job->weights.block, part->block_at + i,
                          weights_round_one(&job->network, values[i], &saturated));
        if (job->weights.float64 != NULL) {
            job->weights.float64[part->float64_at + i] = values[i];
        }
    }
    job->weights.saturated += saturated;
}

static enum status check_values(const char *name, const double *values, size_t count,
                                struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION, "value %zu is not finite", i);
            diagnostic_key(diagnostic, name);
            return STATUS_CONFIGURATION;
        }
    }
    return STATUS_OK;
}

static enum status write_tensor(struct spinnsim *handle, const char *name, const double *values,
                                size_t count, struct diagnostic *diagnostic)
{
    struct job *job = &handle->experiment.job;
    struct weights_part part;
    if (handle->state != HANDLE_READY) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the run has begun, and its cores hold copies of the parameters\vwrite "
                        "tensors before the run, or open the experiment again");
    }
    TRY(find_sized(handle, name, count, &part, diagnostic));
    TRY(check_values(name, values, count, diagnostic));
    if (job->network.numbers == NETWORK_INT8) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "int8 is made from the weights of int16 as a whole\vwrite them in int16");
    }
    TRY(settle(job, diagnostic));
    put(job, &part, values);
    return job_identify(job, diagnostic);
}

enum spinnsim_status spinnsim_write(struct spinnsim *experiment, const char *name,
                                    const double *values, size_t count,
                                    struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    return handle_status(write_tensor(experiment, name, values, count, &diagnostic), &diagnostic,
                         error);
}

/* ---- reading ---- */

/* The parameters as they are now. */
static enum status read_all(const struct spinnsim *handle, double *parameters,
                            struct diagnostic *diagnostic)
{
    const struct job *job = &handle->experiment.job;
    const struct weights *trained = &handle->experiment.outcome.trained;
    const bool doubles = job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
    struct job_live live = {.job = job};
    if (handle->state == HANDLE_STANDS) {
        live = handle->live;
    } else if (handle->state == HANDLE_ENDED) {
        live.parameters = doubles ? (const void *)trained->float64 : trained->block;
    }
    if (live.plan == NULL && live.parameters == NULL && job->weights.block == NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        handle->state == HANDLE_ENDED
                            ? "the run has left no parameters"
                            : "the first parameters are drawn when the run begins\v"
                              "spinnsim_run_to() SPINNSIM_BEFORE_RUN, or write them");
    }
    return job_live_parameters(&live, parameters, diagnostic);
}

static enum status read_tensor(const struct spinnsim *handle, const char *name, double *values,
                               size_t count, struct diagnostic *diagnostic)
{
    struct weights_part part;
    TRY(find_sized(handle, name, count, &part, diagnostic));
    FREED double *all =
        calloc(network_parameters(&handle->experiment.job.network) + 1, sizeof *all);
    if (all == NULL) {
        return no_memory(diagnostic);
    }
    TRY(read_all(handle, all, diagnostic));
    memcpy(values, all + part.float64_at, count * sizeof *values);
    return STATUS_OK;
}

enum spinnsim_status spinnsim_read(const struct spinnsim *experiment, const char *name,
                                   double *values, size_t count, struct spinnsim_error *error)
{
    struct diagnostic diagnostic = {0};
    return handle_status(read_tensor(experiment, name, values, count, &diagnostic), &diagnostic,
                         error);
}

/* events.c - see events.h. */
#include "sim/run_control/events.h"

#include "sim/mapping/plan_train.h"
#include "sim/run_control/job.h"
#include "sim/run_control/job_backend.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help;
} EVENT[JOB_EVENTS] = {
#define EVENT(NAME, name, help) [JOB_##NAME] = {#name, help},
#include "sim/run_control/events.def"
};

const char *job_event_name(enum job_event_kind kind)
{
    return EVENT[kind].name;
}

const char *job_event_help(enum job_event_kind kind)
{
    return EVENT[kind].help;
}

bool job_hears(const struct job *job, enum job_event_kind kind)
{
    return job->options.hook != NULL && (job->options.hook_events >> kind & 1u) != 0;
}

bool job_tell(const struct job *job, const struct job_event *event)
{
    return !job_hears(job, event->kind) || job->options.hook(job->options.hook_context, event);
}

/* ---- parameters ---- */

/* A training's, which its cores have written behind the last command. */
static enum status gather_training(const struct job_live *live, double *parameters,
                                   struct diagnostic *diagnostic)
{
    const struct job *job = live->job;
    const size_t places = weights_places(job->table);
    FREED int32_t *values = calloc(places + 1, sizeof *values);
    FREED void *block = calloc(places + 1, network_value_bytes(&job->network));
    if (values == NULL || block == NULL) {
        return no_memory(diagnostic);
    }
    TRY(plan_train_read_values(live->plan, live->machine, PLAN_TRAIN_PARAMETERS, values,
                               diagnostic));
    for (size_t i = 0; i < places; i++) {
        weights_set_value(&job->network, block, i, values[i]);
    }
    weights_reals(&job->network, job->table, block, parameters);
    return STATUS_OK;
}

enum status job_live_parameters(const struct job_live *live, double *parameters,
                                struct diagnostic *diagnostic)
{
    const struct job *job = live->job;
    if (!job->has_network) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "programs without a network have no parameters");
    }
    if (job->network.numbers == NETWORK_INT8) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "parameters of int8 have scales of their own\vread those of int16, from "
                        "which they are made");
    }
    if (live->plan != NULL && live->plan->train != NULL) {
        return gather_training(live, parameters, diagnostic);
    }
    const enum job_values values = live->parameters == NULL ? JOB_BLOCK : job_values_of(job);
    const size_t count = network_parameters(&job->network);
    if (values == JOB_DOUBLES ||
        job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64) {
        const double *from = live->parameters != NULL ? live->parameters : job->weights.float64;
        memcpy(parameters, from, count * sizeof *parameters);
        return STATUS_OK;
    }
    if (values == JOB_FLOATS) {
        const float *from = live->parameters;
        for (size_t i = 0; i < count; i++) {
            parameters[i] = from[i];
        }
        return STATUS_OK;
    }
    weights_reals(&job->network, job->table,
                  live->parameters != NULL ? live->parameters : job->weights.block, parameters);
    return STATUS_OK;
}

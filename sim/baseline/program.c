/* program.c - see program.h. */
#include "sim/baseline/program.h"

#include "sim/baseline/float32_plan.h"
#include "sim/baseline/format_float32.h"
#include "sim/host_backend/job_training.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <stdlib.h>

const struct baseline_program BASELINE_INT16 = {"int16", "int16", &HOST_FORMAT_int16, false};
const struct baseline_program BASELINE_S1615 = {"s16.15", "s16.15", &HOST_FORMAT_s1615, false};
const struct baseline_program BASELINE_FLOAT32 = {"float32", "int16", &FORMAT_FLOAT32, false};
const struct baseline_program BASELINE_FLOAT64 = {"float64", "int16", &HOST_FORMAT_FLOAT64, true};

static enum status check_float32(const struct job *job, struct diagnostic *diagnostic)
{
    const enum config_optimizer optimizer = job->config->train_optimizer;
    if (!optimizer_of(optimizer)->descends && optimizer != CONFIG_OPTIMIZER_ACCELEGRAD) {
        return config_refuse(job->config, "train.optimizer", "--program int16 and float64 have it",
                             diagnostic,
                             "the program float32 has sgd, momentum and accelegrad only");
    }
    return float32_check(&job->network, diagnostic);
}

enum status baseline_check(const struct baseline_program *program, const struct job *job,
                           struct diagnostic *diagnostic)
{
    if (program == &BASELINE_FLOAT64 && network_has_dropout(&job->network)) {
        return config_refuse(job->config, "network.name", "--program int16 can", diagnostic,
                             "float64 learns without dropout");
    }
    return program == &BASELINE_FLOAT32 ? check_float32(job, diagnostic) : STATUS_OK;
}

enum status baseline_initial(const struct baseline_program *program, const struct job *job,
                             void **initial, struct diagnostic *diagnostic)
{
    const struct host_format *machine = host_format_of(job);
    const size_t count = network_parameters(&job->network);
    TRY(host_training_initial(job, machine, initial, diagnostic));
    if (program->format->has_block) {
        return STATUS_OK;
    }
    void *block = *initial;
    double *doubles = calloc(count, sizeof *doubles);
    *initial = doubles;
    if (doubles != NULL) {
        host_doubles(job, machine, block, doubles);
    }
    free(block);
    if (doubles != NULL && program->format->type == EXCHANGE_FLOATS) {
        float *floats = calloc(count, sizeof *floats);
        for (size_t i = 0; i < count && floats != NULL; i++) {
            floats[i] = (float)doubles[i];
        }
        *initial = floats;
        free(doubles);
    }
    return *initial == NULL ? no_memory(diagnostic) : STATUS_OK;
}

const char *baseline_instructions(const struct baseline_program *program)
{
    return program == &BASELINE_FLOAT32 ? float32_kernels_of(NULL)->name : "";
}

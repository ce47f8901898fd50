/* program.c - see program.h. */
#include "sim/baseline/program.h"

#include "sim/host_backend/float32_plan.h"
#include "sim/host_backend/format_float32.h"
#include "sim/host_backend/job_training.h"
#include "sim/steps.h"

const struct baseline_program BASELINE_INT16 = {"int16", "int16", &HOST_FORMAT_int16, false};
const struct baseline_program BASELINE_S1615 = {"s16.15", "s16.15", &HOST_FORMAT_s1615, false};
const struct baseline_program BASELINE_FLOAT32 = {"float32", "int16", &FORMAT_FLOAT32, false};
const struct baseline_program BASELINE_FLOAT64 = {"float64", "int16", &HOST_FORMAT_FLOAT64, true};

enum status baseline_check(const struct baseline_program *program, const struct job *job,
                           struct diagnostic *diagnostic)
{
    if (program == &BASELINE_FLOAT64 && network_has_dropout(&job->network)) {
        return config_refuse(job->config, "network.name", "--program int16 can", diagnostic,
                             "float64 learns without dropout");
    }
    return program == &BASELINE_FLOAT32 ? float32_check_job(job, diagnostic) : STATUS_OK;
}

enum status baseline_initial(const struct baseline_program *program, const struct job *job,
                             void **initial, struct diagnostic *diagnostic)
{
    RELEASED(weights_deinit) struct weights first = {.block = NULL};
    TRY(host_training_initial(job, host_format_of(job), &first.block, diagnostic));
    return host_parameters(job, program->format, &first, initial, diagnostic);
}

const char *baseline_instructions(const struct baseline_program *program)
{
    return program == &BASELINE_FLOAT32 ? float32_kernels_of(NULL)->name : "";
}

/* job_values.c - see job_backend.h. */
#include "sim/run_control/job_backend.h"

enum job_values job_values_of(const struct job *job)
{
    if (job->operations != NULL) {
        return job->operations->numbers == SPINNSIM_INT16     ? JOB_BLOCK
               : job->operations->numbers == SPINNSIM_FLOAT32 ? JOB_FLOATS
                                                              : JOB_DOUBLES;
    }
    return job->config->backend == CONFIG_BACKEND_HOST_FLOAT32                  ? JOB_FLOATS
           : job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64 ? JOB_DOUBLES
                                                                                : JOB_BLOCK;
}

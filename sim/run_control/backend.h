/* backend.h - who executes a job: the modelled machine, or the host in the same integers.
 * A backend takes a prepared job and fills an outcome; the result folder is the same for all. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct backend {
    const char *name;
    /* STATUS_CONFIGURATION when it cannot run this job. */
    enum status (*check)(const struct job *job, struct diagnostic *diagnostic);
    /* STATUS_OK whenever there is an outcome, a guest's failure included. */
    enum status (*run)(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic);
};

extern const struct backend BACKEND_SPINNAKER;
extern const struct backend BACKEND_HOST;

/* The one a configuration names. */
const struct backend *backend_of(const struct sim_config *config);

C_LINKAGE_END

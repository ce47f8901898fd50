/* backend.h - a backend executes a prepared job and fills an outcome: the modelled machine, or the
 * host with the same integer arithmetic.  Both write the same kind of result folder. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct backend {
    const char *name;
    /* STATUS_CONFIGURATION when it cannot run this job. */
    enum status (*check)(const struct job *job, struct diagnostic *diagnostic);
    /* STATUS_OK whenever there is an outcome, even if it is a guest's failure. */
    enum status (*run)(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic);
};

extern const struct backend BACKEND_SPINNAKER;
extern const struct backend BACKEND_HOST;

/* The backend that a configuration selects. */
const struct backend *backend_of(const struct sim_config *config);

C_LINKAGE_END

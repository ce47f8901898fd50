/* weights_origin.h - where trained weights come from: what their file says of it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Fills outcome->trained.origin, with the command that makes the same weights again. */
void weights_sign(const struct job *job, struct outcome *outcome);

C_LINKAGE_END

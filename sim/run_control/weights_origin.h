/* weights_origin.h - where trained weights come from: what their file says of it. */
#ifndef SIM_RUN_CONTROL_WEIGHTS_ORIGIN_H
#define SIM_RUN_CONTROL_WEIGHTS_ORIGIN_H
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Fills outcome->trained.origin, with the command that makes the same weights again. */
void weights_sign(const struct job *job, struct outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif

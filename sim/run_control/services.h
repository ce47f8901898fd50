/* services.h - programs that serve a chip as long as the machine runs: the reinjector. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* The monitor processor of a chip; false: no core of it works. */
bool services_core(const struct topology_chip *chip, struct machine_core *core);

/* Loads the reinjector, if the job has one, and starts it now.  Applications do not wait for
 * it. */
enum status services_load(const struct job *job, struct machine *machine, struct machine_core core,
                          struct diagnostic *diagnostic);

/* What all reinjectors have counted, into outcome->reinjector. */
void services_take(const struct job *job, const struct machine *machine, struct outcome *outcome);

C_LINKAGE_END

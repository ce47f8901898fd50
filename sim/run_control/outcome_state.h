/* outcome_state.h - what an outcome holds of several runs on the same machine (outcome_add_run()),
 * as bytes of a session_stream: for checkpoints between two runs. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/outcome.h"
#include "sim/run_control/session_stream.h"
C_LINKAGE_BEGIN

/* All that outcome_add_run() fills, but for what depends on the host.  When they are read, the
 * outcome must have none of it. */
void outcome_visit_runs(struct session_stream *stream, struct outcome *outcome);

/* outcome->stage_sum alone. */
void outcome_visit_stage_sums(struct session_stream *stream, struct outcome *outcome);

C_LINKAGE_END

/* stages.h - a run of several stages (key `stages`): each trains a network on a stream of images,
 * which networks of earlier stages may filter; then some of the networks classify the test images
 * together (key `vote`).  Each training and each look at a stream is a job of its own on the run's
 * backend. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Whether all stages can run: their networks exist, and their results may be written.
 * STATUS_CONFIGURATION with the reason. */
enum status stages_check(const struct job *job, struct diagnostic *diagnostic);

/* Runs all stages and fills the outcome of the whole.  Each stage's own results are written to
 * RESULTS-NAME as it ends, RESULTS being job->options.results (NULL: they are not written). */
enum status stages_run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic);

C_LINKAGE_END

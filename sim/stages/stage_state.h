/* stage_state.h - what the finished stages of a run have left, in the checkpoint of its result
 * folder (sim/run_control/sealed_state.h): all that later stages, the vote and the run's own
 * results need of them, and on the machine what it has counted so far. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include "sim/run_control/session_stream.h"
#include "sim/stages/stage_run.h"
C_LINKAGE_BEGIN

struct stage_state {
    struct outcome *whole;     /* with its rows of stages */
    struct stage_run *trained; /* [stage] */
    struct sha256 *hash;       /* of all that has been done */
    size_t done;               /* stages that are finished */
};

/* Writes the checkpoint into the folder of the run's results, if there is one. */
enum status stage_state_write(const struct job *job, const struct stage_state *state,
                              struct diagnostic *diagnostic);

/* The checkpoint in job->options.resume, for stage_state_take(); stream->bytes is the caller's to
 * free.  STATUS_CONFIGURATION with file and hint: it is not there, or of another run or user, or
 * the run's results go to another folder, or those of a finished stage are missing. */
enum status stage_state_read(const struct job *job, struct session_stream *stream,
                             struct diagnostic *diagnostic);

/* Restores stages from what was read: of the whole what the machine has counted; of each row what
 * its images and jobs have taken; of trained[i] the job, as for the data set's own images but with
 * the digest of the stage's, and the results.  state->done counts the stages that must be released,
 * also on failure. */
enum status stage_state_take(const struct job *job, struct session_stream *stream,
                             struct stage_state *state, struct diagnostic *diagnostic);

C_LINKAGE_END

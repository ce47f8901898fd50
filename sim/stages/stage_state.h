/* stage_state.h - what the finished stages of a run on the host have left, in the checkpoint of its
 * result folder: all that later stages, the vote and the run's own results need of them.
 *
 *     training  text: SHA-256 of what determines the run (session_state_identify())
 *     run       uint8[]: for each finished stage how its images were found, and its training's
 *               results and weights
 *     seal      text: that this user wrote both (sim/data/seal.h)
 *
 * The file appears under its name only when it is complete.  Only the same program reads it, and it
 * believes every byte: so it is taken with this user's own seal only. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/stages/stage_run.h"
C_LINKAGE_BEGIN

/* Writes the checkpoint of the first `done` stages into the folder of the run's results.  Nothing
 * is written when there is no key to seal it with. */
enum status stage_state_write(const struct job *job, const struct outcome_stage *row,
                              const struct stage_run *trained, size_t done,
                              struct diagnostic *diagnostic);

/* The checkpoint in job->options.resume: bytes for stage_state_take(), in malloc'ed memory.
 * STATUS_CONFIGURATION with file and hint: it is not there, or of another run or user, or the run's
 * results go to another folder, or those of a finished stage are missing. */
enum status stage_state_read(const struct job *job, uint8_t **bytes, size_t *size,
                             struct diagnostic *diagnostic);

/* Restores stages from what was read: row->looked_at, found and kept; and of trained[i] the job, as
 * for the data set's own images but with the digest of the stage's, and the results.  *done counts
 * the stages that must be released, also on failure. */
enum status stage_state_take(const struct job *job, uint8_t *bytes, size_t size,
                             struct outcome_stage *row, struct stage_run *trained, size_t *done,
                             struct diagnostic *diagnostic);

C_LINKAGE_END

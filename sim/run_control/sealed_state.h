/* sealed_state.h - what a run of several jobs (stages, windows of a sample) has done so far, in the
 * checkpoint of its result folder:
 *
 *     training  text: SHA-256 of what determines the run (session_state_identify())
 *     run       uint8[]: the bytes of a session_stream
 *     seal      text: that this user wrote both (sim/data/seal.h)
 *
 * The file appears under its name only when it is complete.  Only the same program reads it, and it
 * believes every byte: so it is taken with this user's own seal only. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/session_stream.h"
C_LINKAGE_BEGIN

/* Writes what has been saved into the checkpoint in job->options.results.  Nothing is written when
 * that is NULL, or when there is no key to seal it with. */
enum status sealed_state_write(const struct job *job, const struct session_stream *stream,
                               struct diagnostic *diagnostic);

/* The checkpoint in job->options.resume, ready to be read; stream->bytes is the caller's to free.
 * STATUS_CONFIGURATION with file and hint: it is not there, or of another run or user. */
enum status sealed_state_read(const struct job *job, struct session_stream *stream,
                              struct diagnostic *diagnostic);

C_LINKAGE_END

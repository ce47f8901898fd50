/* session_state.h - a run on the machine as it stands, as bytes: the machine's whole state, and
 * what its session has counted.  A session that takes them goes on as the one that gave them would
 * have, so all results are the same.
 *
 * A checkpoint holds such a state between two commands of a training, for the same records and
 * coefficients.  A state file (run.save_at) holds one of any time, for other records, coefficients
 * and free parameters, too: saved_state.h says which jobs go on from it.
 *
 * Only the same program restores them, and it believes every byte: they must be its user's own (see
 * sim/networks/checkpoint.h, sim/state/state_file.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/session.h"
C_LINKAGE_BEGIN

/* SHA-256 of this program, and of a job's simulated system (whatever run.simulated_time_limit is),
 * coefficients and record keys.  False: the program's own file cannot be read. */
bool session_state_identify(const struct job *job, char identity[SHA256_HEX_CHARS]);

/* The state in malloc'ed memory, packed.  *bytes is NULL when there is no memory for it, or when
 * the program's own file cannot be read. */
void session_state_save(const struct session *session, uint8_t **bytes, size_t *size);

/* Whether a state is of this program, simulated system, coefficients and record keys. */
bool session_state_fits(const struct job *job, const uint8_t *bytes, size_t size);

/* Restores a state that fits into a session that has been opened for it.  STATUS_INTERNAL: out of
 * memory, or the state is damaged; the session is then only good to be closed. */
enum status session_state_load(struct session *session, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic);

/* Writes the state to a file, as it stands between two slices of the machine's time.  The file
 * appears when it is complete. */
enum status session_state_write(const struct session *session, const char *path,
                                struct diagnostic *diagnostic);

/* Restores the state of job->restored into a session that has been opened for it.  The session is
 * only good to be closed after a failure. */
enum status session_state_restore(struct session *session, struct diagnostic *diagnostic);

C_LINKAGE_END

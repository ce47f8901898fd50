/* identity.h - hashes that say which runs are of the same system. */
#pragma once
#include "sim/run_control/job.h"

/* sim_hash: the configuration but names, records, bounds and coefficients; the programs as loaded;
 * the layer table; the parameters; the images.  energy_hash: the coefficients.
 * STATUS_INTERNAL when out of memory. */
enum status identity_of(const struct job *job, struct job_identity *identity,
                        struct diagnostic *diagnostic);

/* counters.h - takes the counters of a machine in the order of their names.
 *
 * A large machine has millions of counters, and nearly all of them are 0.  So only the others are
 * kept, and no names are compared: the machine calls its parts in order, and each kind of counter
 * has a list of its own. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Fills outcome->counter: by component, name, x, y, instance; without the counters that are 0,
 * unless `zeros` holds.  The hash gets a line of each counter in the same order, those that are 0
 * included.  STATUS_INTERNAL when out of memory. */
enum status counters_take(const struct machine *machine, bool zeros, struct outcome *outcome,
                          struct sha256 *hash, struct diagnostic *diagnostic);

C_LINKAGE_END

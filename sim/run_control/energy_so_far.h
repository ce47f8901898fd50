/* energy_so_far.h - the energy used so far by a machine that is still running, from the same
 * counters and with the same sums as a run's joules at its end. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/energy/energy.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* Joules of the whole machine since its begin.  Does not change the machine.  STATUS_INTERNAL when
 * out of memory. */
enum status energy_so_far(const struct machine *machine, const struct energy_table *table,
                          struct energy_joules *joules, struct diagnostic *diagnostic);

C_LINKAGE_END

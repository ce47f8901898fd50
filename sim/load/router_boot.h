/* router_boot.h - routers as SpiNNaker's boot software leaves them.  Private to sim/load. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* Initialises all routers: control register with the configured waits and the chip's first working
 * core as monitor, diagnostic counters enabled, empty multicast table, point-to-point routes along
 * shortest paths to all chips.  STATUS_INTERNAL when out of memory. */
enum status router_boot(struct machine *machine, const struct machine_parameters *parameters);

C_LINKAGE_END

/* router_boot.h - routers as SpiNNaker's boot software leaves them.  Private to sim/load. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* Control register with the chip's first working core as monitor, diagnostic counters on, multicast
 * table empty, point-to-point tables by shortest ways to all chips.  STATUS_INTERNAL when out of
 * memory. */
enum status router_boot(struct machine *machine);

C_LINKAGE_END

/* router_boot.h - routers as SpiNNaker's boot software leaves them.  Private to sim/load. */
#ifndef SIM_LOAD_ROUTER_BOOT_H
#define SIM_LOAD_ROUTER_BOOT_H
#include "models/machine/machine.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Control register with the chip's first working core as monitor, diagnostic counters on, multicast
 * table empty, point-to-point tables by shortest ways to all chips.  STATUS_INTERNAL when out of
 * memory. */
enum status router_boot(struct machine *machine);

#ifdef __cplusplus
}
#endif
#endif

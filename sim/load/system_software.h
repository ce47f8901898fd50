/* system_software.h - for programs that need what SC&MP has written into the memory of a booted
 * chip besides what machine_boot_direct() writes: those that are linked with SARK
 * (spinnaker_tools), and those of workloads/runtime that send messages, take blocks of router
 * entries or light LEDs. Chips without it stay small: the tables of a chip take 0.5 MiB of SDRAM.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

struct system_software {
    uint64_t sdram_bytes; /* of a chip */
    enum topology_shape shape;
    uint32_t version;
};

/* Writes the rest of the system variables, and the tables that they lead to, of every chip, and
 * makes heaps as SARK 4 has them.  Call behind machine_boot_direct(). */
enum status system_software_write(struct machine *machine, const struct system_software *software,
                                  struct diagnostic *diagnostic);

/* Enters a core's program into its chip's table of applications. */
void system_software_enter(struct machine *machine, struct machine_core core, uint8_t app_id,
                           bool is_sark);

C_LINKAGE_END

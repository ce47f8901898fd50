/* boot_rom.h - `run.boot: rom`: the program in the chips' boot ROMs (workloads/boot_rom), and what
 * a board tells it.
 *
 * All cores begin at their reset vectors.  What the ROM leaves when it enters an image is what
 * handover.h writes by itself, but for the list in sim/load/README.md. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/handover.h"
C_LINKAGE_BEGIN

/* The name of its file in the folder of programs. */
#define BOOT_ROM_FILE "boot_rom.elf"

struct boot_rom {
    uint8_t bytes[MACHINE_BOOT_ROM_BYTES]; /* for machine_config.boot_rom */
    uint32_t count;
};

/* Reads the program.  STATUS_CONFIGURATION: there is no such file, or it is no boot ROM. */
enum status boot_rom_read(struct boot_rom *rom, const char *path, struct diagnostic *diagnostic);

/* Gives the boards their serial ROMs, and lets all cores leave the reset of power-on; setup->root
 * does not matter.  The machine must have a boot ROM and must have been switched on:
 * machine_create() or machine_power_on(). */
enum status boot_rom_start(struct machine *machine, const struct handover_setup *setup,
                           struct diagnostic *diagnostic);

C_LINKAGE_END

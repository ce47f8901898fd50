/* machine_load.h - brings a machine into the state in which SpiNNaker's boot software leaves it,
 * and loads programs. `run.boot: direct`: no boot ROM and no SC&MP run; what they would have
 * written is written here, the monitor core sleeps. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/load/elf_image.h"

#include <stdio.h>
C_LINKAGE_BEGIN

/* System variables, core blocks and heaps of every chip.  Virtual core numbers count the cores of a
 * chip that work; the first chip.monitor_cores of them are the monitors, and sleep.  The heap for
 * users in SDRAM begins at heap_start or where SC&MP puts it, whichever is later: what the host has
 * placed below is safe. */
enum status machine_boot_direct(struct machine *machine,
                                const struct machine_parameters *parameters, uint32_t heap_start,
                                struct diagnostic *diagnostic);

/* The number by which programs know a core: how many of its chip's cores work before it. */
uint32_t machine_virtual_core(const struct machine *machine, struct machine_core core);

struct program_options {
    uint8_t app_id; /* 1..255: programs of one id wait for each other in barriers */
    uint32_t user0; /* for the program, in its core's block */
};

/* Checks that a program fits the core's memories; the message names the segment and the shortage.
 */
enum status machine_check_program(const struct machine_parameters *parameters,
                                  const struct elf_image *program, struct diagnostic *diagnostic);

/* Loads a checked program into a core and announces it in the core's block. */
enum status machine_load_program(struct machine *machine, struct machine_core core,
                                 const struct elf_image *program,
                                 const struct program_options *options,
                                 struct diagnostic *diagnostic);

/* Starts a loaded program now. */
enum status machine_start_program(struct machine *machine, struct machine_core core,
                                  const struct elf_image *program, uint8_t app_id);

/* How a program stands: its cpu_state and, after an error, the code and the address it happened at.
 */
struct program_state {
    uint8_t cpu_state;
    uint8_t rt_code;
    uint8_t app_id;
    uint32_t lr;
    uint32_t user1; /* what the program tells the host: workloads/nn/wait_note.h */
};
struct program_state machine_program_state(const struct machine *machine, struct machine_core core);

/* Writes what a core has printed, each line as `x,y,p text`; an unfinished last line gets a line
 * end. */
void machine_print_console(const struct machine *machine, struct machine_core core, FILE *out);

C_LINKAGE_END

/* machine_load.h - brings a machine into the state in which SpiNNaker's boot software leaves it,
 * and loads programs.  `run.boot: direct`: boot ROM and SC&MP are not executed; this file writes
 * the memory and registers that they would have written, and monitor processors sleep. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/load/elf_image.h"

#include <stdio.h>
API_BEGIN

/* Writes system variables, core blocks and heaps of every chip.  Virtual core numbers count only
 * the working cores of a chip; the first chip.monitor_cores of them are monitor processors, and
 * sleep.  The user heap in SDRAM begins at heap_start or at SC&MP's address, whichever is higher,
 * so it leaves alone what the host has placed below. */
enum status machine_boot_direct(struct machine *machine,
                                const struct machine_parameters *parameters, uint32_t heap_start,
                                struct diagnostic *diagnostic);

/* A core's virtual number, by which programs know it: the number of working cores before it on its
 * chip. */
uint32_t machine_virtual_core(const struct machine *machine, struct machine_core core);

/* The lowest address of a program's stack: the program's symbol sark_stack_bytes
 * (workloads/runtime) is the number of bytes at the top of DTCM that belong to stacks; without it,
 * the end of the program's data. */
uint32_t machine_stack_end(const struct machine_parameters *parameters,
                           const struct elf_image *program);

struct program_options {
    uint8_t app_id; /* 1..255: barriers synchronise the programs with the same id */
    uint32_t user0; /* user0 of the core's block, an argument for the program */
};

/* Checks that a program fits into a core's memories; the message names the segment and the number
 * of bytes missing. */
enum status machine_check_program(const struct machine_parameters *parameters,
                                  const struct elf_image *program, struct diagnostic *diagnostic);

/* Loads a checked program into a core and enters it into the core's block. */
enum status machine_load_program(struct machine *machine, struct machine_core core,
                                 const struct elf_image *program,
                                 const struct program_options *options,
                                 struct diagnostic *diagnostic);

/* Starts a loaded program now. */
enum status machine_start_program(struct machine *machine, struct machine_core core,
                                  const struct elf_image *program, uint8_t app_id);

/* A program's state: its cpu_state and, after an error, the error's code and place. */
struct program_state {
    uint8_t cpu_state;
    uint8_t rt_code;
    uint8_t app_id;
    uint32_t error_pc; /* after an error: the instruction at fault, or the call of rt_error() */
    uint32_t user1;    /* the program's message to the host: workloads/nn/wait_note.h */
};
struct program_state machine_program_state(const struct machine *machine, struct machine_core core);

/* The address of the call that returns to an address, which may lie in the next function. */
uint32_t machine_call_before(uint32_t return_address);

/* Writes a core's console output, each line as `x,y,p text`; an unfinished last line gets a
 * newline. */
void machine_print_console(const struct machine *machine, struct machine_core core, FILE *out);

API_END

/* semihosting.h - the ARM semihosting calls of a program that runs under `spinnsim elf`.
 *
 * A program has the console (the name ":tt": standard input, output, error), the list of features
 * (":semihosting-features") and, if the user lends one, the files in one folder of the host.  A
 * file beyond these is refused: EACCES for the guest, and a word to the user the first time.  Time
 * is the guest's own: cycles at 200 MHz.  Source: ARM "Semihosting for AArch32 and AArch64",
 * release 2.0. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "sim/flat/console.h"
#include "sim/flat/host_files.h"
C_LINKAGE_BEGIN

struct semihosting {
    struct arm968 *cpu;
    uint8_t *ram; /* ram_bytes at ram_base */
    uint32_t ram_base, ram_bytes;
    uint32_t heap_base;                           /* first free address behind the program */
    const char *program;                          /* in messages */
    const char *command_line;                     /* as the program is to see it */
    void (*warn)(const struct diagnostic *about); /* NULL: nobody listens */
    struct console console;
    struct host_files files;

    bool exited;
    int exit_status;
    uint32_t error_number; /* as newlib numbers errors */
    uint32_t features_position;
    uint32_t stack_limit; /* as the program has been told; 0: it has not asked */
    bool told_refused, told_too_long;
};

/* Performs the call that an ARM968_STOP_REQUEST announces: operation in r0, argument in r1, result
 * to r0. Guest addresses outside the RAM make the call fail, they never reach host memory. */
void semihosting_call(struct semihosting *semihosting);

C_LINKAGE_END

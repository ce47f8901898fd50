/* semihosting.h - the ARM semihosting calls of a program that runs under `spinnsim elf`.
 * Only the console exists: the names ":tt" (standard input, output, error) and
 * ":semihosting-features" can be opened, no host file ever is.  Time is the guest's own: cycles at
 * 200 MHz. Source: ARM "Semihosting for AArch32 and AArch64", release 2.0. */
#ifndef SIM_FLAT_SEMIHOSTING_H
#define SIM_FLAT_SEMIHOSTING_H
#include "models/arm968/arm968.h"

#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

struct semihosting {
    struct arm968 *cpu;
    uint8_t *ram; /* ram_bytes at ram_base */
    uint32_t ram_base, ram_bytes;
    uint32_t heap_base; /* first free address behind the program */
    const char *command_line;
    FILE *input, *output, *error;

    bool exited;
    int exit_status;
    uint32_t error_number;
    uint32_t features_position;
};

/* Performs the call that an ARM968_STOP_REQUEST announces: operation in r0, argument in r1, result
 * to r0. Guest addresses outside the RAM make the call fail, they never reach host memory. */
void semihosting_call(struct semihosting *semihosting);

#ifdef __cplusplus
}
#endif
#endif

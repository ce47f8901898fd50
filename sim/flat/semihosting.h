/* semihosting.h - the ARM semihosting calls of a program that runs under `spinnsim elf`.
 *
 * A program can open the console (the name ":tt": standard input, output, error), the list of
 * features (":semihosting-features") and, with --files, the files in one folder of the host.  Any
 * other file is refused: EACCES for the guest, and a warning to the user the first time.  Clock
 * calls return guest time: cycles at 200 MHz.  Source: ARM "Semihosting for AArch32 and AArch64",
 * release 2.0. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/flat/console.h"
#include "sim/flat/flat_core.h"
#include "sim/flat/host_files.h"
C_LINKAGE_BEGIN

struct semihosting {
    const struct flat_core *core;
    uint32_t heap_base;                           /* first free address behind the program */
    const char *program;                          /* in messages */
    const char *command_line;                     /* as reported to the program */
    void (*warn)(const struct diagnostic *about); /* called for warnings; NULL: none are given */
    struct console console;
    struct host_files files;

    bool exited;
    int exit_status;
    uint32_t error_number; /* for SYS_ERRNO, in newlib's numbering */
    uint32_t features_position;
    uint32_t stack_limit; /* as reported to the program; 0: it has not asked */
    bool told_refused, told_too_long;
};

/* Performs the call after an ARM968_STOP_REQUEST: operation in r0, argument in r1, result to r0.  A
 * guest address outside the RAM makes the call fail; it never reaches host memory. */
void semihosting_perform(struct semihosting *semihosting);

/* Whether the call may write into the guest's memory. */
bool semihosting_writes(uint32_t operation);

C_LINKAGE_END

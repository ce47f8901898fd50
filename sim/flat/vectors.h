/* vectors.h - `spinnsim vectors`: test vectors of single instructions, with the state of one core
 * before and after.
 *
 * A line is one vector, all numbers hexadecimal:
 *     V id kind A|T n ncode code.. | cpsr r0..r14 | seed nov {addr val}..
 *         | cpsr r0..r15 | nchanged {addr val}..
 *
 * The code lies at 0x1000, padded with NOPs to 64 instructions; n instructions are executed, at
 * most 1000.  Memory 0x400000..0x400fff initially holds (a * 2654435761) xor seed at each word
 * address a, except for the nov overrides.  Afterwards CPSR and registers must have the values of
 * `cpsr r0..r15`, and exactly the nchanged listed words must have changed, to the listed values.
 * Lines that begin with # are comments. */
#pragma once
#include "models/common/status.h"
#include <stdint.h>
#include <stdio.h>

struct vectors_result {
    uint64_t passed, failed;
};

/* Runs all vectors of a file, gzip or plain.  The first `reported` failures are described on
 * `report` (NULL: none). STATUS_CONFIGURATION when the file cannot be read or a line is malformed.
 */
enum status vectors_run(const char *path, FILE *report, unsigned reported,
                        struct vectors_result *result, struct diagnostic *diagnostic);

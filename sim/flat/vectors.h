/* vectors.h - `spinnsim vectors`: single-core instruction vectors, state before and after.
 *
 * A line is one vector, all numbers hexadecimal:
 *   V id kind A|T n ncode code.. | cpsr r0..r14 | seed nov {addr val}.. | cpsr r0..r15 | nchanged
 * {addr val}.. The code lies at 0x1000, filled up with NOPs to 64 instructions; n of them are
 * stepped, at most 1000.  Memory 0x400000..0x400fff holds at address a the word (a * 2654435761)
 * xor seed, then the overrides.  Afterwards registers, CPSR and exactly the listed words must have
 * changed.  Lines that begin with # are comments. */
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

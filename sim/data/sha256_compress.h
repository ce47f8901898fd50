/* sha256_compress.h - private to sha256: the compression function of FIPS 180-4, 6.2.2, with the
 * SHA instructions of x86. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { SHA256_ROUNDS = 64 };

/* Whether the host CPU has the SHA extensions of x86. */
bool sha256_x86_available(void);

/* Hashes `count` blocks of SHA256_BLOCK_BYTES into the state, with the constants of the rounds;
 * requires sha256_x86_available(). */
void sha256_x86_compress(uint32_t *state, const uint8_t *blocks, size_t count,
                         const uint32_t constants[SHA256_ROUNDS]);

C_LINKAGE_END

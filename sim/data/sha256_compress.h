/* sha256_compress.h - private to sha256: the compression function of FIPS 180-4, 6.2.2, in the
 * instructions that some CPUs have for it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { SHA256_ROUNDS = 64 };
extern const uint32_t SHA256_ROUND_CONSTANT[SHA256_ROUNDS];

/* Has this CPU the SHA extensions of x86? */
bool sha256_x86_available(void);

/* Hashes `count` blocks of SHA256_BLOCK_BYTES into the state; only where they are available. */
void sha256_x86_compress(uint32_t *state, const uint8_t *blocks, size_t count);

C_LINKAGE_END

/* sha256.h - SHA-256 (FIPS 180-4) of a stream of bytes, for digests of data sets, binaries and
 * results.  Uses the host CPU's SHA instructions where available. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { SHA256_BYTES = 32, SHA256_BLOCK_BYTES = 64, SHA256_HEX_CHARS = 2 * SHA256_BYTES + 1 };

struct sha256 {
    uint32_t state[8];
    uint64_t total_bytes;
    uint8_t block[SHA256_BLOCK_BYTES]; /* the last total_bytes % 64 bytes, not yet hashed */
    bool by_instructions;              /* uses the CPU's SHA instructions (sha256_compress.h) */
};

void sha256_init(struct sha256 *hash);
void sha256_update(struct sha256 *hash, const void *bytes, size_t size);

/* Writes SHA256_BYTES bytes.  Before reuse, the hash must be initialised again. */
void sha256_final(struct sha256 *hash, uint8_t *digest);

/* Lower-case hexadecimal of a digest: SHA256_HEX_CHARS characters with the final zero. */
void sha256_hex(const uint8_t *digest, char *text);

C_LINKAGE_END

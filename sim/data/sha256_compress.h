/* sha256_compress.h - private to sha256: the compression function of FIPS 180-4, 6.2.2, in the
 * instructions that some CPUs have for it. */
#ifndef SIM_DATA_SHA256_COMPRESS_H
#define SIM_DATA_SHA256_COMPRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { SHA256_ROUNDS = 64 };
extern const uint32_t SHA256_ROUND_CONSTANT[SHA256_ROUNDS];

/* Has this CPU the SHA extensions of x86? */
bool sha256_x86_available(void);

/* Hashes `count` blocks of SHA256_BLOCK_BYTES into the state; only where they are available. */
void sha256_x86_compress(uint32_t *state, const uint8_t *blocks, size_t count);

#ifdef __cplusplus
}
#endif
#endif

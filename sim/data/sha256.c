/* sha256.c - see sha256.h.  Section numbers are those of FIPS 180-4. */
#include "sim/data/sha256.h"

#include "models/common/bits.h"
#include "sim/data/sha256_compress.h"

#include <string.h>

/* 4.2.2: fractional parts of the cube roots of the first 64 primes. */
static const uint32_t ROUND_CONSTANT[SHA256_ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load_big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_big_endian(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
    }
}

/* 6.2.2: the message schedule. */
static void expand(uint32_t *schedule, const uint8_t *block)
{
    for (unsigned t = 0; t < 16; t++) {
        schedule[t] = load_big_endian(block + (size_t)4 * t);
    }
    for (unsigned t = 16; t < SHA256_ROUNDS; t++) {
        const uint32_t near = schedule[t - 2];
        const uint32_t far = schedule[t - 15];
        const uint32_t sigma1 =
            bits_rotate_right(near, 17) ^ bits_rotate_right(near, 19) ^ (near >> 10);
        const uint32_t sigma0 = bits_rotate_right(far, 7) ^ bits_rotate_right(far, 18) ^ (far >> 3);
        schedule[t] = sigma1 + schedule[t - 7] + sigma0 + schedule[t - 16];
    }
}

static void compress_block(uint32_t *state, const uint8_t *block)
{
    uint32_t schedule[SHA256_ROUNDS];
    expand(schedule, block);
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    uint32_t f = state[5];
    uint32_t g = state[6];
    uint32_t h = state[7];
    for (unsigned t = 0; t < SHA256_ROUNDS; t++) {
        const uint32_t sum1 =
            bits_rotate_right(e, 6) ^ bits_rotate_right(e, 11) ^ bits_rotate_right(e, 25);
        const uint32_t choice = (e & f) ^ (~e & g);
        const uint32_t first = h + sum1 + choice + ROUND_CONSTANT[t] + schedule[t];
        const uint32_t sum0 =
            bits_rotate_right(a, 2) ^ bits_rotate_right(a, 13) ^ bits_rotate_right(a, 22);
        const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + sum0 + majority;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

static void compress(struct sha256 *hash, const uint8_t *blocks, size_t count)
{
    if (hash->by_instructions) {
        sha256_x86_compress(hash->state, blocks, count, ROUND_CONSTANT);
        return;
    }
    for (; count > 0; count--) {
        compress_block(hash->state, blocks);
        blocks += SHA256_BLOCK_BYTES;
    }
}

void sha256_init(struct sha256 *hash)
{
    /* 5.3.3: fractional parts of the square roots of the first eight primes. */
    *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                      0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                            .by_instructions = sha256_x86_available()};
}

void sha256_update(struct sha256 *hash, const void *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    const uint8_t *next = bytes;
    const size_t held = (size_t)(hash->total_bytes % SHA256_BLOCK_BYTES);
    hash->total_bytes += size;
    if (held > 0) {
        const size_t room = SHA256_BLOCK_BYTES - held;
        const size_t taken = size < room ? size : room;
        memcpy(hash->block + held, next, taken);
        next += taken;
        size -= taken;
        if (taken < room) {
            return;
        }
        compress(hash, hash->block, 1);
    }
    const size_t left = size % SHA256_BLOCK_BYTES;
    compress(hash, next, size / SHA256_BLOCK_BYTES);
    memcpy(hash->block, next + (size - left), left);
}

void sha256_final(struct sha256 *hash, uint8_t *digest)
{
    /* 5.1.1: a one bit, zeros up to 8 bytes short of a block, the length in bits. */
    static const uint8_t PADDING[SHA256_BLOCK_BYTES] = {0x80};
    const uint64_t total_bits = hash->total_bytes * 8;
    const size_t held = (size_t)(hash->total_bytes % SHA256_BLOCK_BYTES);
    const size_t length_at = SHA256_BLOCK_BYTES - sizeof total_bits;
    const size_t zeros_end = held < length_at ? length_at : length_at + SHA256_BLOCK_BYTES;
    uint8_t length[sizeof total_bits];
    store_big_endian(length, (uint32_t)(total_bits >> 32));
    store_big_endian(length + 4, (uint32_t)total_bits);
    sha256_update(hash, PADDING, zeros_end - held);
    sha256_update(hash, length, sizeof length);
    for (unsigned i = 0; i < 8; i++) {
        store_big_endian(digest + (size_t)4 * i, hash->state[i]);
    }
}

void sha256_hex(const uint8_t *digest, char *text)
{
    static const char DIGIT[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = DIGIT[digest[i] >> 4];
        text[2 * i + 1] = DIGIT[digest[i] & 15];
    }
    text[SHA256_HEX_CHARS - 1] = '\0';
}

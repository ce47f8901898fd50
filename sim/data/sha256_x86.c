/* sha256_x86.c - see sha256_compress.h.  The instructions keep the eight words of the state in two
 * registers, a b e f and c d g h, and make two rounds each. */
#include "sim/data/sha256_compress.h"

#include "models/common/check.h"
#include "sim/data/sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#else
#include <cpuid.h>
#endif

#define SHA_CODE __attribute__((target("sha,sse4.1")))

enum { WORDS_AT_ONCE = 4, QUADS = SHA256_ROUNDS / WORDS_AT_ONCE, QUADS_OF_A_BLOCK = 4 };

#if __has_include(<sys/platform/x86.h>)
/* glibc has asked the CPU before; a virtual machine takes microseconds for each question. */
bool sha256_x86_available(void)
{
    return x86_cpu_present(x86_cpu_SSE4_1) && x86_cpu_present(x86_cpu_SHA);
}
#else
bool sha256_x86_available(void)
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool sse = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0;
    return sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}
#endif

/* Four words of the message: in it the most significant byte is the first. */
SHA_CODE static inline __m128i load_words(const uint8_t *bytes)
{
    const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)bytes), reversed);
}

/* Words t to t + 3 of the message schedule, from the sixteen before them, oldest first. */
SHA_CODE static inline __m128i next_words(__m128i w16, __m128i w12, __m128i w8, __m128i w4)
{
    const __m128i seven_before = _mm_alignr_epi8(w4, w8, 4);
    return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w16, w12), seven_before), w4);
}

SHA_CODE static inline void compress_block(__m128i *abef, __m128i *cdgh, const uint8_t *block,
                                           const __m128i_u *constants)
{
    __m128i upper = *abef;
    __m128i lower = *cdgh;
    __m128i words[QUADS];
    for (unsigned q = 0; q < QUADS; q++) {
        words[q] = q < QUADS_OF_A_BLOCK
                       ? load_words(block + (size_t)q * sizeof *words)
                       : next_words(words[q - 4], words[q - 3], words[q - 2], words[q - 1]);
        const __m128i sums = _mm_add_epi32(words[q], _mm_loadu_si128(constants + q));
        lower = _mm_sha256rnds2_epu32(lower, upper, sums);
        upper = _mm_sha256rnds2_epu32(upper, lower, _mm_unpackhi_epi64(sums, sums));
    }
    *abef = _mm_add_epi32(*abef, upper);
    *cdgh = _mm_add_epi32(*cdgh, lower);
}

SHA_CODE void sha256_x86_compress(uint32_t *state, const uint8_t *blocks, size_t count,
                                  const uint32_t constants[SHA256_ROUNDS])
{
    __m128i_u *words = (__m128i_u *)state;
    const __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), _MM_SHUFFLE(0, 1, 2, 3));
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), _MM_SHUFFLE(0, 1, 2, 3));
    __m128i abef = _mm_unpackhi_epi64(efgh, abcd);
    __m128i cdgh = _mm_unpacklo_epi64(efgh, abcd);
    for (; count > 0; count--) {
        compress_block(&abef, &cdgh, blocks, (const __m128i_u *)constants);
        blocks += SHA256_BLOCK_BYTES;
    }
    const __m128i first = _mm_unpackhi_epi64(cdgh, abef);
    const __m128i second = _mm_unpacklo_epi64(cdgh, abef);
    _mm_storeu_si128(words, _mm_shuffle_epi32(first, _MM_SHUFFLE(0, 1, 2, 3)));
    _mm_storeu_si128(words + 1, _mm_shuffle_epi32(second, _MM_SHUFFLE(0, 1, 2, 3)));
}

#else

bool sha256_x86_available(void)
{
    return false;
}

void sha256_x86_compress(uint32_t *state, const uint8_t *blocks, size_t count,
                         const uint32_t constants[SHA256_ROUNDS])
{
    (void)state;
    (void)blocks;
    (void)count;
    (void)constants;
    CHECK(false, "this CPU has no SHA instructions of x86");
}

#endif

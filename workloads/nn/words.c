/* words.c - see words.h. */
#include "words.h"

enum { AT_ONCE = 4 };

void nn_clear_words(int32_t *words, uint32_t count)
{
    for (; count >= AT_ONCE; count -= AT_ONCE, words += AT_ONCE) {
        words[0] = 0;
        words[1] = 0;
        words[2] = 0;
        words[3] = 0;
    }
    for (; count > 0; count--) {
        *words++ = 0;
    }
}

static int32_t sum(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static void add_block(int32_t *to, const int32_t *block, uint32_t count)
{
    for (; count >= AT_ONCE; count -= AT_ONCE, to += AT_ONCE, block += AT_ONCE) {
        to[0] = sum(to[0], block[0]);
        to[1] = sum(to[1], block[1]);
        to[2] = sum(to[2], block[2]);
        to[3] = sum(to[3], block[3]);
    }
    for (; count > 0; count--, to++, block++) {
        *to = sum(*to, *block);
    }
}

void nn_add_words(int32_t *to, const int32_t *block, uint32_t count, uint32_t blocks)
{
    for (; blocks > 0; blocks--, block += count) {
        add_block(to, block, count);
    }
}

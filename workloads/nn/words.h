/* words.h - blocks of 32-bit words: sums of gradients and of errors. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

void nn_clear_words(int32_t *words, uint32_t count);

/* Adds `blocks` consecutive blocks to `to`, word by word; wraps. */
void nn_add_words(int32_t *to, const int32_t *block, uint32_t count, uint32_t blocks);

NN_LINKAGE_END

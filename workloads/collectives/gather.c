/* gather.c - the root receives from one rank after the other, beginning behind its own: all words
 * must come to it, and each goes to its place at once. */
#include "collectives.h"

uint32_t collective_gather(const struct collective_call *call, uint32_t step,
                           struct frames_transfer *transfer)
{
    *transfer = collective_nothing();
    if (call->rank != call->peer) {
        transfer->to = call->peer;
        transfer->out = call->own;
        transfer->out_words = call->words;
        return step == 0;
    }
    int32_t *mine = call->array + call->rank * call->words;
    for (uint32_t i = 0; step == 0 && i < call->words; i++) {
        mine[i] = call->own[i];
    }
    if (step + 1 < call->size) {
        const uint32_t from = (call->rank + 1 + step) % call->size;
        transfer->from = from;
        transfer->in = call->array + from * call->words;
        transfer->in_words = call->words;
    }
    return step + 1 < call->size || step == 0;
}

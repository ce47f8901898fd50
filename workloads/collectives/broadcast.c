/* broadcast.c - a binomial tree: with ranks counted from the root, the parent of a rank has the
 * lowest 1 of its number cleared.  A rank receives first, then it sends to the largest subtree, and
 * so on. */
#include "collectives.h"

uint32_t collective_broadcast(const struct collective_call *call, uint32_t step,
                              struct frames_transfer *transfer)
{
    const uint32_t levels = collective_levels(call->size);
    const uint32_t place = (call->rank + call->size - call->peer) % call->size;
    *transfer = collective_nothing();
    if (step > levels) {
        return 0;
    }
    const uint32_t bit = 1u << levels >> step; /* 2^levels: the parent; then children */
    const uint32_t lowest = place == 0 ? 1u << levels : place & (0u - place);
    if (step == 0 && place != 0) {
        transfer->from = (place - lowest + call->peer) % call->size;
        transfer->in = call->array;
        transfer->in_words = call->words;
    } else if (step > 0 && bit < lowest && place + bit < call->size) {
        transfer->to = (place + bit + call->peer) % call->size;
        transfer->out = call->array;
        transfer->out_words = call->words;
    }
    return 1;
}

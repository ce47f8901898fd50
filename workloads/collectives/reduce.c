/* reduce.c - the tree of broadcast.c from its leaves to its root: a rank combines what comes from
 * its smallest subtree first, and sends to its parent when all have come. */
#include "collectives.h"

uint32_t collective_reduce(const struct collective_call *call, uint32_t step,
                           struct frames_transfer *transfer)
{
    const uint32_t place = (call->rank + call->size - call->peer) % call->size;
    *transfer = collective_nothing();
    if (step >= collective_levels(call->size) || (place & ((1u << step) - 1)) != 0) {
        return 0;
    }
    const uint32_t bit = 1u << step;
    if ((place & bit) != 0) {
        transfer->to = (place - bit + call->peer) % call->size;
        transfer->out = call->array;
        transfer->out_words = call->words;
    } else if (place + bit < call->size) {
        transfer->from = (place + bit + call->peer) % call->size;
        transfer->in = call->array;
        transfer->in_words = call->words;
        transfer->operation = call->operation;
    }
    return 1;
}

/* receive.c - see collectives.def. */
#include "collectives.h"

uint32_t collective_receive(const struct collective_call *call, uint32_t step,
                            struct frames_transfer *transfer)
{
    *transfer = collective_nothing();
    transfer->from = call->peer;
    transfer->in = call->array;
    transfer->in_words = call->words;
    transfer->operation = call->operation;
    return step == 0;
}

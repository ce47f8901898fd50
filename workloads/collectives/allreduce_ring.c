/* allreduce_ring.c - see collectives.def. */
#include "collectives.h"

uint32_t collective_allreduce_ring(const struct collective_call *call, uint32_t step,
                                   struct frames_transfer *transfer)
{
    const uint32_t half = call->size - 1;
    return step < half ? collective_reduce_scatter(call, step, transfer)
                       : collective_all_gather(call, step - half, transfer);
}

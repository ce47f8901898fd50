/* allreduce.c - see collectives.def. */
#include "collectives.h"

uint32_t collective_allreduce(const struct collective_call *call, uint32_t step,
                              struct frames_transfer *transfer)
{
    const uint32_t levels = collective_levels(call->size);
    struct collective_call from_root = *call;
    from_root.peer = 0;
    if (step >= levels) {
        return collective_broadcast(&from_root, step - levels, transfer);
    }
    (void)collective_reduce(&from_root, step, transfer); /* a rank may have no more of it */
    return 1;
}

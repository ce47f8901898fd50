/* reduce_scatter.c - around a ring of all ranks: in each step a rank sends on the slice that it has
 * just combined.  The last slice that comes is its own. */
#include "collectives.h"

uint32_t collective_reduce_scatter(const struct collective_call *call, uint32_t step,
                                   struct frames_transfer *transfer)
{
    const uint32_t size = call->size;
    *transfer = collective_nothing();
    if (step + 1 >= size) {
        return 0;
    }
    const uint32_t behind = (call->rank + 2 * size - step - 1) % size;
    const uint32_t before = (behind + size - 1) % size;
    const struct collective_slice out = collective_slice_of(call->words, size, behind);
    const struct collective_slice in = collective_slice_of(call->words, size, before);
    *transfer = (struct frames_transfer){.to = (call->rank + 1) % size,
                                         .out = call->array + out.first,
                                         .out_words = out.end - out.first,
                                         .from = (call->rank + size - 1) % size,
                                         .in = call->array + in.first,
                                         .in_words = in.end - in.first,
                                         .operation = call->operation};
    return 1;
}

/* all_gather.c - around the ring of reduce_scatter.c: a rank sends its own slice first, then what
 * has come. */
#include "collectives.h"

uint32_t collective_all_gather(const struct collective_call *call, uint32_t step,
                               struct frames_transfer *transfer)
{
    const uint32_t size = call->size;
    *transfer = collective_nothing();
    if (step + 1 >= size) {
        return 0;
    }
    const uint32_t here = (call->rank + size - step) % size;
    const uint32_t before = (here + size - 1) % size;
    const struct collective_slice out = collective_slice_of(call->words, size, here);
    const struct collective_slice in = collective_slice_of(call->words, size, before);
    *transfer = (struct frames_transfer){.to = (call->rank + 1) % size,
                                         .out = call->array + out.first,
                                         .out_words = out.end - out.first,
                                         .from = (call->rank + size - 1) % size,
                                         .in = call->array + in.first,
                                         .in_words = in.end - in.first};
    return 1;
}

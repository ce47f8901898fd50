/* neighbours.c - in step k each rank sends over link k and receives over the opposite one, so that
 * all links of a direction are used at once. */
#include "collectives.h"

uint32_t collective_neighbours(const struct collective_call *call, uint32_t step,
                               struct frames_transfer *transfer)
{
    *transfer = collective_nothing();
    if (step >= COLLECTIVES_LINKS) {
        return 0;
    }
    const uint32_t opposite = (step + COLLECTIVES_LINKS / 2) % COLLECTIVES_LINKS;
    *transfer = (struct frames_transfer){.to = call->neighbour[step],
                                         .out = call->own,
                                         .out_words = call->words,
                                         .from = call->neighbour[opposite],
                                         .in = call->array + opposite * call->words,
                                         .in_words = call->words};
    return 1;
}

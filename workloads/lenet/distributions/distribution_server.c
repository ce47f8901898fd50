/* distribution_server.c - the first chips own the parameters, each a part of every slice: the
 * others send them their gradients, and wait for the new parameters.  So an update is that of the
 * whole batch, to the bit: gradients are integers.
 *
 * In round t rank r sends to rank r + t and receives from rank r - t, so that no two wait for each
 * other in a circle. */
#include "distribution.h"

struct part {
    uint32_t first, words; /* words 0: the rank is no server */
};

static struct part part_of(const struct distribution_plan *plan, uint32_t words, uint32_t rank)
{
    if (rank >= plan->servers) {
        return (struct part){0, 0};
    }
    const uint32_t first = distribution_bound(words, plan->servers, rank);
    return (struct part){first, distribution_bound(words, plan->servers, rank + 1) - first};
}

void distribution_owned(const struct distribution_plan *plan, uint32_t words, uint32_t *first,
                        uint32_t *count)
{
    const struct part own = part_of(plan, words, plan->ranks.rank);
    *first = own.first;
    *count = own.words;
}

/* Packed: values lie in words as they do in memory. */
static uint32_t packed(uint32_t values)
{
    return (values * sizeof(nn_value) + sizeof(int32_t) - 1) / sizeof(int32_t);
}

void distribution_reduce(int32_t *sums)
{
    const struct distribution_plan *plan = &distribution.plan;
    const uint32_t size = plan->ranks.size;
    const uint32_t rank = plan->ranks.rank;
    const struct part own = part_of(plan, distribution.words, rank);
    for (uint32_t t = 1; t < size; t++) {
        const uint32_t to = (rank + t) % size;
        const struct part theirs = part_of(plan, distribution.words, to);
        const struct frames_transfer transfer = {.to = theirs.words == 0 ? COLLECTIVES_NOBODY : to,
                                                 .out = sums + theirs.first,
                                                 .out_words = theirs.words,
                                                 .from = own.words == 0 ? COLLECTIVES_NOBODY
                                                                        : (rank + size - t) % size,
                                                 .in = sums + own.first,
                                                 .in_words = own.words,
                                                 .operation = FRAMES_SUM};
        frames_core_transfer(&transfer);
    }
}

void distribution_give(nn_value *parameters)
{
    const struct distribution_plan *plan = &distribution.plan;
    const uint32_t size = plan->ranks.size;
    const uint32_t rank = plan->ranks.rank;
    const struct part own = part_of(plan, distribution.words, rank);
    for (uint32_t t = 1; t < size; t++) {
        const uint32_t from = (rank + size - t) % size;
        const struct part theirs = part_of(plan, distribution.words, from);
        const struct frames_transfer transfer = {
            .to = own.words == 0 ? COLLECTIVES_NOBODY : (rank + t) % size,
            .out = (const int32_t *)(const void *)(parameters + own.first),
            .out_words = packed(own.words),
            .from = theirs.words == 0 ? COLLECTIVES_NOBODY : from,
            .in = (int32_t *)(void *)(parameters + theirs.first),
            .in_words = packed(theirs.words)};
        frames_core_transfer(&transfer);
    }
}

/* distribution_gossip.c - behind each update a chip and one other, drawn anew, take the average of
 * their parameters.  All chips draw the same word: it says who meets whom.  Of an odd number one
 * stays alone. */
#include "distribution.h"

#include <hash.h>

void distribution_owned(const struct distribution_plan *plan, uint32_t words, uint32_t *first,
                        uint32_t *count)
{
    (void)plan;
    *first = 0;
    *count = words;
}

void distribution_reduce(int32_t *sums)
{
    (void)sums;
}

/* A round of a tournament: ranks whose numbers add up to `round` modulo an odd number meet.  Of an
 * even number of ranks, the last meets the one that would meet itself. */
static uint32_t partner_of(uint32_t rank, uint32_t size, uint32_t word)
{
    const uint32_t odd = size % 2 == 0 ? size - 1 : size;
    const uint32_t round = word % odd;
    if (rank == odd) {
        return (round % 2 == 0 ? round : round + odd) / 2;
    }
    const uint32_t partner = (round + odd - rank) % odd;
    return partner != rank ? partner : size == odd ? COLLECTIVES_NOBODY : odd;
}

void distribution_give(nn_value *parameters)
{
    const struct collectives_plan *ranks = &distribution.plan.ranks;
    const uint32_t word = nn_hash_with(nn_hash(distribution.plan.seed), distribution.update);
    const uint32_t partner =
        ranks->size == 1 ? COLLECTIVES_NOBODY : partner_of(ranks->rank, ranks->size, word);
    if (partner != COLLECTIVES_NOBODY) {
        distribution_begin_average(parameters);
        distribution_swap(partner, parameters, partner, distribution.sums);
        distribution_end_average(parameters, 2);
    }
}

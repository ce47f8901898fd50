/* distribution_neighbours.c - behind each update a chip takes the average of its own parameters and
 * those of the chips behind its six links, after decentralised parallel stochastic gradient descent
 * (Lian and others, arXiv 1705.09056). */
#include "distribution.h"

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

void distribution_give(nn_value *parameters)
{
    const uint32_t *neighbour = distribution.plan.ranks.neighbour;
    uint32_t count = 1;
    distribution_begin_average(parameters);
    for (uint32_t link = 0; link < COLLECTIVES_LINKS; link++) {
        const uint32_t from = neighbour[(link + COLLECTIVES_LINKS / 2) % COLLECTIVES_LINKS];
        distribution_swap(neighbour[link], parameters, from, distribution.sums);
        count += from != COLLECTIVES_NOBODY;
    }
    distribution_end_average(parameters, count);
}

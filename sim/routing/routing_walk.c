/* routing_walk.c - checks where the tables send packets, using only the tables.  See routing.h. */
#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include <stdlib.h>

#define LOST (1u << 31) /* no route: beyond all outputs */

/* A packet that arrives at a chip. */
struct step {
    uint32_t chip;
    unsigned arrival;
};

struct walker {
    const struct topology *topology;
    const struct routing_table **table; /* [chip]; NULL: an empty table */
    struct step *way;                   /* steps still to be done */
    size_t steps;
    uint32_t *visited; /* [chip]: number of the last edge that reached it */
    uint32_t number;   /* number of the current edge, from 1 */
};

/* Route that a chip's table gives to the keys of an edge; LOST: none, or not the same for all keys.
 */
static uint32_t route_of(const struct walker *walker, const struct routing_edge *edge,
                         struct step step)
{
    const struct routing_table *table = walker->table[step.chip];
    uint32_t route = LOST;
    bool known = false;
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        const struct routing_entry *entry = &table->entry[i];
        if (!routing_overlap(entry->key, entry->mask, edge->key, edge->mask)) {
            continue;
        }
        if (known && entry->route != route) {
            return LOST;
        }
        known = true;
        route = entry->route;
        if (routing_contains(entry->key, entry->mask, edge->key, edge->mask)) {
            return route;
        }
    }
    /* Some or all keys have no entry. */
    const uint32_t straight =
        step.arrival < TOPOLOGY_LINKS ? 1u << topology_opposite(step.arrival) : LOST;
    return known && route != straight ? LOST : straight;
}

static enum status fail(const struct walker *walker, const struct routing_edge *edge,
                        struct step step, const char *what, struct diagnostic *diagnostic)
{
    const struct topology_chip *chip = &walker->topology->chip[step.chip];
    return diagnose(diagnostic, STATUS_INTERNAL,
                    "the routes of the edge %s are wrong: at chip %u,%u its packets %s", edge->name,
                    chip->x, chip->y, what);
}

static bool is_target(const struct routing_edge *edge, uint8_t x, uint8_t y, unsigned p)
{
    size_t first = 0;
    size_t end = edge->target_count;
    const uint32_t wanted = (uint32_t)x << 16 | (uint32_t)y << 8 | p;
    while (first < end) { /* targets are sorted */
        const size_t middle = first + (end - first) / 2;
        const struct machine_core *at = &edge->target[middle];
        const uint32_t here = (uint32_t)at->x << 16 | (uint32_t)at->y << 8 | at->p;
        if (here == wanted) {
            return true;
        }
        first = here < wanted ? middle + 1 : first;
        end = here < wanted ? end : middle;
    }
    return false;
}

/* Walks one chip of an edge's tree; *delivered counts the targets reached. */
static enum status walk_step(struct walker *walker, const struct routing_edge *edge,
                             struct step step, size_t *delivered, struct diagnostic *diagnostic)
{
    const struct topology_chip *chip = &walker->topology->chip[step.chip];
    if (walker->visited[step.chip] == walker->number) {
        return fail(walker, edge, step, "come twice", diagnostic);
    }
    walker->visited[step.chip] = walker->number;
    const uint32_t route = route_of(walker, edge, step);
    if (route == LOST) {
        return fail(walker, edge, step, "have no route, or more than one", diagnostic);
    }
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        if ((route >> link & 1) == 0) {
            continue;
        }
        if (chip->neighbour[link] == TOPOLOGY_NO_CHIP) {
            return fail(walker, edge, step, "leave by a link that leads nowhere", diagnostic);
        }
        walker->way[walker->steps++] =
            (struct step){(uint32_t)chip->neighbour[link], topology_opposite(link)};
    }
    for (unsigned p = 0; p < TOPOLOGY_CORES; p++) {
        if ((route >> (ROUTER_FIRST_CORE + p) & 1) == 0) {
            continue;
        }
        if (!is_target(edge, chip->x, chip->y, p)) {
            return fail(walker, edge, step, "reach a core that is no target", diagnostic);
        }
        ++*delivered;
    }
    return STATUS_OK;
}

static enum status walk(struct walker *walker, const struct routing_edge *edge,
                        struct diagnostic *diagnostic)
{
    const struct step first = {
        (uint32_t)topology_find(walker->topology, edge->source.x, edge->source.y), PACKET_LOCAL};
    size_t delivered = 0;
    enum status status = STATUS_OK;
    walker->number++;
    walker->steps = 0;
    walker->way[walker->steps++] = first;
    while (walker->steps > 0 && status == STATUS_OK) {
        const struct step step = walker->way[--walker->steps];
        status = walk_step(walker, edge, step, &delivered, diagnostic);
    }
    if (status == STATUS_OK && delivered != edge->target_count) {
        status = fail(walker, edge, first, "are sent, and do not reach all targets", diagnostic);
    }
    return status;
}

enum status routing_check(const struct routing *routing, const struct topology *topology,
                          struct diagnostic *diagnostic)
{
    /* Each chip is left once, by at most all its links: this bounds the number of pending steps. */
    const size_t steps = topology->count * TOPOLOGY_LINKS + 1;
    struct walker walker = {.topology = topology,
                            .table = calloc(topology->count, sizeof(struct routing_table *)),
                            .way = calloc(steps, sizeof(struct step)),
                            .visited = calloc(topology->count, sizeof(uint32_t))};
    enum status status = STATUS_OK;
    if (walker.table == NULL || walker.way == NULL || walker.visited == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < routing->table_count && status == STATUS_OK; i++) {
        const struct routing_table *table = &routing->table[i];
        walker.table[topology_find(topology, table->x, table->y)] = table;
    }
    for (size_t i = 0; i < routing->edge_count && status == STATUS_OK; i++) {
        status = walk(&walker, &routing->edge[i], diagnostic);
    }
    free(walker.table);
    free(walker.way);
    free(walker.visited);
    return status;
}

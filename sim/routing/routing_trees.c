/* routing_trees.c - one tree of shortest paths for each edge.  See routing_parts.h.
 *
 * Targets are added to the tree nearest first.  A path is found backwards from the target.  At each
 * chip, of the neighbours nearer to the source, it takes one that is already in the tree; else the
 * one straight ahead; else the one at the lowest link.  So all paths are shortest ones, share links
 * and seldom turn.  An edge that names a chip to turn at has a shortest path to that chip, and
 * shortest paths from there. */
#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { NO_LINK = PACKET_LINKS };

/* State of a chip while a tree is built. */
struct place {
    uint32_t distance; /* in links from the source's chip */
    uint32_t tree;     /* serial number of the last tree it was in */
    uint32_t hop;      /* its place in that tree */
};

struct grower {
    const struct topology *topology;
    struct place *place; /* beside the chips */
    uint32_t *queue;     /* chips */
    struct routing_hop *hop;
    size_t hops;
    uint32_t tree;   /* serial number of the current tree */
    uint32_t source; /* chip from which `distance` is measured; UINT32_MAX: none yet */
};

static void measure(struct grower *grower, uint32_t source)
{
    const struct topology *topology = grower->topology;
    for (size_t i = 0; i < topology->count; i++) {
        grower->place[i].distance = UINT32_MAX;
    }
    size_t first = 0;
    size_t end = 0;
    grower->place[source].distance = 0;
    grower->queue[end++] = source;
    while (first < end) {
        const uint32_t at = grower->queue[first++];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t next = topology->chip[at].neighbour[link];
            if (next != TOPOLOGY_NO_CHIP && grower->place[next].distance == UINT32_MAX) {
                grower->place[next].distance = grower->place[at].distance + 1;
                grower->queue[end++] = (uint32_t)next;
            }
        }
    }
    grower->source = source;
}

static bool in_tree(const struct grower *grower, uint32_t chip)
{
    return grower->place[chip].tree == grower->tree;
}

static struct routing_hop *join(struct grower *grower, uint32_t chip, unsigned arrival)
{
    struct place *place = &grower->place[chip];
    place->tree = grower->tree;
    place->hop = (uint32_t)grower->hops;
    struct routing_hop *hop = &grower->hop[grower->hops++];
    *hop = (struct routing_hop){.chip = chip, .arrival = (uint8_t)arrival};
    return hop;
}

/* The link of a chip that leads back towards the source. onward: the link by which the path leaves
 * the chip, NO_LINK at the target. */
static unsigned way_back(const struct grower *grower, uint32_t chip, unsigned onward)
{
    const int32_t *neighbour = grower->topology->chip[chip].neighbour;
    unsigned best = NO_LINK;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const int32_t next = neighbour[link];
        if (next == TOPOLOGY_NO_CHIP ||
            grower->place[next].distance + 1 != grower->place[chip].distance) {
            continue;
        }
        if (in_tree(grower, (uint32_t)next)) {
            return link;
        }
        const bool straight = onward != NO_LINK && link == topology_opposite(onward);
        best = best == NO_LINK || straight ? link : best;
    }
    return best;
}

/* Adds a chip, and the chips between it and the tree. */
static void join_way(struct grower *grower, uint32_t chip)
{
    /* Backwards: puts chips, and the links that lead back from them, onto the queue. */
    size_t length = 0;
    unsigned onward = NO_LINK;
    uint32_t at = chip;
    while (!in_tree(grower, at)) {
        const unsigned back = way_back(grower, at, onward);
        grower->queue[length++] = at << 3 | back;
        at = (uint32_t)grower->topology->chip[at].neighbour[back];
        onward = topology_opposite(back);
    }
    /* Forwards: adds them to the tree. */
    while (length-- > 0) {
        const unsigned back = grower->queue[length] & 7;
        grower->hop[grower->place[at].hop].route |= 1u << topology_opposite(back);
        at = grower->queue[length] >> 3;
        (void)join(grower, at, back);
    }
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a;
    const uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* An edge's target chips as distance << 32 | chip, in that order; returns how many. */
static size_t list_chips(const struct grower *grower, const struct routing_edge *edge,
                         uint64_t *chips)
{
    size_t count = 0;
    for (size_t i = 0; i < edge->target_count; i++) {
        const int32_t chip = topology_find(grower->topology, edge->target[i].x, edge->target[i].y);
        const uint64_t at = (uint64_t)grower->place[chip].distance << 32 | (uint32_t)chip;
        if (count == 0 || chips[count - 1] != at) { /* targets are sorted: equal chips adjoin */
            chips[count++] = at;
        }
    }
    qsort(chips, count, sizeof *chips, compare_places);
    return count;
}

static bool grow(struct grower *grower, const struct routing_edge *edge, struct routing_tree *tree)
{
    const struct topology *topology = grower->topology;
    const uint32_t source = (uint32_t)topology_find(topology, edge->source.x, edge->source.y);
    if (grower->source != source) {
        measure(grower, source);
    }
    grower->tree++;
    grower->hops = 0;
    (void)join(grower, source, PACKET_LOCAL);
    uint64_t *chips = calloc(edge->target_count, sizeof *chips);
    if (chips == NULL) {
        return false;
    }
    if (edge->turns) {
        const uint32_t turn = (uint32_t)topology_find(topology, edge->turn_x, edge->turn_y);
        join_way(grower, turn);
        measure(grower, turn);
    }
    const size_t count = list_chips(grower, edge, chips);
    for (size_t i = 0; i < count; i++) {
        join_way(grower, (uint32_t)chips[i]);
    }
    free(chips);
    for (size_t i = 0; i < edge->target_count; i++) {
        const struct machine_core *core = &edge->target[i];
        const int32_t chip = topology_find(topology, core->x, core->y);
        grower->hop[grower->place[chip].hop].route |= 1u << (ROUTER_FIRST_CORE + core->p);
    }
    tree->hop = calloc(grower->hops, sizeof *tree->hop);
    if (tree->hop == NULL) {
        return false;
    }
    memcpy(tree->hop, grower->hop, grower->hops * sizeof *tree->hop);
    tree->count = grower->hops;
    return true;
}

enum status routing_grow_trees(struct routing *routing, const struct topology *topology,
                               struct diagnostic *diagnostic)
{
    struct grower grower = {.topology = topology,
                            .place = calloc(topology->count, sizeof(struct place)),
                            .queue = calloc(topology->count, sizeof(uint32_t)),
                            .hop = calloc(topology->count, sizeof(struct routing_hop)),
                            .source = UINT32_MAX};
    bool room = grower.place != NULL && grower.queue != NULL && grower.hop != NULL;
    for (size_t i = 0; i < routing->edge_count && room; i++) {
        room = grow(&grower, &routing->edge[i], &routing->tree[i]);
    }
    free(grower.place);
    free(grower.queue);
    free(grower.hop);
    return room ? STATUS_OK : no_memory(diagnostic);
}

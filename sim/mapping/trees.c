/* trees.c - see chip_orders.h. */
#include "sim/mapping/chip_orders.h"

#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { PASSES = 20, NOT_THERE = -1 };

/* State while trees are built. */
struct builder {
    const struct topology *topology;
    struct trees *trees;
    int32_t *place;     /* [chip of the topology]: its place, or NOT_THERE */
    uint32_t *distance; /* [place]: distance from the current root */
    uint32_t *queue;
    unsigned *load; /* [place][link]: number of trees whose sums use the link */
};

/* The place of a chip's neighbour at a link, or NOT_THERE. */
static int32_t neighbour(const struct builder *builder, size_t place, unsigned link)
{
    const uint32_t chip = builder->trees->chip[place];
    const int32_t next = builder->topology->chip[chip].neighbour[link];
    return next == TOPOLOGY_NO_CHIP ? NOT_THERE : builder->place[next];
}

/* Computes the distances from a root; returns the number of chips that it reaches. */
static size_t measure(const struct builder *builder, size_t root)
{
    size_t count = 0;
    memset(builder->distance, 0xff, builder->trees->chips * sizeof *builder->distance);
    builder->distance[root] = 0;
    builder->queue[count++] = (uint32_t)root;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = builder->queue[i];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t next = neighbour(builder, at, link);
            if (next != NOT_THERE && builder->distance[next] == UINT32_MAX) {
                builder->distance[next] = builder->distance[at] + 1;
                builder->queue[count++] = (uint32_t)next;
            }
        }
    }
    return count;
}

static unsigned *load_of(const struct builder *builder, size_t place, unsigned link)
{
    return &builder->load[place * TOPOLOGY_LINKS + link];
}

/* Of the links towards the root, the one that carries the fewest trees. */
static unsigned emptiest(const struct builder *builder, size_t place)
{
    unsigned best = TOPOLOGY_LINKS;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const int32_t next = neighbour(builder, place, link);
        if (next == NOT_THERE || builder->distance[next] >= builder->distance[place]) {
            continue;
        }
        if (best == TOPOLOGY_LINKS ||
            *load_of(builder, place, link) < *load_of(builder, place, best)) {
            best = link;
        }
    }
    return best;
}

/* Chooses each chip's parent again: repeated passes even out the load of the links. */
static void place_parents(const struct builder *builder, size_t root, bool first)
{
    for (size_t place = 0; place < builder->trees->chips; place++) {
        struct exchange_tree_node *node = trees_node(builder->trees, root, place);
        if (place == root) {
            continue;
        }
        if (!first) {
            --*load_of(builder, place, node->parent);
        }
        node->parent = (uint8_t)emptiest(builder, place);
        ++*load_of(builder, place, node->parent);
    }
}

static void place_children(const struct builder *builder)
{
    struct trees *trees = builder->trees;
    for (size_t root = 0; root < trees->chips; root++) {
        for (size_t place = 0; place < trees->chips; place++) {
            const unsigned parent = trees_node(trees, root, place)->parent;
            if (place != root) {
                const int32_t above = neighbour(builder, place, parent);
                trees_node(trees, root, (size_t)above)->children |=
                    (uint8_t)(1u << topology_opposite(parent));
            }
        }
    }
}

static enum status build(const struct builder *builder, struct diagnostic *diagnostic)
{
    struct trees *trees = builder->trees;
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t root = 0; root < trees->chips; root++) {
            if (measure(builder, root) != trees->chips) {
                return diagnose(diagnostic, STATUS_CONFIGURATION,
                                "trees need chips that links join");
            }
            place_parents(builder, root, pass == 0);
        }
    }
    place_children(builder);
    for (size_t i = 0; i < trees->chips * TOPOLOGY_LINKS; i++) {
        trees->most = builder->load[i] > trees->most ? builder->load[i] : trees->most;
    }
    return STATUS_OK;
}

enum status trees_make(struct trees *trees, const struct topology *topology, const uint32_t *chip,
                       size_t count, struct diagnostic *diagnostic)
{
    *trees = (struct trees){.chips = count,
                            .chip = calloc(count, sizeof *trees->chip),
                            .node = calloc(count * count, sizeof *trees->node)};
    const struct builder builder = {
        .topology = topology,
        .trees = trees,
        .place = calloc(topology->count, sizeof *builder.place),
        .distance = calloc(count, sizeof *builder.distance),
        .queue = calloc(count, sizeof *builder.queue),
        .load = calloc(count * TOPOLOGY_LINKS, sizeof *builder.load),
    };
    enum status status = STATUS_OK;
    if (trees->chip == NULL || trees->node == NULL || builder.place == NULL ||
        builder.distance == NULL || builder.queue == NULL || builder.load == NULL) {
        status = no_memory(diagnostic);
    } else {
        memcpy(trees->chip, chip, count * sizeof *chip);
        qsort(trees->chip, count, sizeof *chip, chip_orders_compare);
        memset(builder.place, 0xff, topology->count * sizeof *builder.place);
        for (size_t i = 0; i < count; i++) {
            builder.place[trees->chip[i]] = (int32_t)i;
        }
        status = build(&builder, diagnostic);
    }
    free(builder.place);
    free(builder.distance);
    free(builder.queue);
    free(builder.load);
    if (status != STATUS_OK) {
        trees_deinit(trees);
    }
    return status;
}

void trees_deinit(struct trees *trees)
{
    free(trees->chip);
    free(trees->node);
    *trees = (struct trees){0};
}

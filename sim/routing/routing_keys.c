/* routing_keys.c - disjoint blocks of keys, each a power of two and aligned to it.  See
 * routing_parts.h. */
#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include "models/common/bits.h"

#include <stdlib.h>
#include <string.h>

/* Keys from here on belong to SC&MP: its signals and its flooded commands. */
static const uint64_t KEYS_END = 0xffff0000u;

/* ---- whether given keys are apart ---- */

/* Edges with given keys that come to a chip. */
struct comers {
    const struct routing_edge **edge;
    size_t count;
};

static enum status check_chip(const struct comers *chip, struct diagnostic *diagnostic)
{
    for (size_t b = 1; b < chip->count; b++) {
        const struct routing_edge *second = chip->edge[b];
        for (size_t a = 0; a < b; a++) {
            const struct routing_edge *first = chip->edge[a];
            if (routing_overlap(first->key, first->mask, second->key, second->mask)) {
                return diagnose(diagnostic, STATUS_CONFIGURATION,
                                "the keys of the edges %s (key 0x%08x mask 0x%08x) and %s (key "
                                "0x%08x mask 0x%08x) overlap",
                                first->name, first->key, first->mask, second->name, second->key,
                                second->mask);
            }
        }
    }
    return STATUS_OK;
}

/* Counts each chip's comers, or lists them in the edges' order. */
static void find_comers(const struct routing *routing, struct comers *chip, bool list)
{
    for (size_t e = 0; e < routing->edge_count; e++) {
        for (size_t h = 0; routing->edge[e].fixed && h < routing->tree[e].count; h++) {
            struct comers *at = &chip[routing->tree[e].hop[h].chip];
            if (list) {
                at->edge[at->count] = &routing->edge[e];
            }
            at->count++;
        }
    }
}

enum status routing_check_given(const struct routing *routing, const struct topology *topology,
                                struct diagnostic *diagnostic)
{
    struct comers *chip = calloc(topology->count, sizeof *chip);
    enum status status = chip == NULL ? no_memory(diagnostic) : STATUS_OK;
    if (chip != NULL) {
        find_comers(routing, chip, false);
    }
    for (size_t i = 0; i < topology->count && status == STATUS_OK; i++) {
        chip[i].edge = calloc(chip[i].count + 1, sizeof(struct routing_edge *));
        chip[i].count = 0;
        status = chip[i].edge == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    if (status == STATUS_OK) {
        find_comers(routing, chip, true);
    }
    for (size_t i = 0; i < topology->count && status == STATUS_OK; i++) {
        status = check_chip(&chip[i], diagnostic);
    }
    for (size_t i = 0; i < topology->count && chip != NULL; i++) {
        free(chip[i].edge);
    }
    free(chip);
    return status;
}

/* ---- keys of the others ---- */

/* Edges with given keys. */
struct given {
    const struct routing_edge **edge;
    size_t count;
};

/* Number of bits that distinguish an edge's keys. */
static unsigned key_bits(const struct routing_edge *edge)
{
    unsigned bits = 0;
    while (bits < 32 && 1ull << bits < edge->keys) {
        bits++;
    }
    return bits;
}

/* First key at or after `from` at which a block overlaps no given keys; KEYS_END or more: none. */
static uint64_t find_place(const struct given *all, uint64_t from, uint32_t mask)
{
    uint64_t place = from;
    for (size_t i = 0; i < all->count && place < KEYS_END; i++) {
        const struct routing_edge *given = all->edge[i];
        if (!routing_overlap(given->key, given->mask, (uint32_t)place, mask)) {
            continue;
        }
        const uint32_t telling = given->mask & mask;
        if (telling == 0) {
            return KEYS_END; /* the given edge has keys in every block of this size */
        }
        /* Blocks overlap until the lowest bit changes that both masks compare. */
        const uint64_t step = 1ull << bits_lowest(telling);
        place = (place & ~(step - 1)) + step;
        i = SIZE_MAX; /* check all given edges again */
    }
    return place;
}

/* An edge without keys. */
struct waiting {
    struct routing_edge *edge;
    size_t index;
    unsigned bits;
};

static int compare_targets(const struct routing_edge *a, const struct routing_edge *b)
{
    const size_t fewer = a->target_count < b->target_count ? a->target_count : b->target_count;
    const int order = memcmp(a->target, b->target, fewer * sizeof *a->target);
    return order != 0 ? order
                      : (a->target_count > b->target_count) - (a->target_count < b->target_count);
}

/* Largest blocks first, so that there are no gaps; then by targets, then by source chip, so that
 * one router entry can serve many edges. */
static int compare_waiting(const void *a, const void *b)
{
    const struct waiting *first = a;
    const struct waiting *second = b;
    int order = (int)second->bits - (int)first->bits;
    order = order != 0 ? order : compare_targets(first->edge, second->edge);
    order = order != 0 ? order : first->edge->source.x - second->edge->source.x;
    order = order != 0 ? order : first->edge->source.y - second->edge->source.y;
    return order != 0 ? order : (first->index > second->index) - (first->index < second->index);
}

static enum status assign(const struct given *given, const struct waiting *waiting, size_t count,
                          struct diagnostic *diagnostic)
{
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        struct routing_edge *edge = waiting[i].edge;
        const uint64_t size = 1ull << waiting[i].bits;
        const uint32_t mask = (uint32_t) ~(size - 1);
        const uint64_t place = find_place(given, next, mask);
        if (place + size > KEYS_END) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "no block of %llu keys is left for the edge %s",
                            (unsigned long long)size, edge->name);
        }
        edge->key = (uint32_t)place;
        edge->mask = mask;
        next = place + size;
    }
    return STATUS_OK;
}

enum status routing_assign_keys(struct routing *routing, struct diagnostic *diagnostic)
{
    struct given given = {calloc(routing->edge_count, sizeof(struct routing_edge *)), 0};
    struct waiting *waiting = calloc(routing->edge_count, sizeof *waiting);
    size_t count = 0;
    enum status status = STATUS_OK;
    if (given.edge == NULL || waiting == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < routing->edge_count && status == STATUS_OK; i++) {
        struct routing_edge *edge = &routing->edge[i];
        if (edge->fixed) {
            given.edge[given.count++] = edge;
        } else {
            waiting[count++] = (struct waiting){edge, i, key_bits(edge)};
        }
    }
    if (status == STATUS_OK) {
        qsort(waiting, count, sizeof *waiting, compare_waiting);
        status = assign(&given, waiting, count, diagnostic);
    }
    free(given.edge);
    free(waiting);
    return status;
}

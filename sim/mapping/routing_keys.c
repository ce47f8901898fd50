/* routing_keys.c - disjoint blocks of keys, each a power of two and aligned to it.  See
 * routing_parts.h. */
#include "sim/mapping/routing_parts.h"

#include "models/common/bits.h"

#include <stdlib.h>

/* Keys from here on are SC&MP's own: its signals and its flood of commands. */
static const uint64_t KEYS_END = 0xffff0000u;

static enum status check_given(const struct routing *routing, struct diagnostic *diagnostic)
{
    for (size_t b = 1; b < routing->edge_count; b++) {
        const struct routing_edge *second = &routing->edge[b];
        for (size_t a = 0; second->fixed && a < b; a++) {
            const struct routing_edge *first = &routing->edge[a];
            if (first->fixed &&
                routing_overlap(first->key, first->mask, second->key, second->mask)) {
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

/* Bits that tell an edge's keys apart. */
static unsigned key_bits(const struct routing_edge *edge)
{
    unsigned bits = 0;
    while (bits < 32 && 1ull << bits < edge->keys) {
        bits++;
    }
    return bits;
}

/* The first place at or after `from` for a block that avoids all keys that are given; a place at
 * KEYS_END or beyond is none. */
static uint64_t find_place(const struct routing *routing, uint64_t from, uint32_t mask)
{
    uint64_t place = from;
    for (size_t i = 0; i < routing->edge_count && place < KEYS_END; i++) {
        const struct routing_edge *given = &routing->edge[i];
        if (!given->fixed || !routing_overlap(given->key, given->mask, (uint32_t)place, mask)) {
            continue;
        }
        const uint32_t telling = given->mask & mask;
        if (telling == 0) {
            return KEYS_END; /* it has keys in every block of this size */
        }
        /* All places overlap up to where the lowest bit that tells them apart changes. */
        const uint64_t step = 1ull << bits_lowest(telling);
        place = (place & ~(step - 1)) + step;
        i = SIZE_MAX; /* the others anew */
    }
    return place;
}

/* Blocks of one size, in the edges' order, one behind the other. */
static enum status assign_size(struct routing *routing, unsigned bits, uint64_t *next,
                               struct diagnostic *diagnostic)
{
    const uint32_t mask = bits == 32 ? 0 : ~0u << bits;
    for (size_t i = 0; i < routing->edge_count; i++) {
        struct routing_edge *edge = &routing->edge[i];
        if (edge->fixed || key_bits(edge) != bits) {
            continue;
        }
        const uint64_t place = find_place(routing, *next, mask);
        if (place + (1ull << bits) > KEYS_END) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "no block of %llu keys is left for the edge %s", 1ull << bits,
                            edge->name);
        }
        edge->key = (uint32_t)place;
        edge->mask = mask;
        *next = place + (1ull << bits);
    }
    return STATUS_OK;
}

enum status routing_assign_keys(struct routing *routing, struct diagnostic *diagnostic)
{
    enum status status = check_given(routing, diagnostic);
    uint64_t next = 0;
    for (unsigned bits = 33; bits-- > 0 && status == STATUS_OK;) { /* the largest first: no gaps */
        status = assign_size(routing, bits, &next, diagnostic);
    }
    return status;
}

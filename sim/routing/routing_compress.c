/* routing_compress.c - shorter tables.  See routing_parts.h.
 *
 * The router takes the first entry that matches.  So demands are sorted into groups of equal routes
 * and the groups put one behind the other, the smallest first: an entry must keep off the keys of
 * the groups behind its own, and may take keys of those before it, which never come so far.  Within
 * a group a demand's block is widened bit by bit while it keeps off those keys, and what it then
 * contains needs no entry of its own.  The large groups at the end have next to nothing to keep
 * off. */
#include "sim/routing/routing_parts.h"

#include "models/common/bits.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BITS = 32 };

struct item {
    struct routing_entry entry;
    size_t group; /* how many demands have its route */
    bool silent;  /* goes straight on, and has no entry unless one with its route takes it */
    bool covered;
};

static int compare_routes(const void *a, const void *b)
{
    const struct item *first = a;
    const struct item *second = b;
    if (first->silent != second->silent) {
        return first->silent ? 1 : -1;
    }
    if (first->group != second->group) {
        return first->group < second->group ? -1 : 1;
    }
    if (first->entry.route != second->entry.route) {
        return first->entry.route < second->entry.route ? -1 : 1;
    }
    return (first->entry.key > second->entry.key) - (first->entry.key < second->entry.key);
}

/* Groups one behind the other, the smallest first; what is silent at the end. */
static void sort(struct item *item, size_t count)
{
    qsort(item, count, sizeof *item, compare_routes); /* by route: all groups are still 0 */
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && item[end].silent == item[first].silent &&
                          item[end].entry.route == item[first].entry.route;
             end++) {
        }
        for (size_t i = first; i < end; i++) {
            item[i].group = end - first;
        }
    }
    qsort(item, count, sizeof *item, compare_routes);
}

/* Would a block take keys that are to go elsewhere?  others: the items behind its group. */
static bool takes(const struct routing_entry *block, const struct item *others,
                  const struct item *end)
{
    for (const struct item *at = others; at < end; at++) {
        if (at->entry.route != block->route &&
            routing_overlap(block->key, block->mask, at->entry.key, at->entry.mask)) {
            return true;
        }
    }
    return false;
}

/* Widens a block by as many of the open bits as it can, from the lowest or from the highest. */
static struct routing_entry widen(struct routing_entry block, uint32_t open, bool from_high,
                                  const struct item *others, const struct item *end)
{
    for (unsigned i = 0; i < KEY_BITS; i++) {
        const uint32_t bit = 1u << (from_high ? KEY_BITS - 1 - i : i);
        const struct routing_entry wider = {block.key & ~bit, block.mask & ~bit, block.route};
        if ((open & block.mask & bit) != 0 && !takes(&wider, others, end)) {
            block = wider;
        }
    }
    return block;
}

/* How many of a group's items that have no entry yet a block contains; marks them. */
static size_t cover(const struct routing_entry *block, struct item *first, const struct item *end,
                    bool mark)
{
    size_t count = 0;
    for (struct item *at = first; at < end; at++) {
        if (!at->covered &&
            routing_contains(block->key, block->mask, at->entry.key, at->entry.mask)) {
            count++;
            at->covered = mark;
        }
    }
    return count;
}

/* Bits in which the blocks of a group differ. */
static uint32_t differing(const struct item *first, const struct item *end)
{
    uint32_t bits = 0;
    for (const struct item *at = first; at < end; at++) {
        bits |= (at->entry.key ^ first->entry.key) | (at->entry.mask ^ first->entry.mask);
    }
    return bits;
}

/* The entries of one group, up to a number; returns how many. */
static size_t cover_group(struct item *first, struct item *group_end, const struct item *end,
                          struct routing_entry *entry, size_t most)
{
    const uint32_t open = differing(first, group_end);
    size_t entries = 0;
    for (struct item *at = first; at < group_end && entries < most; at++) {
        if (at->covered) {
            continue;
        }
        const struct routing_entry low = widen(at->entry, open, false, group_end, end);
        const struct routing_entry high = widen(at->entry, open, true, group_end, end);
        const bool from_high =
            cover(&high, first, group_end, false) > cover(&low, first, group_end, false);
        entry[entries] = from_high ? high : low;
        (void)cover(&entry[entries], first, group_end, true);
        entries++;
    }
    return entries;
}

/* silent: what goes straight on is left to default routing. */
static size_t compress(const struct routing_demand *demand, size_t count, bool silent,
                       struct item *item, struct routing_entry *entry)
{
    for (size_t i = 0; i < count; i++) {
        item[i] = (struct item){.entry = demand[i].entry, .silent = silent && demand[i].straight};
    }
    sort(item, count);
    size_t entries = 0;
    for (size_t first = 0; first < count && !item[first].silent && entries < ROUTING_COUNTED;
         first += item[first].group) {
        entries += cover_group(&item[first], &item[first + item[first].group], &item[count],
                               &entry[entries], ROUTING_COUNTED - entries);
    }
    return entries;
}

size_t routing_compress(const struct routing_demand *demand, size_t count,
                        struct routing_entry *entry)
{
    struct item *item = calloc(count, sizeof *item);
    struct routing_entry *other = calloc(count, sizeof *other);
    size_t entries = SIZE_MAX;
    if (item != NULL && other != NULL) {
        entries = compress(demand, count, true, item, entry);
        if (entries > MC_TABLE_ENTRIES) { /* entries for what goes straight on can take others in */
            const size_t others = compress(demand, count, false, item, other);
            if (others < entries) {
                memcpy(entry, other, others * sizeof *entry);
                entries = others;
            }
        }
    }
    free(item);
    free(other);
    return entries;
}

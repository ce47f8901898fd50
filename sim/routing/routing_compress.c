/* routing_compress.c - shorter tables.  See routing_parts.h.
 *
 * The router uses the first matching entry.  So demands are grouped by route, and the groups are
 * placed in the table one after the other, the smallest first.  An entry must not match keys of
 * later groups, but may match keys of earlier ones, as their own entries match first.  Within a
 * group a demand's block is widened bit by bit as long as it matches no key of a later group;
 * demands that the widened block contains need no entry of their own.  The large groups at the end
 * have few later keys to avoid. */
#include "sim/routing/routing_parts.h"

#include "models/common/bits.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BITS = 32 };

struct item {
    struct routing_entry entry;
    size_t group; /* number of demands with the same route */
    bool silent;  /* goes straight on: has no entry unless an entry of its group contains it */
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

/* Sorts the items by group, the smallest group first; silent items are at the end. */
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

/* Whether a block contains keys with another route. others: the items after the block's group. */
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

/* Widens a block by as many of the open bits as possible, starting from the lowest or the highest.
 */
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

/* Number of a group's items without an entry that a block contains; marks them. */
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

/* Makes the entries of one group, up to a limit; returns their number. */
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

/* silent: packets that go straight on are left to default routing. */
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
        if (entries >
            MC_TABLE_ENTRIES) { /* entries for straight routes can contain other demands */
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

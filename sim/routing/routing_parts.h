/* routing_parts.h - the steps of routing_make(), one file each.  Private to sim/routing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/network/mc_table.h"
#include "models/network/packet.h"
#include "models/network/router.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

/* Is there a key that both blocks have? */
static inline bool routing_overlap(uint32_t key_a, uint32_t mask_a, uint32_t key_b, uint32_t mask_b)
{
    return ((key_a ^ key_b) & mask_a & mask_b) == 0;
}

/* Has block a every key of block b? */
static inline bool routing_contains(uint32_t key_a, uint32_t mask_a, uint32_t key_b,
                                    uint32_t mask_b)
{
    return (mask_a & ~mask_b) == 0 && ((key_a ^ key_b) & mask_a) == 0;
}

/* Fills in key and mask of the edges that have none. */
enum status routing_assign_keys(struct routing *routing, struct diagnostic *diagnostic);

/* Finds the edges' trees. */
enum status routing_grow_trees(struct routing *routing, const struct topology *topology,
                               struct diagnostic *diagnostic);

/* Makes the chips' tables of the trees. */
enum status routing_fill_tables(struct routing *routing, const struct topology *topology,
                                struct diagnostic *diagnostic);

/* One edge's keys on one chip. */
struct routing_demand {
    struct routing_entry entry;
    bool straight; /* it comes by a link and goes on by the opposite one: needs no entry */
};

/* No more entries are counted: a table that needs them is hopeless, and not worth the time. */
enum { ROUTING_COUNTED = 2 * MC_TABLE_ENTRIES };

/* Makes a shorter table that does the same for the keys of all demands; keys that nobody uses may
 * go anywhere.  `entry` has room for as many entries as there are demands.  Returns how many it
 * needs, or ROUTING_COUNTED, which is to say as many at least; SIZE_MAX when out of memory. */
size_t routing_compress(const struct routing_demand *demand, size_t count,
                        struct routing_entry *entry);

C_LINKAGE_END
